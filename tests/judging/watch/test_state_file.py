"""The file of a watch: what is written comes back, anything else is refused in one sentence."""

import json
import os

import numpy as np
import pytest

from tests.judging.watch.test_journal import batch
from tests.windows_text import write_as_windows
from thresher.errors import WatchFileError
from thresher.judging.watch.journal import Journal
from thresher.judging.watch.state_file import (
    MAX_BYTES,
    State,
    read_state,
    state_in,
    state_text,
    write_state,
)


@pytest.fixture(scope="module")
def state():
    journal = Journal().with_batches([batch(seed=0), batch(seed=1, day="2024-02-29")], "t")
    journal = journal.with_batches([batch(seed=2, labelled=0)], "t")
    journal = journal.with_batches([batch(seed=2, labelled=90)], "t")
    return State("ab" * 16, 0.05, ("rate", "alerts"), journal)


def test_what_is_written_is_read_byte_for_byte(state, tmp_path):
    path = tmp_path / "watch.json"
    write_state(state, path)
    again = read_state(path)
    assert state_text(again) == state_text(state) == path.read_text(encoding="ascii")
    assert again.journal.entries == state.journal.entries
    assert again[:3] == state[:3]
    np.testing.assert_array_equal(again.journal.seen.hashes, state.journal.seen.hashes)


def test_every_system_writes_the_same_bytes(state, tmp_path, monkeypatch):
    write_as_windows(monkeypatch)
    write_state(state, tmp_path / "watch.json")
    assert (tmp_path / "watch.json").read_bytes() == state_text(state).encode("ascii")


def test_an_empty_watch(tmp_path):
    empty = State("ab" * 16, 0.05, ("rate",), Journal())
    write_state(empty, tmp_path / "new" / "watch.json")
    assert read_state(tmp_path / "new" / "watch.json").journal.entries == ()


def refusal(content):
    with pytest.raises(WatchFileError) as caught:
        state_in(content, "'w.json'")
    said = str(caught.value)
    assert said.startswith("'w.json' is ")
    assert len(said.splitlines()) == 1
    assert said.endswith(".")
    return said


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{}",
        b"[1]",
        b"null",
        b"\xff\xfe",
        b"part,scrap\n1,0\n",
        b'{"format": "another"}',
        b"[" * 100_000,
        b'{"format": "thresher watch", "format": "thresher watch"}',
        b'{"format": "thresher watch", "alpha": NaN}',
    ],
)
def test_foreign_files(content):
    assert "is not the state of a watch" in refusal(content)


def test_a_file_that_is_cut_off(state):
    text = state_text(state).encode()
    for length in range(0, len(text) - 2, 97):
        assert "is not the state of a watch, or is cut off" in refusal(text[:length])


DAMAGES = {
    "version 0": ("version", 0, "state.version is not from 1 to 1"),
    "later version": ("version", 7, "install a newer thresher"),
    "huge version": ("version", 10**400, "install a newer thresher"),
    "alpha 0": ("alpha", 0, "state.alpha is not from 1e-06 to 0.5"),
    "alpha 1": ("alpha", 1.0, "state.alpha is not from 1e-06 to 0.5"),
    "alpha text": ("alpha", "0.05", "state.alpha is not a finite number"),
    "alpha large": ("alpha", 10**400, "state.alpha is not a finite number"),
    "model": ("model", "../../etc", "state.model is not 32 hexadecimal digits"),
    "watched": ("watched", ["rate", "rate"], "state.watched has something"),
    "watched nothing": ("watched", [], "state.watched has something"),
    "watched order": ("watched", ["alerts", "rate"], "state.watched has something"),
    "hashes": ("hashes", "?", "state.hashes are no hashes"),
    "hashes short": ("hashes", "AAAA", "state.hashes are no hashes"),
    "hashes long": ("hashes", "AAAA" * 20_000, "state.hashes are no hashes"),
    "hashes not sorted": ("hashes", "A" * 22 + "==", "state.hashes are not sorted"),
    "hashes number": ("hashes", 7, "state.hashes is not a text"),
    "counts": ("counts", [1], "state.counts are not one for each hash"),
    "counts zero": ("counts", [0] * 600, "state.counts are not one for each hash"),
    "counts huge": ("counts", [2**62] * 600, "state.counts are not one for each hash"),
    "entries": ("entries", {}, "state.entries is not a list"),
    "entry": ("entries", [3], "state.entries[0] is not an object"),
    "entry empty": ("entries", [{}], "state.entries[0] lacks"),
}


@pytest.mark.parametrize("kind", DAMAGES)
def test_a_damaged_field_is_named(state, kind):
    name, value, words = DAMAGES[kind]
    data = json.loads(state_text(state)) | {name: value}
    assert words in refusal(json.dumps(data).encode())


ENTRIES = {
    "alerts": ({"alerts": 201}, "has counts that do not fit"),
    "misses": ({"misses": 200}, "has counts that do not fit"),
    "labels": ({"labelled": 201}, "has more labels than rows"),
    "negative": ({"rows": -1}, "rows is not from 0 to"),
    "truth": ({"rows": True}, "rows is not an integer"),
    "real": ({"alerts": 1.0}, "alerts is not an integer"),
    "huge": ({"rows": 2**60}, "rows is not from 0 to"),
    "no day": ({"day": "2024-02-30"}, "day is not a day"),
    "NaT": ({"day": "NaT"}, "day is not a day"),
    "today": ({"day": "today"}, "day is not a day"),
    "script": ({"day": "\u001b[31m"}, "day is not a day"),
    "digest": ({"digest": "x" * 32}, "digest is not 32 hexadecimal digits"),
    "late first": ({"rows": 0, "alerts": 0}, "is out of order"),
    "empty": ({"rows": 0, "alerts": 0, "labelled": 0, "positives": 0, "misses": 0}, "do not fit"),
}


@pytest.mark.parametrize("kind", ENTRIES)
def test_a_damaged_entry_is_named(state, kind):
    change, words = ENTRIES[kind]
    data = json.loads(state_text(state))
    data["entries"][0] |= change
    assert words in refusal(json.dumps(data).encode())


def test_a_batch_that_is_entered_twice(state):
    data = json.loads(state_text(state))
    data["entries"].append(data["entries"][0])
    assert "state.entries[4] is out of order" in refusal(json.dumps(data).encode())


def test_too_many_entries(state):
    data = json.loads(state_text(state))
    data["entries"] = [[]] * 100_011
    assert "is not the state of a watch" in refusal(json.dumps(data).encode())


def test_places_that_are_no_files(tmp_path):
    with pytest.raises(WatchFileError, match="cannot be read: No such file"):
        read_state(tmp_path / "none.json")
    with pytest.raises(WatchFileError, match="cannot be read: Is a directory"):
        read_state(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(WatchFileError, match="is not a regular file"):
        read_state(tmp_path / "pipe")
    large = tmp_path / "large.json"
    with large.open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    with pytest.raises(WatchFileError, match="is too large for the state of a watch"):
        read_state(large)
