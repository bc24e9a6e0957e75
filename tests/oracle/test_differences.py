"""What the oracle calls equal, and that no difference escapes it."""

import math
import tomllib

import pytest

from oracle import run
from oracle.comparing import (
    Difference,
    Listed,
    compare,
    compare_all,
    faults,
    faults_of_list,
    read_listed,
    stanza,
)
from oracle.run import read_stored

TEST = "tests/oracle/test_differences.py::test_a_moved_cut_is_found"
ANSWER = {
    "threshold": 0.25,
    "alert": None,
    "probabilities": [0.1, 0.25 + 5e-10, 0.3],
    "decisions": [0, 1, 1],
    "python": {"decisions": ["ok", "nok", "nok"]},
}


def test_a_moved_cut_is_found():
    stored = {**read_stored("rules"), **read_stored("models")}
    answers = {name: old for name, old in stored.items() if old.get("threshold")}
    assert len(answers) > 150
    for old in answers.values():
        assert compare(old, old) is None
        moved = compare(old, old | {"threshold": old["threshold"] * (1 + 1e-6)})
        assert moved.count == 1
        assert 0 < moved.largest < 2e-6


def test_a_moved_cut_fails_unless_it_is_listed():
    old = {"one": ANSWER, "two": ANSWER}
    new = {"one": ANSWER | {"threshold": 0.25 * (1 + 1e-6)}, "two": ANSWER}
    found = compare_all(old, new)
    assert faults(found, {}, old) == ["one: 1 values, largest difference 2.5e-07, not listed."]
    assert faults(found, {"one": Listed(found["one"], TEST)}, old) == []


@pytest.mark.parametrize(
    ("change", "count"),
    [
        ({"decisions": [0, 0, 1]}, 0),  # its score is half a billionth from the cut
        ({"decisions": [0, 0, 0]}, 1),
        ({"decisions": [1, 1, 1]}, 1),
        ({"python": {"decisions": ["ok", "ok", "nok"]}}, 0),
        ({"python": {"decisions": ["ok", "nok", "ok"]}}, 1),
        ({"probabilities": [0.1 + 1e-13, 0.25, 0.3]}, 1),
        ({"probabilities": [0.1 + 1e-13, 0.25 + 5e-10, 0.3]}, 0),
        ({"probabilities": [math.nan, 0.25 + 5e-10, 0.3]}, 1),
        ({"probabilities": [0.1, 0.25 + 5e-10]}, 1),
        ({"alert": 0.5}, 1),
        ({"threshold": True}, 1),
        ({"threshold": "0.25"}, 1),
        ({"new key": None}, 1),
        ({"decisions": None}, 1),
    ],
)
def test_what_is_equal(change, count):
    found = compare(ANSWER, ANSWER | change)
    assert (found.count if found else 0) == count


def test_figures_are_compared_relatively_above_one():
    assert compare(3e6, 3e6 * (1 + 5e-13)) is None
    assert compare(3e6, 3e6 * (1 + 5e-12)) is not None
    assert compare(math.nan, math.nan) is None
    assert compare(math.inf, math.inf) is None
    assert compare(math.inf, 1.0) == Difference(1, math.inf)


def test_an_answer_that_is_not_given_is_a_difference():
    assert list(compare_all({"one": 1.0, "two": 2.0}, {"one": 1.0, "three": 3.0})) == [
        "two",
        "three",
    ]


def test_a_listed_difference_that_is_gone_or_another_fails():
    asked, listed = {"one": None}, {"one": Listed(Difference(2, 0.123), TEST)}
    assert faults({}, listed, asked) == ["one: listed, but the answers are equal."]
    assert len(faults({"one": Difference(3, 0.123)}, listed, asked)) == 1
    assert len(faults({"one": Difference(2, 0.13)}, listed, asked)) == 1
    assert faults({"one": Difference(2, 0.1231)}, listed, asked) == []


def test_other_seeds_keep_to_the_listed_questions():
    listed = {"one": Listed(Difference(2, 0.123), TEST)}
    found = {"one": Difference(9, math.inf), "two": Difference(1, 0.5)}
    bad = faults(found, listed, {"one": None, "two": None}, is_listed_seed=False)
    assert bad == ["two: 1 values, largest difference 5.0e-01, not listed."]
    assert faults({}, listed, {"one": None}, is_listed_seed=False) == []


@pytest.mark.parametrize("largest", [2.5e-07, 0.25, math.inf])
def test_a_printed_stanza_lists_its_difference(tmp_path, largest):
    difference = Difference(3, largest)
    path = tmp_path / "differences.toml"
    path.write_text(stanza("tree 1", difference) + "\n" + stanza("tree 2", difference))
    listed = read_listed(path)
    found = {"tree 1": difference, "tree 2": difference}
    assert faults(found, listed, found) == []
    assert faults_of_list(listed, found) == ["tree 1: no test ''.", "tree 2: no test ''."]
    path.write_text(2 * stanza("tree 1", difference))
    with pytest.raises(ValueError, match="twice"):
        read_listed(path)
    assert tomllib.loads(stanza("tree 1", difference))


def test_a_listed_difference_needs_its_question_and_its_test():
    good, unknown = Listed(Difference(1, 1.0), TEST), Listed(Difference(1, 1.0), TEST + "_of_none")
    assert faults_of_list({"one": good}, {"one": None}) == []
    assert faults_of_list({"one": good}, {}) == ["one: listed, but not asked."]
    assert len(faults_of_list({"one": unknown}, {"one": None})) == 1


def test_a_clone_without_the_commit_is_told_so(tmp_path, monkeypatch):
    monkeypatch.setattr(run, "ROOT", tmp_path)
    with pytest.raises(SystemExit, match="e43baf5 is not in this clone"):
        run.python_of_0_2()


def asked_with(monkeypatch, new):
    questions = {"rules": {"one": {}}}
    monkeypatch.setattr(run, "python_of_0_2", lambda: "python")
    monkeypatch.setattr(run, "questions_by_part", lambda seed, folder: questions)
    answers = {"ask_0_2": {"one": ANSWER}, "ask_1_0": {"one": new}}
    monkeypatch.setattr(run, "ask", lambda askers, questions, folder: answers)
    monkeypatch.setattr(run, "read_listed", dict)
    monkeypatch.setattr(run.sys, "argv", ["run"])
    return run.main()


def test_the_run_prints_what_to_list_and_fails(monkeypatch, capsys):
    moved = ANSWER | {"threshold": 0.25 * (1 + 1e-6)}
    assert asked_with(monkeypatch, moved) == 1
    first, *lines, last = capsys.readouterr().out.splitlines()
    assert first == "one: 1 values, largest difference 2.5e-07, not listed."
    assert tomllib.loads("\n".join(lines))["difference"][0]["question"] == "one"
    assert last == "1 questions, 1 differences, 1 not as listed."


def test_the_run_passes_where_all_is_equal(monkeypatch, capsys):
    assert asked_with(monkeypatch, ANSWER) == 0
    assert capsys.readouterr().out == "1 questions, 0 differences, 0 not as listed.\n"
