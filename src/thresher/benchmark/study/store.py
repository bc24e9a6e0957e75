"""The store of a study: an SQLite file with a row for each run, named by its content.

A run is claimed, executed, recorded. Each step is one transaction, so that a process may be killed
at any moment, and several processes may share a file; see `Presence` for claims of dead ones.
"""

import json
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from enum import Enum
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple, Self

from thresher.benchmark.errors import StudyError
from thresher.benchmark.study.content import digest
from thresher.benchmark.study.execution import RunOutcome
from thresher.benchmark.study.measures import Measures
from thresher.benchmark.study.plan import Plan, Run, study_digest
from thresher.benchmark.study.presence import Presence, is_alive
from thresher.benchmark.study.schema import (
    APPLICATION_ID,
    LOCK_TIMEOUT,
    SCHEMA,
    SCHEMA_VERSION,
    DamageError,
    explain,
)

FIELDS = (*RunOutcome._fields[:-1], *Measures._fields)
"""Columns of an outcome."""


class Retry(NamedTuple):
    """Which runs without an outcome are tried again; interrupted ones always are.

    Attributes
    ----------
    failed : whether runs that failed are.
    timeout : seconds; runs that were stopped after fewer are, and all of them if it is None.
    """

    failed: bool = False
    timeout: float | None = None

    def wants(self, status: str, allowed: float | None) -> bool:
        """Whether a run of this status, stopped after `allowed` seconds, is tried again."""
        if status == "timeout":
            return self.timeout is None or (allowed is not None and self.timeout > allowed)
        return status == "interrupted" or (status == "failed" and self.failed)


class Claim(Enum):
    """What came of the attempt to take a run."""

    OURS = "ours"
    ELSEWHERE = "under way in another process"
    OVER = "over"


class Store:
    """Outcomes of runs in an SQLite file, or in memory where the path is None."""

    def __init__(
        self, path: str | PathLike[str] | None, retry: Retry | None = None, *, create: bool = True
    ) -> None:
        self.path = None if path is None else Path(path)
        self._retry = retry or Retry()
        _check_path(self.path, create)
        with self._explained():
            self._connection = sqlite3.connect(
                ":memory:" if self.path is None else self.path,
                timeout=LOCK_TIMEOUT,
                isolation_level=None,
            )
        try:
            with self._explained():
                self._prepare(create)
                self._presence = Presence(self.path) if self.path and create else None
        except BaseException:
            self._connection.close()
            raise

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError, UnicodeError, json.JSONDecodeError, DamageError) as error:
            raise StudyError(explain(str(self.path), error)) from error
        except MemoryError as error:  # so SQLite answers to some damage, too
            raise StudyError(explain(str(self.path), error)) from error

    def _prepare(self, create: bool) -> None:
        if not self._is_empty():
            self._check_content()
        elif not create:
            raise StudyError(f"The store '{self.path}' holds no study yet.")
        if not create:
            return
        if self.path is not None:
            self._log_ahead()
        with self._transaction():
            if self._is_empty():
                for statement in SCHEMA:
                    self._connection.execute(statement)

    def _is_empty(self) -> bool:
        (tables,) = self._one("SELECT count(*) FROM sqlite_master")
        return not tables and self._one("PRAGMA user_version") == (0,)

    def _check_content(self) -> None:
        if self._one("PRAGMA application_id") != (APPLICATION_ID,):
            raise StudyError(
                f"'{self.path}' is an SQLite file, but not a store of thresher; it was left as it "
                "is: give another path."
            )
        (version,) = self._one("PRAGMA user_version")
        if version != SCHEMA_VERSION:
            raise StudyError(
                f"The store '{self.path}' is of version {version}, and this thresher reads version "
                f"{SCHEMA_VERSION}; give another path, or use the thresher that wrote it."
            )
        (verdict,) = self._one("PRAGMA quick_check(1)")
        if verdict != "ok":
            raise DamageError(verdict)

    def _log_ahead(self) -> None:
        """Let others read while one writes; a commit survives a kill without a sync of the disk."""
        deadline = time.monotonic() + LOCK_TIMEOUT
        while True:
            try:
                self._connection.execute("PRAGMA journal_mode = WAL")
                break
            except sqlite3.OperationalError as error:
                # Another process may be doing the same; SQLite does not wait for it here.
                if "locked" not in str(error) or time.monotonic() > deadline:
                    raise
                time.sleep(0.01)
        self._connection.execute("PRAGMA synchronous = NORMAL")

    def _one(self, statement: str, values: Sequence[Any] = ()) -> Any:
        return next(iter(self._rows(statement, values)), None)

    def _rows(self, statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        # All at once: a cursor that an error keeps alive half-way would keep the file locked.
        with closing(self._connection.execute(statement, values)) as cursor:
            rows = cursor.fetchall()
        if any(isinstance(field, bytes) for row in rows for field in row):
            raise DamageError("a field holds bytes, and no field of a store does")
        return rows

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            with suppress(sqlite3.Error):
                self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")

    # ------------------------------------------------------------------------------- writing

    def enrol(self, plan: Plan) -> None:
        """Note what belongs to a study, which becomes the latest one."""
        study = plan.digest
        members = [(study, place, *run) for place, run in enumerate(plan.runs)]
        with self._explained(), self._transaction():
            self._connection.execute(
                "INSERT OR REPLACE INTO studies (digest, settings) VALUES (?, ?)",
                (study, json.dumps(plan.settings)),
            )
            self._connection.executemany(
                "INSERT OR IGNORE INTO members VALUES (?, ?, ?, ?, ?, ?, ?)", members
            )

    def claim(self, key: str) -> Claim:
        """Take a run, unless it is over or under way in another process that lives."""
        with self._explained():
            added = self._connection.execute(
                "INSERT INTO runs (key, status, owner, started) VALUES (?, 'running', ?, ?) "
                "ON CONFLICT DO NOTHING",
                (key, self._owner, time.time()),
            )
            return Claim.OURS if added.rowcount == 1 else self._take_over(key)

    def _take_over(self, key: str) -> Claim:
        status, owner, allowed = self._one(
            "SELECT status, owner, allowed FROM runs WHERE key = ?", (key,)
        )
        if status == "running":
            if self._is_alive(owner):
                return Claim.ELSEWHERE
        elif not self._retry.wants(status, allowed):
            return Claim.OVER
        taken = self._connection.execute(
            "UPDATE runs SET status = 'running', owner = ?, started = ?, error = NULL "
            "WHERE key = ? AND status = ? AND owner = ?",
            (self._owner, time.time(), key, status, owner),
        )
        return Claim.OURS if taken.rowcount == 1 else Claim.ELSEWHERE

    @property
    def _owner(self) -> str:
        return self._presence.name if self._presence else ""

    def _is_alive(self, owner: str) -> bool:
        return owner == self._owner or (self.path is not None and is_alive(self.path, owner))

    def record(self, key: str, outcome: RunOutcome) -> None:
        """Keep the outcome of a run; one that is done stays as it is."""
        fields = ", ".join(f"{name} = ?" for name in FIELDS)
        values = _flat(outcome)
        with self._explained():
            self._connection.execute(
                f"UPDATE runs SET {fields}, seal = ?, finished = ?, allowed = ? "
                "WHERE key = ? AND status <> 'done'",
                (*values, _seal(key, values), time.time(), self._retry.timeout, key),
            )

    def interrupt(self, reason: str) -> None:
        """Give back the runs that are under way in this process."""
        with self._explained():
            self._connection.execute(
                "UPDATE runs SET status = 'interrupted', error = ?, finished = ? "
                "WHERE status = 'running' AND owner = ?",
                (reason, time.time(), self._owner),
            )

    # ------------------------------------------------------------------------------- reading

    def latest_study(self) -> tuple[str, dict[str, Any]]:
        """Return the digest and the settings of the study that was started last."""
        with self._explained():
            found = self._one("SELECT digest, settings FROM studies ORDER BY rowid DESC LIMIT 1")
            if found is None:
                raise StudyError(f"The store '{self.path}' holds no study yet.")
            settings = json.loads(found[1])
            if not isinstance(settings, dict):
                raise DamageError("the settings of a study are none")
            return found[0], settings

    def members(self, study: str) -> list[Run]:
        """Return the runs of a study in their order."""
        with self._explained():
            rows = self._rows(
                "SELECT dataset, method, repeat, fold, key FROM members WHERE study = ? "
                "ORDER BY place",
                (study,),
            )
            runs = [Run(*row) for row in rows]
            if study_digest(runs) != study:
                raise DamageError("a list of runs has changed")
            return runs

    def outcomes(self, study: str) -> dict[str, RunOutcome]:
        """Return the outcomes that are known of a study, by key."""
        with self._explained():
            rows = self._rows(
                f"SELECT key, owner, seal, {', '.join(FIELDS)} FROM runs "
                "WHERE key IN (SELECT key FROM members WHERE study = ?)",
                (study,),
            )
            return {key: self._outcome(key, *row) for key, *row in rows}

    def _outcome(self, key: str, owner: str, seal: str | None, *values: Any) -> RunOutcome:
        status, error, warnings, *measures = values
        if status == "running":
            if self._is_alive(owner):
                return RunOutcome("running")
            return RunOutcome("interrupted", "Its process was killed.")
        if status != "interrupted" and seal != _seal(key, values):
            raise DamageError("the outcome of a run has changed")
        return RunOutcome(
            status, error, warnings, Measures(*measures) if status == "done" else None
        )

    def close(self) -> None:
        """Close the file; the last one to do so leaves a single file that needs no other."""
        with suppress(sqlite3.Error):
            if self._presence is not None:
                self._connection.execute("PRAGMA busy_timeout = 0")
                self._connection.execute("PRAGMA journal_mode = DELETE")
        self._connection.close()
        if self._presence is not None:
            self._presence.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def _check_path(path: Path | None, create: bool) -> None:
    if path is None:
        return
    if path.is_dir():
        raise StudyError(f"The store '{path}' is a folder; name a file in it.")
    if not path.exists() and not create:
        raise StudyError(f"There is no store '{path}'; check the path, or run a study first.")
    if not path.parent.is_dir():
        raise StudyError(f"The folder '{path.parent}' of the store does not exist; make it first.")


def _flat(outcome: RunOutcome) -> tuple[Any, ...]:
    return (*outcome[:-1], *(outcome.measures or (None,) * len(Measures._fields)))


def _seal(key: str, values: Sequence[Any]) -> str:
    return digest([key, *values])
