"""The tables of a comparison."""

import numpy as np
import pytest

from tests.benchmark.made_up_study import SCORES, study_of
from thresher.benchmark.analysis.comparison import Comparison
from thresher.benchmark.output.tables import all_tables, rank_table, summary_table


def cells(table):
    return {row[0].value: [cell.value for cell in row[1:]] for row in table.cells}


def test_tables_of_scores_have_means_and_ranks_below():
    table = all_tables(Comparison(study_of(SCORES), "ARDT"))["scores_f1"]
    rows = cells(table)
    assert list(rows) == [*SCORES, "mean", "average rank"]
    assert rows["mean"] == pytest.approx([0.775, 0.325, 0.7])
    assert rows["average rank"] == [1.0, 3.0, 2.0]
    best = [row[1].is_best for row in table.cells[:6]]
    assert best == [True] * 6


def test_the_table_of_ranks_has_every_test():
    ranking = Comparison(study_of(SCORES), "ARDT").rankings["f1"]
    rows = cells(rank_table(ranking, "F1"))
    assert list(rows) == ["ARDT", "CDT", "LinR"]
    assert rows["ARDT"][2:] == [None] * 5
    difference, pair = ranking.differences["LinR"], ranking.pairs["LinR"]
    assert rows["LinR"][2:] == [
        difference.adjusted_p,
        difference.is_kept,
        "6/0/0",
        pair.adjusted_p,
        1.0,
    ]


def test_one_data_set_has_a_spread_and_no_ranks():
    comparison = Comparison(study_of({"mine": SCORES["set 0"]}), "ARDT")
    tables = all_tables(comparison)
    assert list(tables) == ["summary", "scores_f1", "scores_accuracy"]
    table = summary_table(comparison)
    assert table.title == "mine"
    assert table.columns[:3] == ["method", "F1", "spread"]
    assert cells(table)["ARDT"][:2] == pytest.approx([0.8, 0.002582], abs=1e-6)


def test_a_method_that_failed_is_named():
    tables = all_tables(Comparison(study_of(SCORES, failed=[("set 2", "CDT")]), "ARDT"))
    assert "Not ranked, since scores are missing: CDT." in tables["ranks_f1"].notes
    rows = cells(tables["failures"])
    assert rows == {"set 2": ["CDT", "failed", 1, "ValueError: it broke"]}


def test_a_method_without_any_outcome_has_no_mean():
    comparison = Comparison(study_of({"one": {"ARDT": 0.5}}, failed=[("one", "ARDT")]), "ARDT")
    f1 = cells(all_tables(comparison)["summary"])["ARDT"][0]
    assert np.isnan(f1)
