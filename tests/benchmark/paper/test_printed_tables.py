"""The paper's printed tables, and the statistics of its printed ranks."""

import numpy as np
import pytest
from scipy import stats

from thresher.benchmark import PAPER_METHODS
from thresher.benchmark.analysis.significance import rank_methods
from thresher.benchmark.paper import paper_datasets, paper_methods, paper_table, printed_shares
from thresher.datasets import list_datasets

AVERAGE_RANKS = {
    "f1": {"ARDT": 2.08, "HDDT": 3.89, "CDT": 4.89, "EAT": 5.22, "LogR+OS": 6.08, "LinR": 10.69},
    "accuracy": {"ARDT": 2.19, "HDDT": 3.53, "DKMDT": 4.03, "LogR": 4.64, "LinR+US": 11.11},
}
KEPT = {
    "f1": {"ARDT", "HDDT", "CDT"},
    "accuracy": {"ARDT", "HDDT", "DKMDT", "LogR", "CDT", "EAT"},
}

MEASURES = pytest.mark.parametrize("measure", ["f1", "accuracy"])


@MEASURES
def test_the_tables_are_of_the_18_data_sets_and_13_methods(measure):
    table = paper_table(measure)
    assert table.scores.datasets == paper_datasets() == tuple(list_datasets("paper"))
    assert table.scores.methods == paper_methods() == PAPER_METHODS
    assert table.scores.values.shape == table.ranks.shape == (18, 13)


@MEASURES
def test_printed_ranks_agree_with_printed_scores(measure):
    """A slip in copying a score or a rank would show here."""
    table = paper_table(measure)
    np.testing.assert_array_equal(table.ranks.sum(axis=1), 91.0)
    for values, ranks in zip(table.scores.values, table.ranks, strict=True):
        better = values[:, None] > values
        assert (ranks[:, None] < ranks)[better].all()
    # Scores are printed with two decimals only, so that ranks of the scores come near, not more.
    gaps = np.abs(rank_methods(table.scores.values) - table.ranks)
    assert gaps.mean() < 0.5


@MEASURES
def test_average_ranks_of_the_paper(measure):
    average = paper_table(measure).ranking.average
    expected = AVERAGE_RANKS[measure]
    assert {name: round(average[name], 2) for name in expected} == expected


@MEASURES
def test_holm_keeps_what_the_text_names_and_more(measure):
    table = paper_table(measure)
    kept = set(table.ranking.kept)
    assert {"HDDT"} <= set(table.kept) <= kept
    assert kept == KEPT[measure]


@MEASURES
def test_friedman_rejects_on_printed_ranks(measure):
    table = paper_table(measure)
    test = table.ranking.friedman
    assert test.rejects
    assert test.chi_square == pytest.approx(stats.friedmanchisquare(*table.ranks.T).statistic)


def test_means_of_the_paper():
    assert paper_table("f1").scores.column("ARDT").mean() == pytest.approx(0.684, abs=5e-4)
    assert paper_table("f1").scores.of("Thyroid2", "LinR+US") == 0.91
    assert paper_table("accuracy").scores.of("Ecoli-om", "LogR+CS") == 0.14


def test_shares_of_positives_are_printed_for_each_data_set():
    shares = printed_shares()
    assert tuple(shares) == paper_datasets()
    assert shares["Yeast-me2"] == 0.10


def test_an_unknown_measure_is_refused():
    with pytest.raises(ValueError, match="The paper prints f1 and accuracy, not 'mcc'"):
        paper_table("mcc")
