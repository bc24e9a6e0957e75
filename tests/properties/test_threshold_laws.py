"""Laws of the threshold search and of shifts of the prior."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from thresher.threshold.counts import Costs
from thresher.threshold.prior_shift import matching_factor, scale_odds, shift
from thresher.threshold.rules import make_rule
from thresher.threshold.search import ScoredRows

unhurried = settings(deadline=None)  # a busy machine breaks no law

RATES = st.floats(0.001, 0.999)
RULES = st.sampled_from(["f1", "bcr", "gmean", "mcc"])


@st.composite
def scored_rows(draw):
    """Scores on a coarse grid, so that ties are common, and both classes."""
    rows = draw(
        st.lists(st.tuples(st.integers(0, 20), st.booleans(), st.integers(1, 4)), min_size=2)
    )
    scores, is_positive, weights = (np.array(column) for column in zip(*rows, strict=True))
    assume(0 < is_positive.sum() < len(is_positive))
    return scores / 20, is_positive, weights.astype(float)


def choose(rule, rows):
    return make_rule(rule).choose(ScoredRows.of(*rows).cuts())


def value_at_choice(rule, rows):
    cuts = ScoredRows.of(*rows).cuts()
    chosen = np.flatnonzero(cuts.edges[:-1] <= make_rule(rule).choose(cuts))[-1]
    return make_rule(rule).objective(cuts.counts)[chosen]


@unhurried
@given(scored_rows(), RULES)
def test_weights_are_repeated_rows(rows, rule):
    scores, is_positive, weights = rows
    counts = weights.astype(int)
    repeated = np.repeat(scores, counts), np.repeat(is_positive, counts)
    assert choose(rule, rows) == choose(rule, repeated)


@unhurried
@given(scored_rows(), RULES, st.randoms(use_true_random=False))
def test_order_of_rows_does_not_matter(rows, rule, random):
    order = np.array(random.sample(range(len(rows[0])), len(rows[0])))
    assert choose(rule, rows) == choose(rule, [column[order] for column in rows])


@unhurried
@given(scored_rows(), RULES)
def test_only_the_order_of_scores_matters_for_the_metric(rows, rule):
    """Up to rounding: cuts that are equally good may differ in the last digits of their value."""
    scores, is_positive, weights = rows
    value = value_at_choice(rule, (scores**3, is_positive, weights))
    assert value_at_choice(rule, rows) == pytest.approx(value, rel=1e-12)


@unhurried
@given(scored_rows(), RULES)
def test_no_threshold_is_better(rows, rule):
    best = make_rule(rule).objective(ScoredRows.of(*rows).cuts().counts).max()
    assert value_at_choice(rule, rows) >= best - 1e-12


@unhurried
@given(scored_rows())
def test_counts_always_add_up(rows):
    _, is_positive, weights = rows
    counts = ScoredRows.of(*rows).cuts().counts
    assert (counts.tp + counts.fn == weights[is_positive].sum()).all()
    assert (counts.tn + counts.fp == weights[~is_positive].sum()).all()
    assert (np.diff(counts.tp) <= 0).all()
    assert (np.diff(counts.fp) <= 0).all()


@unhurried
@given(st.floats(0, 1), RATES, RATES, RATES)
def test_shifts_follow_one_another(p, first, second, third):
    through = shift(shift([p], first, second), second, third)
    np.testing.assert_allclose(through, shift([p], first, third), rtol=1e-6, atol=1e-9)


@unhurried
@given(RATES, RATES)
def test_a_rate_is_shifted_to_the_new_rate(old, new):
    np.testing.assert_allclose(shift([old], old, new), [new], rtol=1e-9)


@unhurried
@given(st.lists(st.floats(0.01, 0.99), min_size=1), RATES)
def test_matched_mean_is_the_rate(p, rate):
    scores = np.array(p)
    np.testing.assert_allclose(
        scale_odds(scores, matching_factor(scores, rate)).mean(), rate, rtol=1e-6
    )


@unhurried
@given(*[st.floats(0, 100)] * 4)
def test_at_elkans_threshold_alert_and_silence_cost_the_same(fp, fn, gain_tp, gain_tn):
    assume(fp + fn + gain_tp + gain_tn > 0.01)
    t = Costs(fp, fn, gain_tp, gain_tn).threshold
    alert, silence = (1 - t) * fp - t * gain_tp, t * fn - (1 - t) * gain_tn
    np.testing.assert_allclose(alert, silence, atol=1e-9)
