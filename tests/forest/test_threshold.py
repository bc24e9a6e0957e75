"""The threshold chosen on out-of-bag votes: each rule, and what it promises on new rows."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.metrics import average_precision_score, f1_score

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
@pytest.mark.parametrize("rule", RULES, ids=str)
def test_each_rule_chooses_on_the_out_of_bag_votes(rule, weights):
    """The rules themselves are tested beside their formulas; here: that they see these rows."""
    model = forest_of(rule=rule, n_bootstrap=5, **RULES[rule]).fit(X, Y, weights)
    rows = ScoredRows.of(
        model.oob_decision_function_[:, 1], Y.astype(bool), weights, is_probability=True
    )
    share = np.average(Y, weights=weights)
    chosen = model._checked_rule().choose(rows.cuts(), share)
    assert model.threshold_ == pytest.approx(chosen, abs=1e-15)
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
    pytest.importorskip("matplotlib").use("agg")
    figure = forest_of(20, n_bootstrap=20).fit(X, Y).plot_curve()
    assert figure.axes


# ------------------------------------------------------------------------------ against the truth


def two_clouds(n_rows, seed):
    """Two normal clouds of six columns, 5 % of the rows in the smaller one."""
    random = np.random.default_rng(seed)
    y = (random.random(n_rows) < 0.05).astype(int)
    shift = np.array([1.6, 1.2, 0.8, 0.4, 0.0, 0.0])
    return random.normal(size=(n_rows, 6)) + y[:, None] * shift, y


HOLD_OUT = two_clouds(200_000, seed=99)


@pytest.mark.parametrize("bootstrap", ["plain", "stratified", "balanced"])
def test_the_out_of_bag_estimate_holds_on_new_rows(bootstrap):
    """F1 within .03 of that of 200,000 new rows; an estimate on seen rows would be near 1."""
    differences = []
    for seed in range(3):
        table, y = two_clouds(4000, seed)
        model = ImbalancedForestClassifier(
            100, bootstrap=bootstrap, rule="f1", random_state=seed, n_bootstrap=0, max_bins=64
        ).fit(table, y)
        estimate = model.curve_["f1"].max()
        p = model.predict_proba(HOLD_OUT[0])[:, 1]
        truth = f1_score(HOLD_OUT[1], p > model.threshold_)
        differences.append(estimate - truth)
        alone = model.oob_decision_function_[:, 1]
        ranking = average_precision_score(y, alone) - average_precision_score(HOLD_OUT[1], p)
        assert abs(ranking) < 0.05
        # Nearly nothing is lost by a threshold chosen on 4,000 rows instead of 200,000.
        best = max(
            f1_score(HOLD_OUT[1], p > cut) for cut in np.quantile(p, np.linspace(0.9, 0.99, 19))
        )
        assert truth > best - 0.03
    assert np.abs(differences).max() < 0.03, differences


# ------------------------------------------------------------------------- another share of rows


@pytest.mark.parametrize("parameters", [{"bootstrap": "balanced"}, {"class_weight": "balanced"}])
def test_correct_prior_restores_the_mean_probability(parameters):
    table, y = two_clouds(4000, 0)
    shared = {"smoothing": "laplace", "rule": "bcr", **parameters}
    bent = forest_of(100, **shared).fit(table, y)
    straight = forest_of(100, correct_prior=True, **shared).fit(table, y)
    rows = HOLD_OUT[0][:20_000]
    assert bent.predict_proba(rows)[:, 1].mean() > 2.5 * y.mean()
    assert straight.predict_proba(rows)[:, 1].mean() == pytest.approx(y.mean(), abs=0.01)
    scores = straight._scored_rows(straight._factor, straight.prior_)
    counts = np.bincount(scores.codes // 2)
    assert np.average(scores.scores, weights=counts) == pytest.approx(y.mean(), abs=1e-6)
    # The order of rows is that of before, so the same decisions can be had.
    np.testing.assert_array_equal(straight.predict(rows), bent.predict(rows))


def test_moving_to_another_share_of_positives():
    table, y = two_clouds(4000, 1)
    model = forest_of(100, rule="f1", smoothing="laplace").fit(table, y)
    random = np.random.default_rng(0)
    rows, labels = HOLD_OUT
    positives = rows[labels == 1][:3000]
    new = np.concatenate([positives, rows[labels == 0][:7000]])
    new_y = np.repeat([1, 0], [3000, 7000])
    before = f1_score(new_y, model.predict(new))
    assert model.estimate_prior(new[random.permutation(10_000)]) == pytest.approx(0.3, abs=0.06)
    p = model.predict_proba(new)[:, 1]
    old_threshold = model.threshold_
    assert model.adjust_prior(0.3) is model
    moved = model.predict_proba(new)[:, 1]
    odds = (p / (1 - p)) * (0.3 / 0.7) / (y.mean() / (1 - y.mean()))
    np.testing.assert_allclose(moved, odds / (1 + odds), atol=1e-12)
    assert f1_score(new_y, model.predict(new)) > before
    share = (model.curve_["tp"] + model.curve_["fn"]) / model.curve_[["tp", "fp", "tn", "fn"]].sum(
        axis=1
    )
    np.testing.assert_allclose(share, 0.3)
    assert model.adjust_prior(y.mean()).threshold_ == pytest.approx(old_threshold)
    np.testing.assert_allclose(model.predict_proba(new)[:, 1], p, atol=1e-12)
