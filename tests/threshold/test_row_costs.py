"""Costs of rows: every decision beside brute force, and what must be refused."""

import numpy as np
import pytest
import sklearn
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from tests.table_factory import Table
from thresher import ImbalancedForestClassifier, ThresholdClassifier
from thresher.threshold.by_row import RowCosts


@pytest.fixture(scope="module")
def table():
    X, y = Table(rows=800, columns=6, noise=1.0).numpy()
    random = np.random.default_rng(0)
    return X, y, random.uniform(0.5, 3.0, len(y)), random.lognormal(2.0, 1.0, len(y))


def cheapest(p, cost_fp, cost_fn, gain_tp=0.0, gain_tn=0.0):
    """The decision with the least expected cost, found by trying both in each row."""
    decisions = []
    for one, fp, fn in zip(p, cost_fp, cost_fn, strict=True):
        alert = (1.0 - one) * fp - one * gain_tp
        silence = one * fn - (1.0 - one) * gain_tn
        decisions.append(bool(alert < silence))
    return np.array(decisions)


@pytest.mark.parametrize("gains", [{}, {"gain_tp": 2.0, "gain_tn": 0.3}])
@pytest.mark.parametrize("kind", ["wrapped", "forest"])
def test_every_row_gets_the_cheaper_decision(table, kind, gains):
    X, y, cost_fp, cost_fn = table
    settings = {"rule": "cost", "n_bootstrap": 0, "random_state": 0, **gains}
    if kind == "forest":
        model = ImbalancedForestClassifier(25, **settings)
    else:
        model = ThresholdClassifier(LogisticRegression(), **settings)
    model.fit(X, y, cost_fp=cost_fp, cost_fn=cost_fn)
    found = model.predict(X, cost_fp=cost_fp, cost_fn=cost_fn) == 1
    p = model.predict_proba(X)[:, 1]
    np.testing.assert_array_equal(found, cheapest(p, cost_fp, cost_fn, **gains))
    assert 0 < found.sum() < len(y)
    assert (found != (model.predict(X) == 1)).any()


@pytest.mark.parametrize("rule", ["cost", "budget"])
def test_one_cost_for_all_rows_decides_as_the_parameters_do(table, rule):
    X, y, *_ = table
    settings = {"n_bootstrap": 0, "per_1000": 40 if rule == "budget" else None}
    plain = ThresholdClassifier(LogisticRegression(), rule, cost_fp=2.0, cost_fn=60.0, **settings)
    expected = plain.fit(X, y).predict(X)
    own = ThresholdClassifier(LogisticRegression(), rule, **settings)
    own.fit(X, y, cost_fp=np.full(len(y), 2.0), cost_fn=60.0)
    assert plain.threshold_ == plain.cuts_of(X, len(y))
    if rule == "cost":
        cuts = own.cuts_of(X, len(y), np.full(len(y), 2.0), 60.0)
        assert cuts.tolist() == [plain.threshold_] * len(y)
    np.testing.assert_array_equal(own.predict(X, cost_fp=2.0, cost_fn=60.0), expected)


def test_a_row_without_costs_has_those_of_the_parameters(table):
    X, y, _, cost_fn = table
    model = ThresholdClassifier(LogisticRegression(), "cost", cost_fp=5.0, n_bootstrap=0)
    model.fit(X, y, cost_fn=cost_fn)
    p = model.predict_proba(X)[:, 1]
    expected = cheapest(p, np.full(len(y), 5.0), cost_fn)
    np.testing.assert_array_equal(model.predict(X, cost_fn=cost_fn) == 1, expected)
    np.testing.assert_array_equal(model.predict(X) == 1, p > 5.0 / 6.0)


@pytest.mark.parametrize("per_1000", [5.0, 30.0, 1000.0])
def test_a_budget_is_spent_on_the_largest_savings(table, per_1000):
    X, y, cost_fp, cost_fn = table
    prefit = LogisticRegression().fit(X, y)
    model = ThresholdClassifier(prefit, "budget", per_1000=per_1000, cv="prefit", n_bootstrap=0)
    model.fit(X, y, cost_fp=cost_fp, cost_fn=cost_fn)
    alert = model.predict(X, cost_fp=cost_fp, cost_fn=cost_fn) == 1
    p = prefit.predict_proba(X)[:, 1]
    saving = p * cost_fn - (1.0 - p) * cost_fp
    most = int(per_1000 * len(y) / 1000)
    best = np.argsort(-saving)[:most]
    expected = set(best[saving[best] > 0].tolist())
    assert set(np.flatnonzero(alert).tolist()) == expected


def test_savings_spend_a_budget_better_than_probabilities(table):
    X, y, cost_fp, cost_fn = table
    model = ThresholdClassifier(LogisticRegression(), "budget", per_1000=30, n_bootstrap=0)
    model.fit(X, y, cost_fp=cost_fp, cost_fn=cost_fn)
    costs, truth = RowCosts(cost_fp, cost_fn), y == 1
    by_saving = costs.spent(model.predict(X, cost_fp=cost_fp, cost_fn=cost_fn) == 1, truth).sum()
    assert by_saving < costs.spent(model.predict(X) == 1, truth).sum()


def test_a_moved_prior_chooses_savings_anew(table):
    X, y, cost_fp, cost_fn = table
    model = ThresholdClassifier(LogisticRegression(), "budget", per_1000=30, n_bootstrap=0)
    model.fit(X, y, cost_fp=cost_fp, cost_fn=cost_fn)
    before = model.row_cuts_.least_saving
    assert model.adjust_prior(0.3).row_cuts_.least_saving > before


def test_a_row_that_costs_nothing_raises_no_alert():
    costs = RowCosts(np.array([0.0, 0.0]), np.array([0.0, 1.0]))
    assert costs.cuts().tolist() == [1.0, 0.0]


def test_the_curve_counts_the_costs_of_rows(table):
    X, y, cost_fp, cost_fn = table
    model = ThresholdClassifier(LogisticRegression(), "cost", n_bootstrap=0)
    curve = model.fit(X, y, cost_fp=cost_fp, cost_fn=cost_fn).curve_
    state = model.threshold_state_
    truth, costs = state.is_positive, state.costs
    for place in (0, len(curve) // 3, len(curve) - 2, len(curve) - 1):
        alert = state.scores > curve["threshold"][place]
        spent = costs.fp[alert & ~truth].sum() + costs.fn[~alert & truth].sum()
        assert curve["expected_cost"][place] == pytest.approx(spent / len(y))


def test_costs_are_routed(table):
    X, y, cost_fp, cost_fn = table
    with sklearn.config_context(enable_metadata_routing=True):
        model = ThresholdClassifier(LogisticRegression(), "cost", n_bootstrap=0)
        model.set_fit_request(cost_fp=True, cost_fn=True)
        model.set_predict_request(cost_fp=True, cost_fn=True)
        whole = make_pipeline(StandardScaler(), model)
        whole.fit(X, y, cost_fp=cost_fp, cost_fn=cost_fn)
        found = whole.predict(X, cost_fp=cost_fp, cost_fn=cost_fn)
        p = whole.predict_proba(X)[:, 1]
        direct = ThresholdClassifier(LogisticRegression(), "cost", n_bootstrap=0)
        direct.fit(X, y, cost_fn=cost_fn).predict(X, cost_fn=cost_fn)
    np.testing.assert_array_equal(found == 1, cheapest(p, cost_fp, cost_fn))


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"cost_fn": [1.0, -2.0]}, "cost_fn must be finite and not negative, got -2.0 in row 1"),
        ({"cost_fp": [np.nan, 2.0]}, "cost_fp must be finite and not negative, got nan in row 0"),
        ({"cost_fp": [1.0, 2.0, 3.0]}, "cost_fp must be a number, or one for each of the 2 rows"),
        ({"cost_fn": ["a", "b"]}, "cost_fn must hold numbers, got 'a'"),
    ],
)
def test_costs_that_are_none_are_refused(table, given, sentence):
    X, y, *_ = table
    model = ThresholdClassifier(LogisticRegression(), "cost", n_bootstrap=0).fit(X, y)
    with pytest.raises((ValueError, TypeError), match=sentence):
        model.predict(X[:2], **given)


def test_rules_that_have_no_use_for_costs_of_rows_refuse_them(table):
    X, y, _, cost_fn = table
    model = ThresholdClassifier(LogisticRegression(), "f1", n_bootstrap=0)
    with pytest.raises(ValueError, match="for the rules 'cost' and 'budget', got rule='f1'"):
        model.fit(X, y, cost_fn=cost_fn)
    with pytest.raises(ValueError, match="for the rules 'cost' and 'budget'"):
        model.fit(X, y).predict(X, cost_fn=cost_fn)
    budget = ThresholdClassifier(LogisticRegression(), "budget", per_1000=50, n_bootstrap=0)
    with pytest.raises(ValueError, match="chosen without the costs of rows"):
        budget.fit(X, y).predict(X, cost_fn=cost_fn)
