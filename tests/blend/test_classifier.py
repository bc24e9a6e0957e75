"""Blend and boosted trees as estimators: what they take, what they refuse, what changes nothing."""

import builtins

import numpy as np
import pytest

from tests.blend.tables import levels, numbers
from thresher import ImbalancedBlendClassifier
from thresher.blend.boosted import BoostedTreesClassifier
from thresher.errors import MissingPackageError, NoVotesError, ParameterError

MODELS = {
    "blend": lambda **more: ImbalancedBlendClassifier(
        n_estimators=20, n_bootstrap=5, random_state=3, **more
    ),
    "boosted": lambda **more: BoostedTreesClassifier(30, n_bootstrap=5, random_state=3, **more),
}
both = pytest.mark.parametrize("make", MODELS.values(), ids=MODELS.keys())


@pytest.fixture
def no_lightgbm(monkeypatch):
    original = builtins.__import__

    def without(name, *args, **more):
        if name == "lightgbm":
            raise ImportError(name)
        return original(name, *args, **more)

    monkeypatch.setattr(builtins, "__import__", without)


@both
def test_threads_change_nothing(make):
    X, y = levels()
    one, two = make().fit(X, y), make(n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(one.oob_decision_function_, two.oob_decision_function_)
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))
    assert one.threshold_ == two.threshold_


@both
def test_levels_and_missing_values(make):
    X, y = levels(600)
    model = make().fit(X, y)
    assert model.pos_label_ == "scrap"
    found = model.predict_proba(levels(600, seed=1).X)[:, model.positive_index_]
    truth = levels(600, seed=1).y == "scrap"
    assert found[truth].mean() > found[~truth].mean() + 0.2
    unknown = X.head(20).assign(machine=X.machine.head(20).cat.add_categories("E"))
    unknown["machine"] = "E"
    empty = X.head(20).assign(machine=None)
    np.testing.assert_array_equal(model.predict_proba(unknown), model.predict_proba(empty))


@both
def test_rows_of_no_weight_are_absent(make):
    X, y = numbers(240)
    weights = np.ones(240)
    weights[::10] = 0.0
    changed = X.copy()
    changed[::10] = 99.0
    model, other = make().fit(X, y, weights), make().fit(changed, y, weights)
    np.testing.assert_array_equal(model.predict_proba(X), other.predict_proba(X))
    assert model.threshold_ == other.threshold_


@both
def test_weights_draw_scores_towards_their_rows(make):
    X, y = numbers(300)
    heavy = np.where(y == 1, 8.0, 1.0)
    plain, weighted = make(rule=None).fit(X, y), make(rule=None).fit(X, y, heavy)
    assert weighted.predict_proba(X)[:, 1].mean() > 1.5 * plain.predict_proba(X)[:, 1].mean()
    assert weighted.prior_ > plain.prior_


def test_a_tree_for_the_blend_leaves_its_scores_alone():
    X, y = numbers(200)
    model = ImbalancedBlendClassifier(("forest", "logistic"), n_estimators=3, random_state=0)
    model.fit(X, y)
    before = model.oob_decision_function_.copy()
    assert np.isnan(before).any()  # every one of three trees saw some of the rows
    model.to_tree(4)
    np.testing.assert_array_equal(model.oob_decision_function_, before)


def test_members_that_cannot_be_are_left_out_and_said(no_lightgbm):
    X, y = numbers(120)
    model = ImbalancedBlendClassifier(n_estimators=9, max_svm_rows=100, random_state=0)
    with pytest.warns(UserWarning, match=r"without its member 'boosted'.*thresher\[boost\]"):
        model.fit(X, y)
    assert model.members_ == ("forest", "random_cuts", "logistic")
    assert set(model.left_out_) == {"svm", "boosted"}
    assert "max_svm_rows=100" in model.left_out_["svm"]
    with pytest.raises(MissingPackageError, match=r"thresher\[boost\]"):
        BoostedTreesClassifier().fit(X, y)
    with pytest.raises(ParameterError, match="No member is left"):
        ImbalancedBlendClassifier(("svm",), max_svm_rows=100).fit(X, y)


@pytest.mark.parametrize(
    ("parameters", "error", "words"),
    [
        ({"members": "forest"}, TypeError, "members must be a list of names"),
        ({"members": ()}, ValueError, "members must be different names, at least one"),
        ({"members": ("svm", "svm")}, ValueError, "members must be different names"),
        ({"members": ("svn",)}, ValueError, "members='svn' is unknown.*did you mean 'svm'"),
        ({"n_estimators": 0}, ValueError, "n_estimators must be"),
        ({"max_svm_rows": -1}, ValueError, "max_svm_rows must be at least 0"),
        ({"cv": 1}, ValueError, "cv must be from 2"),
        ({"rule": "f2"}, ValueError, "rule='f2' is unknown"),
    ],
)
def test_parameters_out_of_range(parameters, error, words):
    X, y = numbers(60)
    with pytest.raises(error, match=words):
        ImbalancedBlendClassifier(**parameters).fit(X, y)


def test_one_row_of_a_class_is_too_few():
    X, y = numbers(60)
    y[:] = 0
    y[4] = 1
    with pytest.raises(NoVotesError, match="two rows of each class"):
        ImbalancedBlendClassifier(("logistic",)).fit(X, y)
