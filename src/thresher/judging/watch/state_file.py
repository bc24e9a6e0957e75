"""The state of a watch as a small JSON file: written as a whole, checked before it is used."""

import json
import os
from base64 import b64decode, b64encode
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from thresher.errors import DamagedModelError, WatchFileError
from thresher.judging.facts import MAX_ROWS, Facts
from thresher.judging.watch.journal import MAX_HASHES, Entry, Journal, Seen
from thresher.judging.watch.question import MAX_ALPHA, MIN_ALPHA, WATCHED
from thresher.model_file.container import parse
from thresher.model_file.fields import Record, require
from thresher.whole_file import new_file

FORMAT, VERSION = "thresher watch", 1
MAX_ENTRIES = 100_000
"""Batches of a state: those of 270 years of days."""
MAX_BYTES = 32 * 2**20
MAX_TIMES = 2**40
"""How often one row was seen, at most."""
WAY_OUT = "take another copy, or begin a new watch with another file"


class State(NamedTuple):
    """What the file of a watch holds.

    Attributes
    ----------
    model : fingerprint of the model that is watched.
    alpha, watched : as the watch was begun.
    journal : what was seen.
    """

    model: str
    alpha: float
    watched: tuple[str, ...]
    journal: Journal


def fingerprint(facts: Facts, threshold: float, columns: tuple[str, ...]) -> str:
    """Return what tells a model from others: its decisions, and the figures behind its references.

    The report in a model's file and the version of the library have no part in it.
    """
    judged = facts.judgement
    counts = None if judged is None else [judged.tn, judged.fp, judged.fn, judged.tp]
    known = [facts.target, facts.positive, facts.rows, facts.positives, counts, threshold.hex()]
    found = blake2b(json.dumps([*known, *columns]).encode(), digest_size=16)
    scores = [part for fold in facts.folds for part in (fold.inner, fold.outer)]
    scores += [] if facts.scores is None else [facts.scores]
    for values in (array for part in scores for array in part):
        found.update(np.ascontiguousarray(values, dtype="<f8").tobytes())
    if facts.prints is not None:
        found.update(facts.prints.hashes.astype("<u8").tobytes())
    return found.hexdigest()


def write_state(state: State, path: Path) -> None:
    """Write a state, as a whole or not at all."""
    with new_file(path) as temporary:
        temporary.write_text(state_text(state), encoding="ascii", newline="\n")


def state_text(state: State) -> str:
    """Return the content of a state's file; one line for each entry."""
    seen = state.journal.seen
    head = {
        "format": FORMAT,
        "version": VERSION,
        "model": state.model,
        "alpha": state.alpha,
        "watched": list(state.watched),
        "hashes": b64encode(seen.hashes.astype("<u8").tobytes()).decode("ascii"),
        "counts": seen.counts.tolist(),
    }
    lines = [f'"{name}": {json.dumps(value)}' for name, value in head.items()]
    entries = ",\n ".join(json.dumps(entry.as_data()) for entry in state.journal.entries)
    return "{" + ",\n".join([*lines, f'"entries": [{entries}]']) + "}\n"


def read_state(path: Path) -> State:
    """Read a state; whatever is wrong with the file is said in one sentence."""
    try:
        if path.exists() and not (path.is_file() or path.is_dir()):
            raise WatchFileError(f"'{path}' is not a regular file; copy the state to one.")
        with path.open("rb") as file:
            if os.fstat(file.fileno()).st_size > MAX_BYTES:
                raise WatchFileError(
                    f"'{path}' is too large for the state of a watch; check the path."
                )
            content = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise WatchFileError(
            f"'{path}' cannot be read: {error.strerror or error}; check the path."
        ) from None
    return state_in(content, f"'{path}'")


def state_in(content: bytes, name: str) -> State:
    """Return the state in a file's content; `name` is for messages."""
    try:
        text = content.decode("utf-8")
        data = parse(text, MAX_ENTRIES + 10)
    except (UnicodeDecodeError, DamagedModelError):
        data = None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise WatchFileError(
            f"{name} is not the state of a watch, or is cut off; `thresher watch` writes them: "
            f"{WAY_OUT}."
        )
    version = data.get("version")
    if type(version) is int and version > VERSION:
        raise WatchFileError(
            f"{name} is a state of version {str(version)[:20]}, and this library reads up to "
            f"version {VERSION}; install a newer thresher."
        )
    try:
        return _read(Record(data, "state"))
    except DamagedModelError as error:
        raise WatchFileError(f"{name} is a damaged state of a watch: {error}; {WAY_OUT}.") from None


# -------------------------------------------------------------------------------- taken apart again


def _read(record: Record) -> State:
    record.integer("version", VERSION, VERSION)
    alpha = record.within("alpha", MIN_ALPHA, MAX_ALPHA)
    watched = tuple(record.texts("watched"))
    is_known = len(watched) > 0 and watched == tuple(one for one in WATCHED if one in watched)
    require(is_known, "state.watched has something that is not watched")
    found = record.items("entries")
    require(len(found) <= MAX_ENTRIES, "state.entries are too many")
    entries = tuple(_read_entry(one) for one in record.records("entries"))
    _check_order(entries)
    return State(_hex(record, "model"), alpha, watched, Journal(entries, _read_seen(record)))


def _read_entry(record: Record) -> Entry:
    day = record.text("day") if record.has("day") else None
    require(day is None or _is_day(day), f"{record.place}.day is not a day")
    rows, alerts = (record.integer(name, 0, MAX_ROWS) for name in ("rows", "alerts"))
    labels = [record.integer(name, 0, MAX_ROWS) for name in ("labelled", "positives", "misses")]
    labelled, positives, misses = labels
    is_sound = alerts <= rows and misses <= positives <= labelled and rows + labelled > 0
    require(is_sound, f"{record.place} has counts that do not fit")
    return Entry(day, _hex(record, "digest"), rows, alerts, *labels)


def _is_day(text: str) -> bool:
    try:
        return str(np.datetime64(text, "D")) == text != "NaT"
    except ValueError:
        return False


def _hex(record: Record, name: str) -> str:
    text = record.text(name)
    is_hex = len(text) == 32 and set(text) <= set("0123456789abcdef")
    require(is_hex, f"{record.place}.{name} is not 32 hexadecimal digits")
    return text


def _check_order(entries: tuple[Entry, ...]) -> None:
    """Raise unless labels that come later are those of rows that came before."""
    left: dict[str, int] = {}
    total = 0
    for place, entry in enumerate(entries):
        is_new = entry.digest not in left
        require(entry.is_late != is_new, f"state.entries[{place}] is out of order")
        left[entry.digest] = left.get(entry.digest, entry.rows) - entry.labelled
        require(left[entry.digest] >= 0, f"state.entries[{place}] has more labels than rows")
        total += entry.rows
    require(total <= MAX_ROWS, "state.entries have too many rows")


def _read_seen(record: Record) -> Seen:
    text = record.text("hashes")
    try:
        content = b64decode(text, validate=True)
    except ValueError:
        content = b"?"
    fits = len(content) % 8 == 0 and len(content) <= 8 * MAX_HASHES
    require(fits, "state.hashes are no hashes")
    hashes = np.frombuffer(content, dtype="<u8").astype(np.uint64)
    require(bool((hashes[1:] > hashes[:-1]).all()), "state.hashes are not sorted")
    counts = record.items("counts")
    are_counts = len(counts) == len(hashes) and all(_is_count(one) for one in counts)
    require(are_counts, "state.counts are not one for each hash")
    return Seen(hashes, np.array(counts, dtype=np.int64))


def _is_count(value: Any) -> bool:
    return type(value) is int and 1 <= value <= MAX_TIMES
