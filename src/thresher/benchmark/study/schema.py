"""The tables of a store, and what SQLite's errors mean for whoever runs a study."""

import sqlite3
from json import JSONDecodeError

APPLICATION_ID = 0x74687273  # "thrs"
SCHEMA_VERSION = 1
LOCK_TIMEOUT = 60.0
"""Seconds to wait while another process writes."""

SCHEMA = (
    # The rowid orders studies by the time they were last started.
    "CREATE TABLE studies (digest TEXT PRIMARY KEY, settings TEXT NOT NULL)",
    """CREATE TABLE members (
        study TEXT NOT NULL, place INTEGER NOT NULL,
        dataset TEXT NOT NULL, method TEXT NOT NULL, repeat INTEGER NOT NULL, fold INTEGER NOT NULL,
        key TEXT NOT NULL,
        PRIMARY KEY (study, place)
    ) WITHOUT ROWID""",
    # Times are seconds since 1970, fit_time and predict_time seconds of CPU, allowed the timeout;
    # the seal is a SHA-256 of the outcome, since SQLite does not notice a damaged number.
    """CREATE TABLE runs (
        key TEXT PRIMARY KEY,
        status TEXT NOT NULL
            CHECK (status IN ('running', 'done', 'failed', 'timeout', 'interrupted')),
        owner TEXT NOT NULL, started REAL NOT NULL, finished REAL, allowed REAL,
        error TEXT, warnings TEXT,
        tn INTEGER, fp INTEGER, fn INTEGER, tp INTEGER,
        average_precision REAL, brier REAL, fit_time REAL, predict_time REAL, leaves INTEGER,
        seal TEXT
    ) WITHOUT ROWID""",
    f"PRAGMA application_id = {APPLICATION_ID}",
    f"PRAGMA user_version = {SCHEMA_VERSION}",
)

_DAMAGED = (
    "The file '{path}' is damaged, or not a store of results ({error}); it was left as it is: give "
    "another path, or move it away."
)
_NOT_WRITTEN = (
    "The store '{path}' could not be written ({error}): make room on the disk and run the study "
    "again; what was stored before is kept."
)
_FAILED = "The store '{path}' failed: {error}."
_SENTENCES = {
    sqlite3.SQLITE_FULL: _NOT_WRITTEN,
    sqlite3.SQLITE_IOERR: _NOT_WRITTEN,
    sqlite3.SQLITE_READONLY: "The store '{path}' is read-only; give a path that can be written.",
    sqlite3.SQLITE_CANTOPEN: (
        "The store '{path}' cannot be opened ({error}); check the permissions of its folder, or "
        "give another path."
    ),
    sqlite3.SQLITE_NOTADB: _DAMAGED,
    sqlite3.SQLITE_CORRUPT: _DAMAGED,
    sqlite3.SQLITE_BUSY: (
        f"The store '{{path}}' has been locked by another program for {LOCK_TIMEOUT:g} s; try "
        "again when that has ended."
    ),
}


def explain(path: str, error: Exception) -> str:
    """Return one sentence that says what is wrong with a store and what to do."""
    # The low byte is the kind of error, the others say more of the circumstances.
    kind = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if isinstance(error, UnicodeError | JSONDecodeError | DamageError):
        kind = sqlite3.SQLITE_CORRUPT
    sentence = _SENTENCES.get(kind, _FAILED)
    return sentence.format(path=path, error=_words(error))


def _words(error: Exception) -> str:
    """Return what an error says, on one line."""
    return " ".join(str(error).split()) or "out of memory"


class DamageError(Exception):
    """What a check of a store's content has found."""
