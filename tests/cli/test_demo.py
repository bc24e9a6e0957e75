"""`thresher demo`, run as users run it, on a small line."""

import json

import pytest

from tests.cli.program import run
from thresher.cli.demonstration import COMPARED

FILES = ("model.json", "conditions.csv", "conditions.json", "report.html", "parts.csv")


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    out = tmp_path_factory.mktemp("demo") / "out"
    done = run("demo", "--parts", 1500, "--out", out, "--json")
    assert done.returncode == 0, done.stderr
    return out, json.loads(done.stdout), done.stderr


def test_everything_it_names_is_there(demo):
    out, result, _ = demo
    assert set(FILES) <= set(result["files"])
    for name in result["files"]:
        assert (out / name).stat().st_size > 0


def test_it_says_that_the_line_is_simulated(demo):
    out, _, _ = demo
    assert "imulated" in (out / "report.html").read_text(encoding="utf-8")


def test_the_planted_columns_are_among_the_conditions_found(demo):
    out, result, _ = demo
    found = (out / "conditions.json").read_text(encoding="utf-8")
    assert len(result["planted"]) == 4
    columns = {clause.split()[0] for text in result["planted"] for clause in text.split(" and ")}
    assert sum(column in found for column in columns) >= 5


def test_messages_go_to_standard_error(demo):
    _, _, messages = demo
    assert "10-fold cross-validation" in messages


def test_the_methods_of_the_paper_s_figure_are_compared(demo):
    _, result, _ = demo
    named = json.dumps(result)
    assert all(name in named for name in COMPARED)
    assert {"ARDT", "HDDT", "CDT", "EAT", "LogR+OS", "LinR+OS", "Forest"} <= set(COMPARED)


def test_too_few_parts_are_a_usage_error(tmp_path):
    done = run("demo", "--parts", 3, "--out", tmp_path / "out")
    assert done.returncode == 2
    assert "--parts" in done.stderr
    assert not (tmp_path / "out").exists()
