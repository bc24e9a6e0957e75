"""Ranks and tests against brute force, formulas written out, SciPy and scikit-posthocs."""

import itertools

import numpy as np
import pytest
import scikit_posthocs
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from thresher.cli.comparison import Standing, all_tables, conclusion, paired_p, standings
from thresher.statistics import holm_adjusted
from thresher.study import METRICS, Run, Scores, StudyResult, run_study
from thresher.study.results import (
    friedman,
    holm,
    rank,
    rank_methods,
    wilcoxon,
)

# Few distinct values, so that there are ties.
TABLES = arrays(
    np.float64,
    st.tuples(st.integers(2, 8), st.integers(2, 6)),
    elements=st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.75, 1.0]),
)
NAN = float("nan")


def random_scores(rows, *advantages):
    """Return scores of as many methods as there are advantages, which are added to them."""
    noise = np.random.default_rng(rows).random((rows, len(advantages)))
    return noise + np.array(advantages)


def named(values, higher_is_better=True):
    datasets = tuple(f"set {row}" for row in range(len(values)))
    return Scores(datasets, tuple("abc"[: len(values[0])]), np.array(values), higher_is_better)


def study_of(scores, failed=()):
    """Return a study of four folds with these F1, of 1000 positives, which differ by 0.002."""
    runs = []
    for dataset, of_methods in scores.items():
        for method, score in of_methods.items():
            for fold, shift in enumerate((-0.003, -0.001, 0.001, 0.003)):
                labels = (dataset, method, 0, fold, "")
                if fold == 0 and (dataset, method) in failed:
                    runs.append(Run(*labels, "failed", "ValueError: it broke"))
                    continue
                tp = round(1000 * (score + shift))
                measured = (9000 + tp, 1000 - tp, 1000 - tp, tp, 0.5, 0.1, 0.25, 0.05, 3)
                runs.append(Run(*labels, "done", None, None, *measured))
    return StudyResult(tuple(runs), 4)


# ------------------------------------------------------------------------------------------- ranks


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
    test = friedman(rank_methods(random_scores(12, 0.4, 0.3, 0.0, 0.0, 0.0)))
    f = 11 * test.chi_square / (12 * 4 - test.chi_square)
    assert test.f == pytest.approx(f)
    assert test.f_p == pytest.approx(stats.f.sf(f, 4, 44))
    assert friedman(np.tile([1.0, 2.0, 3.0], (5, 1)))[2:] == (np.inf, 0.0)


def step_down(p, level):
    """Holm's procedure as he wrote it: which hypotheses are kept."""
    kept = set(range(len(p)))
    for step, index in enumerate(sorted(kept, key=lambda index: p[index])):
        if p[index] > level / (len(p) - step):
            break
        kept.discard(index)
    return kept


@pytest.mark.parametrize("control", [0, 2])
def test_holm_compares_average_ranks_with_the_control_s(control):
    ranks = rank_methods(random_scores(15, 0.9, 0.7, 0.6, 0.4, 0.0, 0.0))
    rows = holm(ranks, control)
    others = [method for method in range(6) if method != control]
    z = [(ranks[:, j].mean() - ranks[:, control].mean()) / np.sqrt(6 * 7 / 90) for j in others]
    p = [2 * stats.norm.sf(abs(value)) for value in z]
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


def test_wilcoxon_by_trying_every_sign_and_by_scikit_posthocs():
    scores = random_scores(9, 0.3, 0.0, 0.25)
    pairs = wilcoxon(scores, control=0)
    for pair, other in zip(pairs, (1, 2), strict=True):
        gap = scores[:, 0] - scores[:, other]
        assert pair.p == pytest.approx(flipped_p(gap))
        assert (pair.wins, pair.ties, pair.losses) == (np.sum(gap > 0), 0, np.sum(gap < 0))
        ranks = stats.rankdata(np.abs(gap))
        favour = ranks[gap > 0].sum() - ranks[gap < 0].sum()
        assert pair.effect == pytest.approx(favour / ranks.sum())
    theirs = scikit_posthocs.posthoc_wilcoxon(scores.T.tolist()).to_numpy()
    np.testing.assert_allclose([pair.p for pair in pairs], theirs[0, 1:])
    adjusted = holm_adjusted([pair.p for pair in pairs])
    np.testing.assert_allclose([pair.adjusted_p for pair in pairs], adjusted)
    assert wilcoxon(1 - scores, 0, higher_is_better=False) == [pytest.approx(p) for p in pairs]


def test_methods_that_are_equal_everywhere_are_level():
    scores = np.column_stack([np.linspace(0.1, 0.9, 9)] * 2)
    assert wilcoxon(scores, control=1) == [(0, 9, 0, 1.0, 1.0, 0.0)]


# ----------------------------------------------------------------------------------------- ranking


@pytest.mark.parametrize(
    ("values", "datasets", "methods"),
    [
        ([[1.0, 2.0, 3.0]], 1, "abc"),
        ([[NAN, NAN, NAN], [1.0, 2.0, 3.0]], 1, "abc"),
        ([[1.0, NAN, 3.0], [1.0, 2.0, 3.0]], 2, "ac"),
        ([[NAN, NAN, NAN]], 0, ""),
    ],
)
def test_what_can_be_ranked(values, datasets, methods):
    part = named(values).complete()
    assert len(part.datasets) == datasets
    assert "".join(part.methods) == methods
    assert not np.isnan(part.values).any()


def test_the_control_and_what_is_not_told_apart_from_it_are_kept_by_rank():
    values = np.tile([0.9, 0.5, 0.88], (12, 1))
    values[::2, [0, 2]] = values[::2, [2, 0]]
    ranking = rank(named(values.tolist()), "a")
    assert ranking.kept == ("a", "c")
    assert ranking.friedman.rejects
    turned = rank(named((1.0 - values).tolist(), higher_is_better=False), "a")
    assert turned.average == ranking.average
    assert turned.pairs["b"].wins == 12


@pytest.mark.parametrize(
    ("values", "control"),
    [([[0.1, 0.2, 0.3]], "a"), ([[0.1, 0.2], [0.2, 0.1]], "z"), ([[0.1], [0.2]], "a")],
)
def test_without_enough_to_compare_there_is_no_comparison(values, control):
    ranking = rank(named(values), control)
    assert ranking.friedman is None
    assert ranking.differences == ranking.pairs == {}
    assert set(ranking.kept) <= {"a"}


def test_tables_of_a_study_say_what_it_has():
    scores = {f"set {row}": {"ARDT": 0.8, "LinR": 0.3 + 0.01 * row, "CDT": 0.7} for row in range(6)}
    study = study_of(scores, failed=[("set 1", "CDT")])
    tables = all_tables(study)
    assert list(tables) == [
        *("summary", "scores_f1", "ranks_f1", "scores_accuracy", "ranks_accuracy", "failures")
    ]
    assert [cell.text for cell in tables["failures"].cells[0]] == [
        *("set 1", "CDT", "failed", "1", "ValueError: it broke")
    ]
    assert tables["ranks_f1"].notes[-1] == "Not ranked, since scores are missing: CDT."
    best = [[cell.is_best for cell in row] for row in tables["scores_f1"].cells[:6]]
    assert best == [[False, True, False, False]] * 6
    frame = study.to_frame("pandas")
    assert frame.query("method == 'LinR'").f1.mean() == pytest.approx(0.325)
    assert frame.f1.isna().sum() == 1
    content = study.to_dict(control="LinR")
    assert content["scores"]["f1"]["set 1"]["CDT"] is None
    assert content["rankings"]["f1"]["control"] == "LinR"
    assert list(content["scores"]) == list(METRICS)


# ------------------------------------------------------------------------------- folds of one table


def test_the_sentence_names_the_best_the_level_and_those_below():
    scores = {"tree": 0.5, "LightGBM": 0.61, "forest": 0.61, "ARDT": 0.2}
    order = standings(study_of({"rows": scores}))
    assert [row.method for row in order] == ["LightGBM", "forest", "tree", "ARDT"]
    assert conclusion(order) == (
        "LightGBM is best (F1 0.610); forest (0.610, p = 1.000) is within the noise; tree "
        "(by 0.110, p < 0.001) and ARDT (by 0.410, p < 0.001) are below it."
    )


@pytest.mark.parametrize(
    ("behind", "noise", "p", "expected"),
    [
        (0.017, 0.02, 0.736, "tree (0.600, p = 0.736) is within the noise."),
        (
            *(0.166, 0.06, 0.272),
            "tree (by 0.166, p = 0.272) is behind by more than the noise, but these folds are too "
            "few to be sure.",
        ),
        (0.166, 0.01, 0.002, "tree (by 0.166, p = 0.002) is below it."),
    ],
)
def test_what_few_folds_cannot_show_is_not_called_noise(behind, noise, p, expected):
    best = Standing("forest", 0.8, 0.1, 0.0, 0.0, None)
    order = [best, Standing("tree", 0.6, 0.1, behind, noise, p)]
    assert conclusion(order) == f"forest is best (F1 0.800); {expected}"


def test_a_method_with_a_failed_run_has_no_standing():
    study = study_of({"rows": {"tree": 0.5, "forest": 0.6}}, failed=[("rows", "forest")])
    assert conclusion(standings(study)) == "tree is best (F1 0.500)."
    table = all_tables(study, metric="f1")["standings"]
    assert [row[0].value for row in table.cells] == ["tree"]
    assert table.notes[-1].endswith("no outcome: forest.")
    assert conclusion([]) == "No method has an outcome in every fold."


def test_the_test_is_student_s_with_more_variance():
    """With the factor 1 / (folds - 1) left out, the p-value is that of the paired t-test."""
    gaps = np.random.default_rng(0).normal(0.3, 1.0, size=12)
    expected = stats.ttest_rel(gaps, np.zeros(12)).pvalue
    assert paired_p(gaps, folds=10**9) == pytest.approx(expected, rel=1e-6)
    assert paired_p(gaps, folds=12) > expected
    assert paired_p(np.zeros(10), folds=10) == 1.0


def test_a_difference_that_is_none_is_rarely_found():
    """Folds of a cross-validation of noise: at most the level is told apart."""
    random = np.random.default_rng(1)
    found = 0
    for _ in range(400):
        common = random.normal(size=1) * np.sqrt(1 / 9)  # what folds share by their training rows
        found += paired_p(common + random.normal(size=10), folds=10) < 0.05
    assert found / 400 < 0.08


def test_a_result_says_how_many_runs_it_has():
    X = np.arange(60.0)[:, None]
    study = run_study({"rows": (X, X[:, 0] > 50)}, ["CDT"], folds=2)
    assert repr(study) == "StudyResult(1 data set, 1 method, 2 runs)"
    assert study.cpu_seconds == sum(run.fit_time + run.predict_time for run in study.runs)
