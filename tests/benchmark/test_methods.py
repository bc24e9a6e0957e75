import pickle
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

import thresher.benchmark
from thresher import (
    AlphaTreesClassifier,
    ImbalancedTreeClassifier,
    LeastSquaresClassifier,
    ThresholdClassifier,
)
from thresher.benchmark import METHODS, PAPER_METHODS

X, NOISE = np.split(np.random.default_rng(3).normal(size=(300, 6)), [5], axis=1)
Y = (X @ [1.0, 1.0, 0.0, 0.0, 0.0] + NOISE[:, 0] > 2.5).astype(int)

PAPER = (
    *("LinR", "LinR+CS", "LinR+US", "LinR+OS", "LogR", "LogR+CS", "LogR+US", "LogR+OS"),
    *("CDT", "DKMDT", "HDDT", "EAT", "ARDT"),
)
OTHERS = {
    *("LinR@prior", "LogR@prior", "Forest"),
    *("LightGBM", "BalancedRF", "RandomForest", "DecisionTree"),
}
SAMPLED = [name for name in PAPER if name.endswith("S") and "+CS" not in name]
DRAWING = [*SAMPLED, "Forest", "BalancedRF", "RandomForest"]


def predictions(name, random_state=0, X=X, y=Y):
    return METHODS[name](random_state=random_state).fit(X, y).predict(X)


def test_the_paper_s_methods_and_others_beside_them_are_there():
    assert PAPER_METHODS == PAPER
    assert set(METHODS) == {*PAPER, *OTHERS}


def test_the_table_of_methods_cannot_be_changed_by_accident():
    with pytest.raises(TypeError):
        METHODS["LinR"] = METHODS["LogR"]


@pytest.mark.parametrize("name", METHODS)
def test_a_method_fits_and_predicts_and_knows_its_probabilities(name):
    model = METHODS[name](random_state=0).fit(X, Y)
    probability = model.predict_proba(X)
    assert probability.shape == (300, 2)
    assert probability.min() >= 0
    np.testing.assert_allclose(probability.sum(axis=1), 1.0)
    assert set(model.predict(X)) <= {0, 1}
    assert roc_auc_score(Y, probability[:, 1]) > 0.85


@pytest.mark.parametrize("name", METHODS)
def test_a_method_takes_text_labels_with_the_rare_one_first(name):
    labels = np.where(Y == 1, "a scrap", "ok")
    same = np.mean((predictions(name, y=labels) == "a scrap") == predictions(name))
    # The order of the classes may change which rows are drawn.
    assert same > (0.95 if name in DRAWING else 0.99)


@pytest.mark.parametrize("name", METHODS)
def test_each_call_makes_a_new_estimator(name):
    first, second = METHODS[name](), METHODS[name](random_state=5)
    assert isinstance(first, BaseEstimator)
    assert first is not second
    parts = [value for value in first.get_params().values() if isinstance(value, BaseEstimator)]
    others = [value for value in second.get_params().values() if isinstance(value, BaseEstimator)]
    assert not {id(part) for part in parts} & {id(other) for other in others}
    first.fit(X, Y)
    assert not [name for name in vars(second) if name.endswith("_")]


@pytest.mark.parametrize("name", METHODS)
def test_a_method_can_be_sent_to_another_process_and_cloned(name):
    factory = pickle.loads(pickle.dumps(METHODS[name]))
    np.testing.assert_array_equal(
        clone(factory(random_state=0)).fit(X, Y).predict(X), predictions(name)
    )


@pytest.mark.parametrize("name", METHODS)
def test_a_seed_fixes_the_outcome(name):
    first = METHODS[name](random_state=7).fit(X, Y).predict_proba(X)
    second = METHODS[name](random_state=7).fit(X, Y).predict_proba(X)
    np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize("name", DRAWING)
def test_other_seeds_draw_other_rows(name):
    models = [METHODS[name](random_state=seed).fit(X, Y) for seed in range(3)]
    assert len({model.predict_proba(X).tobytes() for model in models}) == 3


@pytest.mark.parametrize(
    ("name", "size"), [("LinR+US", 2 * Y.sum()), ("LogR+OS", 2 * (Y == 0).sum())]
)
def test_samplers_balance_the_classes(name, size):
    _, labels = METHODS[name](random_state=0)["sampler"].fit_resample(X, Y)
    assert len(labels) == size
    assert labels.mean() == 0.5


def test_linear_methods_are_those_of_the_paper():
    linear = METHODS["LinR"]().fit(X, Y)
    assert isinstance(linear, LeastSquaresClassifier)
    assert linear.threshold_ == 0.5
    logistic = METHODS["LogR"]().fit(X, Y)
    plain = LogisticRegression(C=1.0, tol=1e-8, max_iter=10_000).fit(X, Y)
    np.testing.assert_allclose(logistic.coef_, plain.coef_, atol=1e-4)
    for name in ("LinR+CS", "LogR+CS"):
        assert METHODS[name]().get_params()["class_weight"] == "balanced"


def test_the_direct_approach_cuts_at_the_share_of_positives():
    assert METHODS["LinR@prior"]().fit(X, Y).threshold_ == pytest.approx(Y.mean())
    model = METHODS["LogR@prior"]().fit(X, Y)
    assert isinstance(model, ThresholdClassifier)
    expected = METHODS["LogR"]().fit(X, Y).predict_proba(X)[:, 1] > Y.mean()
    np.testing.assert_array_equal(model.predict(X), expected)


@pytest.mark.parametrize(
    ("name", "criterion"),
    [("CDT", "gain_ratio"), ("DKMDT", "dkm"), ("HDDT", "hellinger"), ("ARDT", "adaptive_renyi")],
)
def test_trees_have_the_paper_s_preset(name, criterion):
    tree = METHODS[name]()
    assert isinstance(tree, ImbalancedTreeClassifier)
    preset = {
        "criterion": criterion,
        "alpha_tolerance": 0.05,
        "min_samples_leaf": 2,
        "pruning": "bcr",
        "pruning_fraction": None,
        "threshold": 0.5,
        "mdl_correction": False,
    }
    assert {key: value for key, value in tree.get_params().items() if key in preset} == preset


def test_eat_has_the_paper_s_preset():
    trees = METHODS["EAT"](random_state=3)
    assert isinstance(trees, AlphaTreesClassifier)
    expected = AlphaTreesClassifier(min_samples_leaf=2, pruning="bcr", random_state=3)
    assert trees.get_params() == expected.get_params()
    assert trees.voting == "majority"


def test_forests_are_of_one_size():
    sizes = {
        METHODS[name]().get_params()["n_estimators"]
        for name in ("Forest", "BalancedRF", "RandomForest")
    }
    assert sizes == {200}


def test_dkm_and_hellinger_trees_agree():
    np.testing.assert_array_equal(predictions("DKMDT"), predictions("HDDT"))


@pytest.mark.parametrize(
    ("module", "names", "sentence"),
    [
        ("imblearn", [*SAMPLED, "BalancedRF"], "need imbalanced-learn"),
        ("lightgbm", ["LightGBM"], "needs lightgbm"),
    ],
)
def test_without_a_package_the_sentence_says_what_to_install(module, names, sentence, monkeypatch):
    for name in [name for name in sys.modules if name.partition(".")[0] == module]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, module, None)
    assert predictions("LinR+CS").shape == (300,)
    for name in names:
        with pytest.raises(ImportError, match=rf"{sentence}: pip install 'thresher\[benchmark"):
            METHODS[name]()


@pytest.mark.parametrize(
    ("package", "expected"),
    [
        ("imblearn", ["methods.py"]),
        # As a rival, to grow boosted trees, and to take its trees over (which imports nothing).
        ("lightgbm", ["boosting.py", "lightgbm_trees.py", "methods.py"]),
    ],
)
def test_an_optional_package_is_named_in_one_file_for_each_use(package, expected):
    sources = Path(thresher.benchmark.__file__).parents[1].rglob("*.py")
    naming = [path.name for path in sources if re.search(rf"\b{package}\b", path.read_text())]
    assert sorted(naming) == expected
