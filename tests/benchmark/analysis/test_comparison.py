"""What a study says of its methods, and the tables made of it."""

import json

import pytest

from tests.benchmark.made_up_study import FOLDS, study_of
from thresher.benchmark.analysis.comparison import Comparison
from thresher.benchmark.output.tables import all_tables, failure_table, rank_table, summary_table

SCORES = {
    f"set {row}": {"ARDT": 0.8 - 0.01 * row, "LinR": 0.3 + 0.01 * row, "CDT": 0.7}
    for row in range(6)
}


@pytest.fixture
def whole():
    return Comparison(study_of(SCORES), "ARDT")


@pytest.fixture
def damaged():
    return Comparison(study_of(SCORES, failed=[("set 2", "CDT")]), "ARDT")


def cells(table):
    return {row[0].value: [cell.value for cell in row[1:]] for row in table.cells}


def test_scores_are_means_of_the_folds(whole):
    for dataset, of_methods in SCORES.items():
        for method, expected in of_methods.items():
            assert whole.scores["f1"].of(dataset, method) == pytest.approx(expected, abs=1e-9)
            assert len(whole.fold_f1[dataset, method]) == FOLDS
    assert not whole.scores["brier"].higher_is_better
    assert whole.cpu_seconds == pytest.approx(6 * 3 * FOLDS * 0.3)


def test_rankings_are_by_f1_and_accuracy(whole):
    assert list(whole.rankings) == ["f1", "accuracy"]
    assert whole.rankings["f1"].by_rank == ("ARDT", "CDT", "LinR")
    assert whole.unfinished == 0


def test_a_method_that_failed_is_not_ranked_and_named(damaged):
    assert damaged.rankings["f1"].scores.methods == ("ARDT", "LinR")
    assert damaged.left_out["f1"] == ("CDT",)
    assert damaged.unfinished == 1
    notes = all_tables(damaged)["ranks_f1"].notes
    assert "Not ranked, since scores are missing: CDT." in notes
    rows = cells(failure_table(damaged))
    assert rows == {"set 2": ["CDT", "failed", 1, "ValueError: it broke"]}


def test_json_has_no_number_that_json_lacks(damaged):
    content = json.loads(json.dumps(damaged.as_dict(), allow_nan=False))
    assert content["scores"]["f1"]["set 2"] == {
        "ARDT": pytest.approx(0.78),
        "LinR": pytest.approx(0.32),
        "CDT": None,
    }
    assert content["rankings"]["f1"]["average_ranks"] == {"ARDT": 1.0, "LinR": 2.0}
    assert [run["method"] for run in content["failures"]] == ["CDT"]
    assert content["settings"]["folds"] == FOLDS


def test_tables_of_scores_have_means_and_ranks_below(whole):
    rows = cells(all_tables(whole)["scores_f1"])
    assert list(rows) == [*SCORES, "mean", "average rank"]
    assert rows["mean"] == pytest.approx([0.775, 0.325, 0.7])
    assert rows["average rank"] == [1.0, 3.0, 2.0]
    best = [row[1].is_best for row in all_tables(whole)["scores_f1"].cells[:6]]
    assert best == [True] * 6


def test_the_table_of_ranks_has_every_test(whole):
    ranking = whole.rankings["f1"]
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


def test_a_study_without_any_outcome_says_so():
    failed = [("one", "ARDT"), ("one", "LinR")]
    comparison = Comparison(study_of({"one": {"ARDT": 0.5, "LinR": 0.5}}, failed), "ARDT")
    assert comparison.rankings == {}
    assert set(cells(all_tables(comparison)["summary"])["ARDT"][:1]) != {0.5}
    assert json.dumps(comparison.as_dict(), allow_nan=False)
