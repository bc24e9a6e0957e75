"""Whether a process that shares a store is still alive.

Each process keeps an empty SQLite file in an exclusive transaction. The system ends that with the
process, however it dies, so that no clock and no process number has to be trusted.
"""

import os
import re
import secrets
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

SUFFIX = ".alive"
NAME = re.compile(r"[0-9]+-[0-9a-f]{8}")
"""A process number and a random text: a name from a store may be anything, and becomes a path."""


class Presence:
    """The sign of life of this process, beside a store."""

    def __init__(self, store: Path) -> None:
        self._store = store.absolute()
        for name in _names(self._store):
            is_alive(self._store, name)  # the dead leave files behind, which this removes
        self.name = f"{os.getpid()}-{secrets.token_hex(4)}"
        self._file = _file(self._store, self.name)
        self._connection = self._take_lock()

    def _take_lock(self) -> sqlite3.Connection:
        while True:
            connection = sqlite3.connect(self._file, isolation_level=None)
            try:
                _lock(connection)
            except BaseException:
                connection.close()
                raise
            if self._file.exists():
                return connection
            # Before the lock was there, another process took this one for dead.
            connection.close()

    def close(self) -> None:
        """Take the sign away."""
        self._connection.close()
        with suppress(OSError):
            self._file.unlink()


def is_alive(store: Path, name: str) -> bool:
    """Whether the process of this name lives; the file of a dead one is removed."""
    if NAME.fullmatch(str(name)) is None:  # no process was ever called so; a file may hold bytes
        return False
    file = _file(store.absolute(), name)
    try:
        connection = sqlite3.connect(f"{file.as_uri()}?mode=rw", uri=True, timeout=0)
    except sqlite3.OperationalError:  # no such file: it ended in good order
        return False
    with closing(connection):
        try:
            _lock(connection)
        except sqlite3.OperationalError:
            return file.exists()
        if _remove(file):  # under the lock, so that nobody has taken the file meanwhile
            return False
    # Windows removes no file that is open, be it here or where it was taken meanwhile.
    _remove(file)
    return False


def _remove(file: Path) -> bool:
    """Remove a file, and return whether it has gone."""
    with suppress(OSError):
        file.unlink(missing_ok=True)
        return True
    return False


def _lock(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA journal_mode = OFF")  # nothing is written, so no journal beside it
    connection.execute("BEGIN EXCLUSIVE")


def _file(store: Path, name: str) -> Path:
    return store.with_name(f"{store.name}-{name}{SUFFIX}")


def _names(store: Path) -> list[str]:
    start = f"{store.name}-"
    names = (file.name for file in store.parent.iterdir())
    return [
        name.removeprefix(start).removesuffix(SUFFIX)
        for name in names
        if name.startswith(start) and name.endswith(SUFFIX)
    ]
