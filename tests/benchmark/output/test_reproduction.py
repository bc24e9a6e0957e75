"""The page on the paper's study says what the figures say, also if they were others."""

import doctest
import re

import pytest

from tests.benchmark.made_up_study import scores_like_paper, study_of
from thresher.benchmark.analysis.comparison import Comparison
from thresher.benchmark.output.reproduction import Reproduction
from thresher.benchmark.paper import paper_table

PRINTED = paper_table("f1").scores


def reproduction_of(failed=(), **arguments):
    return Reproduction(Comparison(study_of(scores_like_paper(**arguments), failed), "ARDT"))


def one_line(reproduction):
    return " ".join(reproduction.as_markdown().split())


def verdicts(reproduction):
    return {claim.text: (claim.printed_holds, claim.here_holds) for claim in reproduction.claims}


@pytest.fixture(scope="module")
def like_paper():
    return reproduction_of()


def test_a_study_like_the_paper_s_confirms_it(like_paper):
    text = one_line(like_paper)
    assert (
        "**ARDT's rank in FSCORE.** The paper has ARDT first (2.08). Here it is first too" in text
    )
    assert "mean FSCORE of ARDT (here within 0.02) | 0.684 | yes: 0.684" in text
    found = verdicts(like_paper)
    assert found["ARDT ranks best in FSCORE"] == (True, True)
    assert found["the methods differ in FSCORE (Friedman)"] == (True, True)
    assert found["CS, US and OS raise the FSCORE of LinR and LogR"] == (True, True)
    assert found["DKMDT fails in FSCORE (data sets with 0.00)"] == (True, True)


def test_what_the_printed_ranks_do_not_support_is_said(like_paper):
    found = verdicts(like_paper)
    assert found["equivalent to ARDT in FSCORE by Holm's procedure: HDDT"][0] is False
    assert found["equivalent to ARDT in ACC by Holm's procedure: HDDT and DKMDT"][0] is False
    text = one_line(like_paper)
    assert "the procedure keeps HDDT and CDT, that is CDT as well" in text
    assert "keeps HDDT, DKMDT, LogR, CDT and EAT, that is LogR, CDT and EAT as well" in text


def test_a_better_rival_takes_the_first_place_in_the_text():
    reproduction = reproduction_of(EAT=0.99)
    text = one_line(reproduction)
    assert "That does not come back: here EAT is first (1.00) and ARDT second" in text
    assert "Wilcoxon's test does by its scores" in text
    assert "EAT is better on 18 data sets, ARDT on 0" in text
    assert verdicts(reproduction)["ARDT ranks best in FSCORE"] == (True, False)
    assert (
        verdicts(reproduction)["ARDT outperforms all others on 9 data sets in FSCORE"][1] is False
    )


def test_trees_that_differ_although_they_must_not_are_reported(like_paper):
    assert re.search(
        r"Here the two differ in \d+ cells, which they should not", one_line(like_paper)
    )
    equal = reproduction_of(DKMDT=0.6, HDDT=0.6)
    assert "Here the two are equal in every cell. DKMDT's mean F1 is 0.600 here" in one_line(equal)


def test_cells_stand_beside_the_paper_s(like_paper):
    rows = like_paper.tables["paper_f1_cells"].cells
    assert len(rows) == 18 * 13
    for dataset, method, here, printed, difference in rows:
        assert printed.value == PRINTED.of(dataset.value, method.value)
        assert difference.value == pytest.approx(here.value - printed.value)
    moved = reproduction_of(LinR=0.9).tables["paper_f1"].cells
    assert moved[0][1].text == "0.90 / 0.48"
    assert moved[0][1].is_best
    assert not moved[0][2].is_best


def test_a_part_of_the_study_names_what_is_missing():
    datasets = ["Yeast-me1", "Ecoli-om", "Pageblocks0"]
    text = one_line(reproduction_of(datasets=datasets, methods=["ARDT", "CDT", "LinR"]))
    assert "3 methods on 3 data sets" in text
    assert "the data sets Birds-s-thrush, Birds-kinglet" in text
    assert "left out: LinR+CS, LinR+US" in text
    assert "**DKMDT.**" not in text
    assert "**LogR+CS.**" not in text


def test_a_single_data_set_and_method_make_a_page():
    text = one_line(reproduction_of(datasets=["Ecoli-om"], methods=["LinR"]))
    assert "1 method on 1 data set, stratified" in text
    assert "ARDT's rank" not in text


def test_a_method_that_failed_is_left_out():
    reproduction = reproduction_of(failed=[("Ecoli-om", "EAT")])
    assert "EAT" not in reproduction.sides["f1"].here.methods
    assert "Without a complete result, and so left out: EAT." in one_line(reproduction)


def test_the_page_s_example_runs(like_paper, tmp_path):
    page = tmp_path / "reproduction.md"
    page.write_text(like_paper.as_markdown(), encoding="utf-8")
    result = doctest.testfile(str(page), module_relative=False)
    assert result.attempted == 3
    assert result.failed == 0


def test_images_of_the_page_are_beside_it(like_paper):
    named = re.findall(r"\]\((images/[^)]*)\)", like_paper.as_markdown())
    assert sorted(named) == [
        "images/entropies.svg",
        "images/ranks_accuracy.svg",
        "images/ranks_f1.svg",
        "images/scores_accuracy.svg",
        "images/scores_f1.svg",
    ]
