"""Cuts of groups: shrunk by what the groups themselves tell, one rule for all."""

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from studies.groups.study import (
    KINDS,
    RULES,
    gains,
    interval,
    made_set,
    measured,
    model_of,
    runs,
)
from thresher import ImbalancedForestClassifier, ThresholdClassifier
from thresher.threshold.counts import Counts
from thresher.threshold.groups import Groups


def scored(seed, shifts, rows_of_group):
    random = np.random.default_rng(seed)
    codes = np.repeat(np.arange(len(shifts)), rows_of_group)
    z = random.normal(-2.5, 1.5, len(codes))
    truth = random.random(len(codes)) < expit(z + np.asarray(shifts)[codes])
    names = tuple("abcdefghij"[: len(shifts)])
    return Groups("site", names, codes, np.ones(len(shifts))), expit(z), truth


def test_groups_that_differ_by_chance_have_the_common_cut():
    hits = 0
    for seed in range(10):
        groups, scores, truth = scored(seed, [0.0] * 6, [400] * 6)
        hits += len({*groups.fitted(scores, truth, None).cuts(0.3)}) == 1
    assert hits >= 6


def test_factors_come_near_the_truth_and_less_so_for_small_groups():
    shifts = [1.5, -1.5, 1.5, -1.5]
    found = np.array(
        [
            np.log(groups.fitted(scores, truth, None).factors)
            for groups, scores, truth in (
                scored(seed, shifts, [3000, 3000, 40, 40]) for seed in range(8)
            )
        ]
    ).mean(axis=0)
    # How far the groups are apart; where the middle lies is for the common cut to say.
    assert abs(found[0] - found[1] - 3.0) < 0.3
    assert 0.3 < found[2] - found[3] < found[0] - found[1]


def test_shifts_are_the_most_likely_ones():
    """Of all groups at once, by an optimiser that knows nothing of the steps."""
    groups, scores, truth = scored(3, [1.0, 0.0, -1.0], [300, 200, 50])
    from thresher.threshold.groups import _Rows

    z = np.log(scores / (1.0 - scores))
    rows = _Rows(z, truth.astype(float), np.ones(len(z)), groups.codes, 3)
    width = 0.8

    def loss(shift):
        line = z + shift[groups.codes]
        return np.logaddexp(0.0, line).sum() - line[truth].sum() + (shift**2).sum() / (2 * width**2)

    best = minimize(loss, np.zeros(3), method="BFGS", options={"gtol": 1e-8}).x
    np.testing.assert_allclose(rows.shifts(width), best, atol=1e-5)


def test_the_cut_of_a_group_decides_as_the_threshold_on_scaled_scores():
    groups, scores, truth = scored(1, [1.0, -1.0, 0.0], [200, 200, 200])
    groups = groups.fitted(scores, truth, None)
    for threshold in (-0.5, 0.0, 0.02, 0.3, 0.97, 1.0):
        by_cut = scores > np.array(groups.cuts(threshold))[groups.codes]
        np.testing.assert_array_equal(by_cut, groups.scaled(scores) > threshold)


def test_a_budget_is_kept_on_the_rows_that_chose_it():
    for kind in KINDS:
        table, y, rows = made_set(kind, 0, unseen=10)
        model = model_of("budget", "site").fit(table[:rows], y[:rows])
        state = model.threshold_state_
        cuts = np.array([*model.thresholds_.values(), model.threshold_])[state.groups.codes]
        assert 1000.0 * (state.scores > cuts).mean() <= 60.0 + 1e-9


@pytest.mark.parametrize("kind", KINDS)
def test_unseen_rows_gain_where_groups_differ_and_lose_nothing_elsewhere(kind):
    """A small part of `make groups-study`."""
    table, y, rows = made_set(kind, 1, unseen=20_000)
    found = {}
    for by in (None, "site"):
        model = model_of("cost", by).fit(table[:rows], y[:rows])
        alert = model.predict(table[rows:]) == 1
        found[by], _ = measured("cost", Counts.of(alert, y[rows:] == 1))
    assert found["site"] >= found[None] - 0.01 * abs(found[None])
    if kind == "shares":
        assert found["site"] > found[None]


@pytest.mark.slow
def test_thirty_made_sets_are_not_worse_than_a_common_cut():
    columns = ["kind", "set", "rule", "way", "value", "alerts", "seconds"]
    found = pd.DataFrame(runs(10), columns=columns)
    for rule in RULES:
        assert interval(gains(found, rule))[1] > 0.0
        for kind in KINDS:
            assert interval(gains(found, rule, kind))[0] > -0.01
    alerts = found[found["rule"] == "budget"].groupby("way")["alerts"].mean()
    assert alerts["by group"] <= 61.0


@pytest.fixture(scope="module")
def table():
    made, y, rows = made_set("shares", 2, unseen=10)
    return made[:rows], y[:rows]


def test_unknown_and_missing_groups_have_the_common_cut(table):
    X, y = table
    model = model_of("f1", "site").fit(X, y)
    for site in ("nowhere", None):
        rows = X.assign(site=site)
        p = model.predict_proba(rows)[:, 1]
        np.testing.assert_array_equal(model.predict(rows) == 1, p > model.threshold_)
    margin = model.decision_function(X)
    np.testing.assert_array_equal(margin > 0, model.predict(X) == 1)


def test_groups_may_be_numbers_and_tables_of_any_library(table):
    import polars

    X, y = table
    number = X["site"].map({letter: float(place) for place, letter in enumerate("abcdefgh")})
    settings = {"rule": "f1", "threshold_by": "site", "random_state": 0, "n_bootstrap": 0}
    by_number = ImbalancedForestClassifier(10, **settings).fit(X.assign(site=number), y)
    assert by_number.thresholds_.keys() == {float(place) for place in range(8)}
    again = ImbalancedForestClassifier(10, **settings).fit(polars.from_pandas(X), y)
    here = ImbalancedForestClassifier(10, **settings).fit(X, y)
    assert again.thresholds_ == here.thresholds_
    np.testing.assert_array_equal(again.predict(polars.from_pandas(X)), here.predict(X))


def test_the_order_of_rows_does_not_matter_to_the_cuts(table):
    X, y = table
    prefit = model_of("f1", None).fit(X, y).estimator_
    order = np.random.default_rng(0).permutation(len(y))
    cuts = [
        ThresholdClassifier(prefit, "f1", cv="prefit", threshold_by="site", n_bootstrap=0)
        .fit(X.iloc[rows], y[rows])
        .thresholds_
        for rows in (np.arange(len(y)), order)
    ]
    assert cuts[0] == pytest.approx(cuts[1], rel=1e-9)


def test_what_cannot_be_is_said(table):
    X, y = table
    with pytest.raises(ValueError, match="X has no column 'machine'"):
        model_of("f1", "machine").fit(X, y)
    with pytest.raises(TypeError, match="threshold_by must be the name of a column, got 3"):
        model_of("f1", 3).fit(X, y)
    with pytest.raises(ValueError, match="threshold_by needs a rule"):
        ThresholdClassifier(LogisticRegression(), None, threshold_by="site").fit(X, y)
    with pytest.raises(ValueError, match="threshold_by needs probabilities"):
        ThresholdClassifier(LinearSVC(), "f1", threshold_by="site").fit(X, y)
    with pytest.raises(ValueError, match="give X as a data frame with it"):
        ThresholdClassifier(LogisticRegression(), "f1", threshold_by="x0").fit(X.to_numpy(), y)
    with pytest.raises(ValueError, match="which has 1 groups"):
        model_of("f1", "site").fit(X.assign(site="a"), y)
    with pytest.raises(ValueError, match="do not go with threshold_by"):
        model_of("cost", "site").fit(X, y, cost_fn=np.ones(len(y)))
    with pytest.raises(AttributeError, match="with threshold_by only"):
        _ = model_of("f1", None).fit(X, y).thresholds_
