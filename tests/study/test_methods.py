import pickle
import sys
from functools import partial

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score, f1_score, roc_auc_score
from sklearn.utils import get_tags

from thresher import (
    AlphaTreesClassifier,
    ImbalancedTreeClassifier,
    LeastSquaresClassifier,
    ThresholdClassifier,
)
from thresher.cli.comparison import TUNED_METHODS, fill_missing
from thresher.study import METHODS, PAPER_METHODS

X, NOISE = np.split(np.random.default_rng(3).normal(size=(300, 6)), [5], axis=1)
Y = (X @ [1.0, 1.0, 0.0, 0.0, 0.0] + NOISE[:, 0] > 2.5).astype(int)

SAMPLED = [name for name in PAPER_METHODS if name.endswith("S") and "+CS" not in name]
DRAWING = [*SAMPLED, "Forest", "BalancedRF", "RandomForest"]


def predictions(name, random_state=0, X=X, y=Y):
    return METHODS[name](random_state=random_state).fit(X, y).predict(X)


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
def test_a_method_can_be_sent_to_another_process_and_cloned(name):
    factory = pickle.loads(pickle.dumps(METHODS[name]))
    np.testing.assert_array_equal(
        clone(factory(random_state=0)).fit(X, Y).predict(X), predictions(name)
    )


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
        with pytest.raises(ImportError, match=rf"{sentence}: pip install 'thresher\[study"):
            METHODS[name]()


# ------------------------------------------------------------- thresholds tuned alike, by a rule


def tuned(name, rule="f1"):
    return TUNED_METHODS[name](rule, random_state=0).fit(X, Y)


@pytest.mark.parametrize("name", TUNED_METHODS)
def test_a_tuned_method_decides_by_the_threshold_that_is_best_on_unseen_rows(name):
    model = tuned(name)
    scores = model.predict_proba(X)[:, 1]
    np.testing.assert_array_equal(model.predict(X), scores > model.threshold_)
    unseen = model.threshold_state_
    reached = [f1_score(unseen.is_positive, unseen.scores > cut) for cut in unseen.scores]
    assert f1_score(unseen.is_positive, unseen.scores > model.threshold_) == max(reached)


@pytest.mark.parametrize("name", ["forest", "logistic regression"])
def test_a_rule_gets_what_it_is_after(name):
    random = np.random.default_rng(5)
    new, noise = random.normal(size=(4000, 5)), random.normal(size=4000)
    truth = new[:, 0] + new[:, 1] + noise > 2.5
    f1, bcr = (tuned(name, rule).predict(new) for rule in ("f1", "bcr"))
    assert f1_score(truth, f1) > f1_score(truth, bcr)
    assert balanced_accuracy_score(truth, bcr) > balanced_accuracy_score(truth, f1)


@pytest.mark.parametrize("name", TUNED_METHODS)
def test_missing_values_are_read_or_filled(name):
    gaps = np.where(np.random.default_rng(0).random(X.shape) < 0.1, np.nan, X)
    factory = partial(TUNED_METHODS[name], "f1")
    model = fill_missing(pickle.loads(pickle.dumps(factory)), random_state=0)
    assert set(model.fit(gaps, Y).predict(gaps)) == {0, 1}
    assert hasattr(model, "steps") != get_tags(factory()).input_tags.allow_nan


def test_rules_of_the_command_line_are_metrics():
    from thresher.cli.compare import RULES
    from thresher.study import METRICS

    assert set(RULES) <= set(METRICS)
