"""Who is best on one table, and which others are within the noise."""

import numpy as np
import pytest
from scipy.stats import ttest_rel

from tests.benchmark.made_up_study import study_of
from thresher.benchmark.analysis.comparison import Comparison
from thresher.benchmark.analysis.standings import Standing, Standings, paired_p
from thresher.benchmark.output.standings_table import standings_table


def standings_of(scores, failed=()):
    return Standings(study_of({"parts": scores}, [("parts", name) for name in failed]))


def test_the_sentence_tells_the_best_the_level_and_those_below():
    study = standings_of({"tree": 0.5, "LightGBM": 0.61, "forest": 0.61, "ARDT": 0.2})
    assert study.sentence == (
        "LightGBM is best (F1 0.610); the forest (0.610, p = 1.000) is within the noise; the tree "
        "(by 0.110, p < 0.001) and the adaptive Renyi tree (by 0.410, p < 0.001) are below it."
    )
    assert [row["method"] for row in study.as_data()] == ["LightGBM", "forest", "tree", "ARDT"]


@pytest.mark.parametrize(
    ("behind", "noise", "p", "said"),
    [
        (0.017, 0.02, 0.736, "the tree (0.600, p = 0.736) is within the noise."),
        (
            0.166,
            0.06,
            0.272,
            "the tree (by 0.166, p = 0.272) is behind by more than the noise, but 4 folds are too "
            "few to be sure of it.",
        ),
        (0.166, 0.01, 0.002, "the tree (by 0.166, p = 0.002) is below it."),
    ],
)
def test_what_few_folds_cannot_tell_is_not_called_noise(behind, noise, p, said):
    standings = standings_of({"blend": 0.8, "tree": 0.6})
    vars(standings)["order"] = [
        Standing("blend", 0.8, 0.1, 0.0, 0.0, None),
        Standing("tree", 0.6, 0.1, behind, noise, p),
    ]
    assert standings.sentence == f"The blend is best (F1 0.800); {said}"


def test_a_method_with_a_failed_run_has_no_place():
    standings = standings_of({"tree": 0.5, "forest": 0.6}, failed=["forest"])
    assert standings.sentence == "The tree is best (F1 0.500)."
    table = standings_table(Comparison(standings.study, None), standings)
    assert [row[0].value for row in table.cells] == ["tree"]
    assert table.notes[-1].endswith("no outcome: forest.")
    nobody = standings_of({"tree": 0.5}, failed=["tree"])
    assert nobody.sentence == "No method has an outcome in every fold."


def test_equal_methods_differ_nowhere():
    assert paired_p(np.zeros(10), folds=10) == 1.0


def test_the_test_is_student_s_with_more_variance():
    """With the factor 1 / (folds - 1) left out, the p-value is that of the paired t-test."""
    gaps = np.random.default_rng(0).normal(0.3, 1.0, size=12)
    expected = ttest_rel(gaps, np.zeros(12)).pvalue
    assert paired_p(gaps, folds=10**9) == pytest.approx(expected, rel=1e-6)
    assert paired_p(gaps, folds=12) > expected


def test_a_difference_that_is_none_is_rarely_found():
    """Folds of a cross-validation of noise: at most the level is told apart."""
    random = np.random.default_rng(1)
    found = 0
    for _ in range(400):
        common = random.normal(size=1) * np.sqrt(1 / 9)  # what folds share by their training rows
        found += paired_p(common + random.normal(size=10), folds=10) < 0.05
    assert found / 400 < 0.08
