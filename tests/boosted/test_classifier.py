"""Boosted trees: LightGBM's own models by hand, held-out scores, and what is refused."""

import builtins

import lightgbm
import numpy as np
import pytest
from scipy.special import expit, logit

from tests.boosted.tables import levels, numbers
from thresher import BoostedTreesClassifier
from thresher.boosted.classifier import deal_folds
from thresher.errors import MissingPackageError, NoVotesError
from thresher.tree.sample import Rows

SEED = 11


def make(**more):
    return BoostedTreesClassifier(30, n_bootstrap=5, random_state=3, **more)


def folds_of(y, cv=5, seed=SEED):
    return deal_folds(Rows(np.zeros((len(y), 1)), y.astype(np.uint8), None), cv, seed)


def test_the_mean_of_the_margins_of_lightgbm_by_hand():
    (X, y), X_new = numbers(400), numbers(200, seed=1).X
    model = BoostedTreesClassifier(random_state=SEED).fit(X, y)
    fold, held_out, margins = folds_of(y), np.empty(len(y)), []
    for held in range(5):
        original = lightgbm.LGBMClassifier(
            n_estimators=150,
            learning_rate=0.05,
            num_leaves=8,
            min_child_samples=5,
            colsample_bytree=0.5,
            subsample=0.8,
            subsample_freq=1,
            random_state=SEED + held,
            n_jobs=1,
            deterministic=True,
            force_row_wise=True,
            verbosity=-1,
        ).fit(X[fold != held], y[fold != held])
        held_out[fold == held] = original.predict_proba(X[fold == held])[:, 1]
        margins.append(original.predict(X_new, raw_score=True))
    found = model.predict_proba(X_new)[:, 1]
    np.testing.assert_allclose(found, expit(np.mean(margins, axis=0)), atol=1e-12)
    np.testing.assert_allclose(model.oob_decision_function_[:, 1], held_out, atol=1e-12)
    np.testing.assert_allclose(model.contributions(X_new).sum(axis=1), logit(found), atol=1e-9)


def test_levels_and_missing_values():
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


def test_threads_change_nothing():
    X, y = levels()
    one, two = make().fit(X, y), make(n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(one.oob_decision_function_, two.oob_decision_function_)
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))
    assert one.threshold_ == two.threshold_


# ---------------------------------------------------------------- weights, held-out rows


def test_rows_of_no_weight_are_absent():
    X, y = numbers(240)
    weights = np.ones(240)
    weights[::10] = 0.0
    changed = X.copy()
    changed[::10] = 99.0
    model, other = make().fit(X, y, weights), make().fit(changed, y, weights)
    np.testing.assert_array_equal(model.predict_proba(X), other.predict_proba(X))
    assert model.threshold_ == other.threshold_


def test_weights_draw_scores_towards_their_rows():
    X, y = numbers(300)
    heavy = np.where(y == 1, 8.0, 1.0)
    plain, weighted = make(rule=None).fit(X, y), make(rule=None).fit(X, y, heavy)
    assert weighted.predict_proba(X)[:, 1].mean() > 1.5 * plain.predict_proba(X)[:, 1].mean()
    assert weighted.prior_ > plain.prior_


def test_a_label_does_not_change_the_score_of_its_own_row():
    X, y = numbers(200)
    # A row that changes its class stays in its fold if the others of both classes do.
    fold = folds_of(y, seed=3)
    row = int(np.flatnonzero((fold == fold.max()) & (y == 0))[-1])
    scores = make(rule=None).fit(X, y).oob_decision_function_[:, 1]
    other = make(rule=None).fit(np.where(np.arange(200)[:, None] == row, 9.0, X), y)
    same = other.oob_decision_function_[:, 1] == scores
    assert same[(fold == fold[row]) & (np.arange(200) != row)].all()
    assert not same[fold != fold[row]].all()


def test_labels_without_a_pattern_are_not_found_again():
    random = np.random.default_rng(3)
    X, y = random.normal(size=(600, 5)), (np.arange(600) % 3 == 0).astype(int)
    model = make(rule=None).fit(X, y)

    def area(scores):
        rank = np.argsort(np.argsort(scores))
        return (rank[y == 1].mean() - (200 - 1) / 2) / 400

    held_out = area(model.oob_decision_function_[:, 1])
    assert abs(held_out - 0.5) < 0.08  # standard error .025
    assert area(model.predict_proba(X)[:, 1]) > held_out + 0.02  # rows that it did see


def test_every_fold_has_rows_of_both_classes():
    random = np.random.default_rng(0)
    for n_positive in (2, 3, 7, 40):
        y = np.zeros(90, dtype=np.uint8)
        y[random.choice(90, n_positive, replace=False)] = 1
        fold = folds_of(y, seed=1)
        counts = np.array([np.bincount(fold, y == label) for label in (0, 1)])
        assert (np.ptp(counts, axis=1) <= 1).all()
        assert counts.min() > 0
        assert counts.shape[1] == min(5, n_positive)


# ---------------------------------------------------------------------------------- refusals


def test_lightgbm_is_asked_for(monkeypatch):
    original = builtins.__import__

    def without(name, *args, **more):
        if name == "lightgbm":
            raise ImportError(name)
        return original(name, *args, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingPackageError, match=r"thresher\[boost\]"):
        make().fit(*numbers(120))


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"n_estimators": 0}, "n_estimators must be"),
        ({"cv": 1}, "cv must be from 2"),
        ({"rule": "f2"}, "rule='f2' is unknown"),
        ({"max_samples": 0.0}, "max_samples must be"),
    ],
)
def test_parameters_out_of_range(parameters, words):
    with pytest.raises(ValueError, match=words):
        BoostedTreesClassifier(**parameters).fit(*numbers(60))


def test_one_row_of_a_class_is_too_few():
    X, y = numbers(60)
    y[:] = 0
    y[4] = 1
    with pytest.raises(NoVotesError, match="two rows of each class"):
        BoostedTreesClassifier().fit(X, y)
