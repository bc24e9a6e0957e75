"""The threshold chosen on out-of-bag votes: each rule, and what it promises on new rows."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.metrics import f1_score

from tests.figures import words_in
from tests.forest.tables import rare
from thresher import ImbalancedForestClassifier
from thresher.threshold.search import ScoredRows

X, Y = rare(1000)
X_NEW = rare(500, seed=9)[0]


def forest_of(n_estimators=60, **parameters):
    settings = {"random_state": 0, "n_bootstrap": 0, "pos_label": 1, **parameters}
    return ImbalancedForestClassifier(n_estimators, **settings)


def specificity_and_recall(tn, fp, fn, tp):
    return tp / (tp + fn) + tn / (tn + fp)


RULES = {
    "prior": {},
    "cost": {"cost_fn": 9.0},
    "f1": {},
    "fbeta": {"beta": 2.0},
    "bcr": {},
    "gmean": {},
    "mcc": {},
    "precision_at_recall": {"floor": 0.8},
    "recall_at_precision": {"floor": 0.7},
    "budget": {"per_1000": 50},
    specificity_and_recall: {},
    None: {},
}


@pytest.mark.parametrize("weights", [None, np.random.default_rng(0).random(1000) + 0.5])
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: getattr(rule, "__name__", str(rule)))
def test_each_rule_chooses_on_the_out_of_bag_votes(rule, weights):
    """The rules themselves are tested beside their formulas; here: that they see these rows."""
    model = forest_of(rule=rule, n_bootstrap=5, **RULES[rule]).fit(X, Y, weights)
    rows = ScoredRows.of(
        model.oob_decision_function_[:, 1], Y.astype(bool), weights, is_probability=True
    )
    share = np.average(Y, weights=weights)
    chosen = model.checked_rule().choose(rows.cuts(), share)
    assert model.threshold_ == pytest.approx(chosen, abs=1e-12)
    assert model.prior_ == pytest.approx(share)
    assert (model.threshold_interval_ is None) == (rule is None)
    expected = np.where(model.predict_proba(X_NEW)[:, 1] > model.threshold_, 1, 0)
    np.testing.assert_array_equal(model.predict(X_NEW), expected)


def test_rules_without_votes():
    for rule, threshold in ((None, 0.5), ("cost", 0.1), ("prior", Y.mean())):
        costs = {"cost_fn": 9.0} if rule == "cost" else {}
        model = forest_of(5, bootstrap=False, rule=rule, **costs).fit(X, Y)
        assert model.threshold_ == pytest.approx(threshold)
        assert model.threshold_interval_ is None
        for attribute in ("curve_", "oob_decision_function_"):
            assert not hasattr(model, attribute)
        with pytest.raises(AttributeError, match="no curve without out-of-bag votes; choose boot"):
            _ = model.curve_
        assert model.adjust_prior(0.3).prior_ == 0.3
        assert model.threshold_ == pytest.approx(0.3 if rule == "prior" else threshold)


@pytest.mark.parametrize(
    ("make", "kind"),
    [(np.asarray, pd.DataFrame), (pd.DataFrame, pd.DataFrame), (pl.from_pandas, pl.DataFrame),
     (pa.Table.from_pandas, pa.Table)],
)  # fmt: skip
def test_the_curve_is_a_frame_of_the_library_of_x(make, kind):
    frame = pd.DataFrame(X, columns=list("abcde"))
    table = make(frame) if make is not pd.DataFrame else frame
    curve = forest_of(20).fit(table, Y).curve_
    assert isinstance(curve, kind)
    f1 = np.asarray(curve["f1"])
    assert 0.3 < f1.max() <= 1
    assert (np.diff(np.asarray(curve["threshold"])) > 0).all()


def test_the_interval_holds_the_threshold_and_follows_the_seed():
    model = forest_of(n_bootstrap=200, rule="prior").fit(X, Y)
    low, high = model.threshold_interval_
    spread = 1.96 * np.sqrt(Y.mean() * (1 - Y.mean()) / len(Y))
    assert (low, high) == pytest.approx((Y.mean() - spread, Y.mean() + spread), abs=0.004)
    tuned = [forest_of(n_bootstrap=50).fit(X, Y).threshold_interval_ for _ in range(2)]
    assert tuned[0] == tuned[1]
    assert tuned[0][0] < tuned[0][1]


def test_the_curve_is_drawn():
    assert "precision" in words_in(forest_of(20, n_bootstrap=20).fit(X, Y).plot_curve())


# ------------------------------------------------------------------------------ against the truth


def two_clouds(n_rows, seed):
    """Two normal clouds of six columns, 5 % of the rows in the smaller one."""
    random = np.random.default_rng(seed)
    y = (random.random(n_rows) < 0.05).astype(int)
    shift = np.array([1.6, 1.2, 0.8, 0.4, 0.0, 0.0])
    return random.normal(size=(n_rows, 6)) + y[:, None] * shift, y


HOLD_OUT = two_clouds(200_000, seed=99)


def over_estimate(n_rows, n_estimators, bootstrap, seed, n_new=200_000):
    """Return how far F1 out of bag is above F1 of the same threshold on new rows."""
    model = ImbalancedForestClassifier(
        n_estimators, bootstrap=bootstrap, random_state=seed, n_bootstrap=0, max_bins=64
    ).fit(*two_clouds(n_rows, seed))
    truth = f1_score(HOLD_OUT[1][:n_new], model.predict(HOLD_OUT[0][:n_new]))
    return model.curve_["f1"].max() - truth


@pytest.mark.parametrize("bootstrap", ["plain", "stratified", "balanced"])
def test_the_out_of_bag_f1_holds_on_new_rows(bootstrap):
    """2,000 positives: each single estimate is within .03 of the truth."""
    differences = [over_estimate(40_000, 60, bootstrap, seed) for seed in range(2)]
    assert np.abs(differences).max() < 0.03, differences


@pytest.mark.parametrize("bootstrap", ["plain", "stratified", "balanced"])
def test_the_out_of_bag_f1_of_few_positives_is_right_on_average(bootstrap):
    """200 positives: one estimate strays by .03 (one sigma) as F1 of 200 positives does."""
    differences = [over_estimate(4000, 100, bootstrap, seed, n_new=50_000) for seed in range(8)]
    assert abs(np.mean(differences)) < 0.03, differences
    assert np.std(differences) < 0.05


# ------------------------------------------------------------------------- another share of rows


@pytest.mark.parametrize("parameters", [{"bootstrap": "balanced"}, {"class_weight": "balanced"}])
def test_correct_prior_restores_the_mean_probability(parameters):
    table, y = two_clouds(4000, 0)
    shared = {"smoothing": "laplace", "rule": "bcr", **parameters}
    bent = forest_of(100, **shared).fit(table, y)
    straight = forest_of(100, correct_prior=True, **shared).fit(table, y)
    rows = HOLD_OUT[0][:20_000]
    assert bent.predict_proba(rows)[:, 1].mean() > y.mean() + 0.02
    assert straight.predict_proba(rows)[:, 1].mean() == pytest.approx(y.mean(), abs=0.01)
    scores = straight.threshold_state_.scored_rows(is_probability=True)
    counts = np.bincount(scores.codes // 2)
    assert np.average(scores.scores, weights=counts) == pytest.approx(y.mean(), abs=1e-6)
    # The order of rows is that of before, so the same decisions can be had.
    np.testing.assert_array_equal(straight.predict(rows), bent.predict(rows))


def test_moving_to_another_share_of_positives():
    table, y = two_clouds(4000, 1)
    model = forest_of(100, rule="f1").fit(table, y)
    rows, labels = HOLD_OUT
    new = np.concatenate([rows[labels == 1][:3000], rows[labels == 0][:7000]])
    new_y = np.repeat([1, 0], [3000, 7000])
    before = f1_score(new_y, model.predict(new))
    assert model.estimate_prior(new) == pytest.approx(0.3, abs=0.05)
    p = model.predict_proba(new)[:, 1]
    old_threshold = model.threshold_
    assert model.adjust_prior(0.3) is model
    moved = model.predict_proba(new)[:, 1]
    positive, negative = 0.3 / y.mean() * p, 0.7 / (1 - y.mean()) * (1 - p)
    np.testing.assert_allclose(moved, positive / (positive + negative), atol=1e-12)
    assert f1_score(new_y, model.predict(new)) > before
    share = (model.curve_["tp"] + model.curve_["fn"]) / model.curve_[["tp", "fp", "tn", "fn"]].sum(
        axis=1
    )
    np.testing.assert_allclose(share, 0.3)
    assert model.adjust_prior(y.mean()).threshold_ == pytest.approx(old_threshold)
    np.testing.assert_allclose(model.predict_proba(new)[:, 1], p, atol=1e-12)
