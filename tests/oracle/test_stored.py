"""The present version answers as 0.2.0 did, except where oracle/differences.toml says so."""

import pytest

from oracle.ask_1_0 import KINDS
from oracle.asking import answer
from oracle.comparing import compare_all, faults, faults_of_list, read_listed, stanza
from oracle.questions import DRAWN, dirty
from oracle.run import STORED, STORED_SEED, read_stored
from tests.tables.dirty.corpus import write_corpus

DAILY_TRAININGS = slice(None, None, 4)
"""Trainings take seconds each; `make oracle` asks all."""


def check_answers(questions, stored, folder):
    answers = {name: answer(KINDS, question, folder) for name, question in questions.items()}
    found = compare_all({name: stored[name] for name in questions}, answers)
    listed = read_listed()
    stanzas = [stanza(name, one) for name, one in found.items() if name not in listed]
    bad = faults(found, listed, questions)
    assert not bad, "\n".join([*bad, "", *stanzas])


@pytest.mark.parametrize("part", DRAWN)
def test_answers_of_0_2(part, tmp_path):
    questions, stored = dict(DRAWN[part](STORED_SEED)), read_stored(part)
    assert list(questions) == list(stored)
    asked = list(questions)[DAILY_TRAININGS] if part == "trainings" else list(questions)
    questions = {name: questions[name] for name in asked}
    check_answers(questions, stored, tmp_path)


def test_dirty_tables_are_read_as_by_0_2(tmp_path):
    questions = dict(dirty([table.path.name for table in write_corpus(tmp_path)]))
    stored = read_stored("dirty")
    assert list(questions) == list(stored)
    check_answers(questions, stored, tmp_path)


def test_each_listed_difference_is_of_a_question_and_has_a_test():
    parts = [path.name.removesuffix(".json.gz") for path in STORED.iterdir()]
    assert sorted(parts) == sorted([*DRAWN, "dirty"])
    asked = {name: None for part in parts for name in read_stored(part)}
    assert faults_of_list(read_listed(), asked) == []


def test_few_questions_are_refused():
    """A refusal says little of what 0.2.0 did."""
    answers = [one for part in DRAWN for one in read_stored(part).values()]
    assert sum("refused" in one for one in answers) <= 2


def test_the_stored_answers_stay_small():
    assert sum(path.stat().st_size for path in STORED.iterdir()) < 250_000
