"""Why printed figures and ours differ: what is found in a study with the paper's own figures."""

import numpy as np
import pytest

from tests.benchmark.made_up_study import scores_like_paper, study_of
from thresher.benchmark.analysis.comparison import Comparison
from thresher.benchmark.paper import differences
from thresher.benchmark.paper.claims import beside_paper


def test_printed_figures_of_one_sided_models_are_found():
    comparison = Comparison(study_of(scores_like_paper()), "ARDT")
    f1, accuracy = beside_paper(comparison, "f1"), beside_paper(comparison, "accuracy")
    never = differences.never_positive(f1, accuracy, "DKMDT", "HDDT")
    assert len(never.datasets) == 9
    assert never.others == 0.25
    always = differences.nearly_always_positive(f1, accuracy, "LogR+CS", "LogR+OS")
    assert always.datasets == ("Yeast-me2", "Yeast-me1", "Yeast-exc", "Ecoli-om")
    assert differences.never_positive(f1, accuracy, "HDDT", "CDT").datasets == ()
    assert differences.nearly_always_positive(f1, accuracy, "LogR", "CDT").datasets == ()


def noise_of(scores):
    comparison = Comparison(study_of(scores), "ARDT")
    return differences.fold_noise(comparison, beside_paper(comparison, "f1"))


def test_noise_counts_the_cells_that_it_could_explain():
    noise = noise_of(scores_like_paper())
    assert noise.cells == noise.within == 18 * 13
    assert noise.typical == pytest.approx(np.std([-3, -1, 1, 3], ddof=1) / 2 / 1000, rel=0.01)
    assert noise_of(scores_like_paper(LinR=1.0)).within == 18 * 12
