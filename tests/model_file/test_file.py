"""Models as files: what is loaded is what was saved, bit for bit, or it is said why not."""

import os

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import LinearSVC

from tests.table_factory import Table
from tests.zoo import KINDS, draw
from thresher import (
    AlphaTreesClassifier,
    ImbalancedForestClassifier,
    ImbalancedTreeClassifier,
    LeastSquaresClassifier,
    ThresholdClassifier,
    find_conditions,
    load_model,
    save_model,
)
from thresher.errors import ModelFileError
from thresher.model_file.file import StoredModel, to_bytes
from thresher.tree.structure import Tree

X, Y = Table(rows=300, noise=0.0).numpy()


def parameters(model):
    """Return parameters that compare by value: estimators by their own, arrays as lists."""
    found = model.get_params()
    return {
        name: type(value).__name__ if hasattr(value, "get_params") else np.asarray(value).tolist()
        for name, value in found.items()
    }


def assert_same(first, second):
    """Compare two fitted attributes of any kind, bit for bit."""
    assert type(first) is type(second) or {type(first), type(second)} <= {float, np.float64}
    if isinstance(first, Tree):
        assert first.digest() == second.digest()
    elif isinstance(first, np.ndarray):
        assert (first.dtype, first.shape) == (second.dtype, second.shape)
        assert first.tobytes() == second.tobytes() or first.tolist() == second.tolist()
    elif hasattr(first, "get_params") or hasattr(first, "__dataclass_fields__"):
        assert_same_state(first, second)
    elif isinstance(first, list | tuple):
        assert len(first) == len(second)
        for one, other in zip(first, second, strict=True):
            assert_same(one, other)
    else:
        assert first == second or (first != first and second != second)


PAIRSD = {"training_rows", "_leaf_values", "voters", "probability", "is_category", "_are_numbers"}


def assert_same_state(first, second):
    """Compare all that two objects keep, but for what is derived from the rest."""
    mine, other = (
        {k: v for k, v in vars(one).items() if k not in PAIRSD} for one in (first, second)
    )
    if mine.get("distillation_", "") is None:
        del mine["distillation_"]
    assert mine.keys() == other.keys()
    for name in mine:
        assert_same(mine[name], other[name])


@pytest.mark.parametrize("kind", KINDS)
def test_random_models_come_back_bit_for_bit(kind, tmp_path):
    for seed in range(40):
        model, table = draw(kind, seed)
        save_model(model, tmp_path / "model.thresher")
        again = load_model(tmp_path / "model.thresher")
        np.testing.assert_array_equal(again.predict_proba(table), model.predict_proba(table))
        labels = again.predict(table)
        np.testing.assert_array_equal(labels, model.predict(table))
        assert labels.dtype == model.predict(table).dtype
        assert parameters(again) == parameters(model)
        assert_same_state(model, again)
        save_model(again, tmp_path / "again.thresher")
        content = (tmp_path / "again.thresher").read_bytes()
        assert content == (tmp_path / "model.thresher").read_bytes()
        clone(again)


def reloaded(model, folder):
    save_model(model, folder / "model.thresher")
    return load_model(str(folder / "model.thresher"))


@pytest.mark.parametrize("weights", [None, np.linspace(0.1, 2.0, 300)])
def test_a_loaded_forest_has_its_threshold_curve_and_trees(weights, tmp_path):
    table = pl.DataFrame(X, schema=["a", "b", "c"])
    model = ImbalancedForestClassifier(30, random_state=1, rule="f1").fit(table, Y, weights)
    again = reloaded(model, tmp_path)
    assert again.threshold_interval_ == model.threshold_interval_
    assert isinstance(again.curve_, pl.DataFrame)
    assert again.curve_.equals(model.curve_)
    np.testing.assert_array_equal(again.oob_decision_function_, model.oob_decision_function_)
    np.testing.assert_array_equal(again.feature_importances_, model.feature_importances_)
    np.testing.assert_array_equal(again.apply(table), model.apply(table))
    assert again.estimators_[3].tree_.digest() == model.estimators_[3].tree_.digest()
    assert again.estimate_prior(table) == model.estimate_prior(table)
    for one in (model, again):
        one.adjust_prior(0.02)
    assert again.threshold_ == model.threshold_
    assert again.threshold_interval_ == model.threshold_interval_
    moved = reloaded(model, tmp_path)
    np.testing.assert_array_equal(moved.predict_proba(table), model.predict_proba(table))
    assert moved.prior_ == 0.02


def test_a_loaded_forest_goes_on_growing(tmp_path):
    forest = ImbalancedForestClassifier(6, warm_start=True, random_state=0, n_bootstrap=0)
    again = reloaded(forest.fit(X, Y), tmp_path).set_params(n_estimators=9).fit(X, Y)
    whole = ImbalancedForestClassifier(9, warm_start=True, random_state=0, n_bootstrap=0).fit(X, Y)
    np.testing.assert_array_equal(again.predict_proba(X), whole.predict_proba(X))
    np.testing.assert_array_equal(again.oob_decision_function_, whole.oob_decision_function_)


def test_a_forest_leaves_its_rows_and_keeps_a_tree_that_was_given_to_it(tmp_path):
    forest = ImbalancedForestClassifier(20, random_state=0, n_bootstrap=0).fit(X, Y)
    again = reloaded(forest, tmp_path)
    for ask in (again.to_tree, lambda: find_conditions(again)):
        with pytest.raises(ValueError, match="without its training rows: give X and y to to_tree"):
            ask()
    assert (
        again.to_tree(4, X=X, y=Y, cv=None).tree_.digest()
        == forest.to_tree(4, cv=None).tree_.digest()
    )
    forest.imitation_ = forest.to_tree(4, cv=2)
    again = reloaded(forest, tmp_path)
    assert again.to_tree() is again.imitation_
    assert again.imitation_.distillation_ == forest.imitation_.distillation_
    assert len(find_conditions(again)) == len(find_conditions(forest.imitation_))
    with pytest.raises(ValueError, match="max_leaf_nodes=2 is less than the"):
        again.to_tree(2)
    assert not hasattr(again.fit(X, Y), "imitation_")


def test_a_loaded_threshold_moves_to_another_prior(tmp_path):
    model = ThresholdClassifier(
        LogisticRegression(C=7.0, solver="newton-cholesky"), rule="f1", random_state=0
    ).fit(X, Y)
    again = reloaded(model, tmp_path)
    pd.testing.assert_frame_equal(again.curve_, model.curve_)
    assert again.adjust_prior(0.3).threshold_ == model.adjust_prior(0.3).threshold_
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))
    assert again.estimator.C == 7.0
    assert not hasattr(again.estimator, "coef_")
    assert again.fit(X, Y).threshold_ == model.fit(X, Y).threshold_


def test_a_prefit_estimator_is_one_object(tmp_path):
    inner = ImbalancedTreeClassifier().fit(X[:150], Y[:150])
    model = ThresholdClassifier(inner, rule="f1", cv="prefit").fit(X[150:], Y[150:])
    again = reloaded(model, tmp_path)
    assert again.estimator is again.estimator_


# ------------------------------------------------------------------------------------ what is kept


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        (ImbalancedTreeClassifier(pruning=lambda tn, fp, fn, tp: tp), "pruning=<function"),
        (ImbalancedForestClassifier(20, rule=lambda *c: c[3], n_bootstrap=0), "rule=<function"),
        (ImbalancedTreeClassifier(random_state=np.random.RandomState(0)), "random_state=Rand"),
        (ThresholdClassifier(LogisticRegression(), cv=StratifiedKFold(3)), "cv=StratifiedKFold"),
        (ThresholdClassifier(ImbalancedTreeClassifier(pruning=max)), "pruning=<built-in"),
    ],
)  # fmt: skip
def test_parameters_that_no_file_can_hold_are_refused(model, expected, tmp_path):
    model.fit(X, Y)
    with pytest.raises(ModelFileError, match=expected) as caught:
        save_model(model, tmp_path / "model.thresher")
    assert "set_params(" in str(caught.value)
    assert not list(tmp_path.iterdir())


def test_the_way_out_of_a_refusal_works(tmp_path):
    model = ImbalancedForestClassifier(20, rule=lambda *c: c[3], n_bootstrap=0, random_state=0)
    model.fit(X, Y).set_params(rule=None)
    again = reloaded(model, tmp_path)
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        (RandomForestClassifier(3), "A RandomForestClassifier cannot be kept in a file"),
        (LogisticRegression(), "A LogisticRegression cannot be kept in a file; Imbalanced"),
        (ThresholdClassifier(LinearSVC(), rule="f1"), "around LinearSVC cannot be kept"),
        (type("Own", (ImbalancedTreeClassifier,), {})(), "A Own cannot be kept"),
    ],
)
def test_other_models_are_refused(model, expected, tmp_path):
    with pytest.raises(ModelFileError, match=expected):
        save_model(model.fit(X, Y), tmp_path / "model.thresher")


@pytest.mark.parametrize(
    "model",
    [ImbalancedTreeClassifier(), AlphaTreesClassifier(), LeastSquaresClassifier(),
     ThresholdClassifier(LogisticRegression())],
)  # fmt: skip
def test_unfitted_models_are_refused(model, tmp_path):
    with pytest.raises(NotFittedError):
        save_model(model, tmp_path / "model.thresher")


def test_a_model_that_could_not_be_loaded_is_not_saved(tmp_path):
    model = ImbalancedTreeClassifier().fit(X, Y).set_params(criterion="unheard")
    with pytest.raises(ModelFileError, match="The model cannot be saved: criterion='unheard'"):
        save_model(model, tmp_path / "model.thresher")


# ----------------------------------------------------------------------------------------- the file


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("", "cannot be written: Is a directory"),
        ("no/folder.thresher", "cannot be written: No such"),
    ],
)
def test_places_that_cannot_be_written(path, expected, tmp_path):
    model = LeastSquaresClassifier().fit(X, Y)
    with pytest.raises(ModelFileError, match=expected):
        save_model(model, tmp_path / path)
    assert not list(tmp_path.iterdir())


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(ModelFileError, match="cannot be read: No such file"):
        load_model(tmp_path / "absent.thresher")
    with pytest.raises(ModelFileError, match=r"model\.thresher' cannot be read: No such file"):
        load_model(tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
def test_files_that_never_end_are_not_read(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", "/dev/zero"):
        with pytest.raises(ModelFileError, match="is not a regular file"):
            load_model(path)


def test_a_large_file_that_is_no_model_is_not_read_to_its_end(tmp_path):
    with (tmp_path / "large.csv").open("wb") as file:
        file.truncate(2**42)
    with pytest.raises(ModelFileError, match="is no model of thresher"):
        load_model(tmp_path / "large.csv")


def test_content_reaches_the_disk_before_the_name_does(tmp_path, monkeypatch):
    done = []
    for name in ("fsync", "replace"):
        real = getattr(os, name)
        monkeypatch.setattr(
            os, name, lambda *a, real=real, name=name: (done.append(name), real(*a))[1]
        )
    save_model(LeastSquaresClassifier().fit(X, Y), tmp_path / "model.thresher")
    assert done == ["fsync", "replace", "fsync"]


def test_a_forest_is_a_third_of_what_joblib_writes_of_scikit_learns(tmp_path):
    """Of trees with as many nodes, 16 columns of noise."""
    import joblib

    table, labels = Table(rows=1000, columns=16, share=0.2, noise=100.0).numpy()
    ours = ImbalancedForestClassifier(200, criterion="gini", bootstrap="plain", n_bootstrap=0)
    theirs = RandomForestClassifier(200, min_samples_leaf=2, random_state=0).fit(table, labels)
    ours.set_params(random_state=0).fit(table, labels)
    joblib.dump(theirs, tmp_path / "theirs")
    nodes = sum(tree.tree_.node_count for tree in theirs.estimators_)
    assert len(ours.forest_.nodes) > 0.9 * nodes
    size = len(to_bytes(StoredModel(ours, None)))
    assert size <= 0.3 * (tmp_path / "theirs").stat().st_size
