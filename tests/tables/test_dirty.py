"""Dirty tables of plants are read as they are meant, or somebody is asked: no silent damage."""

from collections import Counter

import pytest

from tests.tables.dirty.corpus import write_corpus
from tests.tables.dirty.scoring import score_thresher

MOST_QUESTIONS = 0.1


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return write_corpus(tmp_path_factory.mktemp("dirty"))


def test_no_table_is_damaged_in_silence(corpus):
    scores = [score_thresher(table) for table in corpus]
    clear = [score for score in scores if not score.table.is_ambiguous]
    assert [(one.table.name, one.outcome) for one in clear if one.outcome != "right"] == []
    outcomes = Counter(score.outcome for score in scores)
    assert outcomes["silent"] == 0
    assert outcomes["asked"] <= MOST_QUESTIONS * len(scores)
