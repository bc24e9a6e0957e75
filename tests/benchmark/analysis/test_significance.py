"""Ranks and tests against brute force, formulas written out, and scipy."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from thresher.benchmark.analysis.significance import (
    friedman,
    holm,
    rank_biserial,
    rank_methods,
    wilcoxon,
)
from thresher.statistics import holm_adjusted


def random_scores(rows, *advantages):
    """Return scores of as many methods as there are advantages, which are added to them."""
    noise = np.random.default_rng(rows).random((rows, len(advantages)))
    return noise + np.array(advantages)


# Few distinct values, so that there are ties.
TABLES = arrays(
    np.float64,
    st.tuples(st.integers(2, 8), st.integers(2, 6)),
    elements=st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.75, 1.0]),
)


def counted_ranks(row):
    """Return 1 + the number of better ones + half the number of equal ones."""
    return [1 + sum(b > a for b in row) + 0.5 * (sum(b == a for b in row) - 1) for a in row]


@settings(deadline=None)  # the first call imports scipy.stats
@given(TABLES)
def test_ranks_are_those_of_counting(scores):
    ranks = rank_methods(scores)
    np.testing.assert_array_equal(ranks, [counted_ranks(row) for row in scores.tolist()])
    np.testing.assert_array_equal(rank_methods(1.0 - scores, higher_is_better=False), ranks)


def test_scores_that_differ_by_rounding_only_are_ties():
    assert rank_methods([[0.1 + 0.2, 0.3, 0.2]]).tolist() == [[1.5, 1.5, 3.0]]


@settings(deadline=None)
@given(TABLES.filter(lambda table: table.shape[1] >= 3))
def test_friedman_is_the_formula_with_its_correction_for_ties(scores):
    ranks = rank_methods(scores)
    n, k = ranks.shape
    test = friedman(ranks)
    spread = ((ranks.mean(axis=0) - (k + 1) / 2) ** 2).sum()
    ties = sum(
        sum(count**3 - count for count in np.unique(row, return_counts=True)[1]) for row in ranks
    )
    correction = 1 - ties / (n * (k**3 - k))
    if correction == 0:
        assert test == (0.0, 1.0, 0.0, 1.0)
        return
    chi_square = 12 * n / (k * (k + 1)) * spread / correction
    assert test.chi_square == pytest.approx(chi_square, abs=1e-9)
    assert test.chi_square_p == pytest.approx(stats.chi2.sf(chi_square, k - 1), abs=1e-9)


def test_iman_and_davenport_by_the_formula():
    ranks = rank_methods(random_scores(12, 0.4, 0.3, 0.0, 0.0, 0.0))
    test = friedman(ranks)
    f = 11 * test.chi_square / (12 * 4 - test.chi_square)
    assert test.f == pytest.approx(f)
    assert test.f_p == pytest.approx(stats.f.sf(f, 4, 44))


def test_data_sets_that_agree_in_full_make_f_infinite():
    test = friedman(np.tile([1.0, 2.0, 3.0], (5, 1)))
    assert test.f == np.inf
    assert test.f_p == 0.0
    assert test.rejects


def step_down(p, level):
    """Holm's procedure as he wrote it: which hypotheses are kept."""
    kept = set(range(len(p)))
    for step, index in enumerate(sorted(kept, key=lambda index: p[index])):
        if p[index] > level / (len(p) - step):
            break
        kept.discard(index)
    return kept


@given(arrays(np.float64, st.integers(1, 9), elements=st.floats(0.0, 1.0)), st.floats(0.01, 0.3))
def test_adjusted_p_values_keep_what_the_procedure_keeps(p, level):
    adjusted = holm_adjusted(p)
    # Exactly on the boundary the two may round differently.
    if np.abs(adjusted - level).min() > 1e-12:
        assert set(np.flatnonzero(adjusted > level).tolist()) == step_down(p.tolist(), level)


@pytest.mark.parametrize("control", [0, 2])
def test_holm_compares_average_ranks_with_the_control_s(control):
    ranks = rank_methods(random_scores(15, 0.9, 0.7, 0.6, 0.4, 0.0, 0.0))
    rows = holm(ranks, control)
    error = np.sqrt(6 * 7 / (6 * 15))
    others = [method for method in range(6) if method != control]
    z = [(ranks[:, other].mean() - ranks[:, control].mean()) / error for other in others]
    p = [2 * stats.norm.sf(abs(value)) for value in z]
    assert [row.method for row in rows] == others
    np.testing.assert_allclose([row.z for row in rows], z)
    np.testing.assert_allclose([row.p for row in rows], p)
    kept = {index for index, row in enumerate(rows) if row.is_kept}
    assert kept == step_down(p, 0.05)
    assert 0 < len(kept) < 5


def flipped_p(gap):
    """Two-sided p-value of the signed-rank test by trying every sign."""
    ranks = stats.rankdata(np.abs(gap))
    centre = ranks.sum() / 2
    observed = abs(ranks[gap > 0].sum() - centre)
    signs = np.array(list(itertools.product([0, 1], repeat=len(gap))))
    return float((np.abs(signs @ ranks - centre) >= observed - 1e-9).mean())


def test_wilcoxon_by_trying_every_sign():
    scores = random_scores(9, 0.3, 0.0, 0.25)
    first, second = wilcoxon(scores, control=0)
    for pair, other in ((first, 1), (second, 2)):
        gap = scores[:, 0] - scores[:, other]
        assert pair.method == other
        assert pair.p == pytest.approx(flipped_p(gap))
        assert (pair.wins, pair.ties, pair.losses) == (np.sum(gap > 0), 0, np.sum(gap < 0))
    np.testing.assert_allclose(
        [first.adjusted_p, second.adjusted_p], holm_adjusted([first.p, second.p])
    )


@settings(deadline=None)
@given(arrays(np.float64, st.integers(1, 12), elements=st.integers(-4, 4)))
def test_the_effect_is_the_difference_of_the_sums_of_ranks(gap):
    decided = gap[gap != 0]
    ranks = [counted_ranks((-np.abs(decided)).tolist())[i] for i in range(len(decided))]
    favour = sum(rank for rank, value in zip(ranks, decided, strict=True) if value > 0)
    expected = (2 * favour - sum(ranks)) / sum(ranks) if ranks else 0.0
    assert rank_biserial(gap) == pytest.approx(expected)
    assert rank_biserial(-gap) == pytest.approx(-expected)


def test_lower_scores_are_better_where_said_so():
    scores = random_scores(8, 0.0, 0.0, 0.0)
    (ours, _), (theirs, _) = (
        wilcoxon(scores, 0),
        wilcoxon(1 - scores, 0, higher_is_better=False),
    )
    assert theirs == pytest.approx(ours)


def test_methods_that_are_equal_everywhere_are_level():
    scores = np.column_stack([np.linspace(0.1, 0.9, 9)] * 2)
    (pair,) = wilcoxon(scores, control=1)
    assert pair == (0, 0, 9, 0, 1.0, 1.0, 0.0)


@pytest.mark.parametrize("rows", [1, 2, 3])
def test_few_data_sets_give_p_values_without_a_warning(rows):
    (pair,) = wilcoxon(np.tile([0.9, 0.5], (rows, 1)), control=0)
    assert 0 < pair.p <= 1
    assert pair.effect == 1.0


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: rank_methods([0.1, 0.2]), "scores must be a table of data sets by methods"),
        (lambda: rank_methods([[0.1, np.nan]]), "scores has a value that is missing or infinite"),
        (
            lambda: friedman([[1.0, 2.0]] * 5),
            "needs 2 data sets and 3 methods or more, got 5 and 2",
        ),
        (lambda: friedman([[1.0, 2.0, 3.0]]), "needs 2 data sets and 3 methods or more, got 1"),
        (lambda: holm([[1.0, 2.0]], 2), "control must be one of at least 2 columns, got 2 of 2"),
        (lambda: wilcoxon([[1.0]], 0), "control must be one of at least 2 columns, got 0 of 1"),
    ],
)
def test_bad_input_gives_one_sentence(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call()
