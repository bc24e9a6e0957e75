"""What a study says of its methods."""

import json

import pytest

from tests.benchmark.made_up_study import FOLDS, SCORES, study_of
from thresher.benchmark.analysis.comparison import Comparison


@pytest.fixture
def whole():
    return Comparison(study_of(SCORES), "ARDT")


@pytest.fixture
def damaged():
    return Comparison(study_of(SCORES, failed=[("set 2", "CDT")]), "ARDT")


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


def test_a_method_that_failed_is_not_ranked(damaged):
    assert damaged.rankings["f1"].scores.methods == ("ARDT", "LinR")
    assert damaged.left_out["f1"] == ("CDT",)
    assert damaged.unfinished == 1


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


def test_a_study_without_any_outcome_says_so():
    failed = [("one", "ARDT"), ("one", "LinR")]
    comparison = Comparison(study_of({"one": {"ARDT": 0.5, "LinR": 0.5}}, failed), "ARDT")
    assert comparison.rankings == {}
    assert json.dumps(comparison.as_dict(), allow_nan=False)
