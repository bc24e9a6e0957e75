"""The paper's claims: what is compared with it, and how verdicts are told."""

import re

import pytest

from tests.benchmark.made_up_study import scores_like_paper, study_of
from thresher.benchmark.analysis.comparison import Comparison
from thresher.benchmark.errors import StudyError
from thresher.benchmark.paper import paper_methods
from thresher.benchmark.paper.claims import beside_paper, claims_table, judge


def side_of(scores, measure="f1"):
    return beside_paper(Comparison(study_of(scores), "ARDT"), measure)


def test_verdicts_stand_in_the_table():
    scores = scores_like_paper()
    table = claims_table(judge(side_of(scores), side_of(scores, "accuracy")))
    texts = [[cell.text for cell in row] for row in table.cells]
    assert ["mean FSCORE of ARDT (here within 0.02)", "0.684", "yes: 0.684"] in texts
    assert any(here.startswith("no: ") for _, _, here in texts)
    assert all(re.match(r"(yes|no): ", here) for _, _, here in texts)


def test_methods_of_others_are_not_compared_with_the_paper():
    scores = scores_like_paper()
    for of_methods in scores.values():
        of_methods["mine"] = 1.0
    side = side_of(scores)
    assert side.here.methods == paper_methods()
    assert side.ours.by_rank[0] == "ARDT"


def test_a_study_without_anything_of_the_paper_is_refused():
    scores = {"mine": {"ARDT": 0.5, "CDT": 0.4}}
    with pytest.raises(
        StudyError, match="no complete result of a data set and method of the paper"
    ):
        side_of(scores)
