"""Dirty tables of plants are read as they are meant, or somebody is asked: no silent damage."""

from collections import Counter

import pytest

from tests.tables.dirty.corpus import write_corpus
from tests.tables.dirty.scoring import score_thresher
from thresher.tables import arrow

MOST_QUESTIONS = 0.1


@pytest.mark.parametrize("has_pyarrow", [True, False])
def test_no_table_is_damaged_in_silence(tmp_path, monkeypatch, has_pyarrow):
    monkeypatch.setattr(arrow, "is_installed", lambda: has_pyarrow)
    scores = [score_thresher(table) for table in write_corpus(tmp_path)]
    clear = [score for score in scores if not score.table.is_ambiguous]
    assert [(one.table.name, one.outcome) for one in clear if one.outcome != "right"] == []
    outcomes = Counter(score.outcome for score in scores)
    assert outcomes["silent"] == 0
    assert outcomes["asked"] <= MOST_QUESTIONS * len(scores)
