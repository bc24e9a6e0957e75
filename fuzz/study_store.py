"""Coverage-guided search for bytes on which the store of a study does anything but refuse or work.

    python fuzz/study_store.py -max_total_time=60 CORPUS fuzz/corpus/study_store

An input is the SQLite file. It is read as `load_study` reads it, which must leave it as it is, then
resumed: runs are claimed and recorded. Half of the changes are made to fields of the database.
"""

import sqlite3
import sys
import tempfile
from pathlib import Path

import atheris

sys.path.insert(0, str(Path(__file__).parents[1]))

with atheris.instrument_imports(include=["thresher.benchmark.study"]):
    from thresher.benchmark.errors import StudyError
    from thresher.benchmark.study.execution import RunOutcome
    from thresher.benchmark.study.measures import Measures
    from thresher.benchmark.study.store import Claim, Retry, Store
    from thresher.benchmark.study.study import load_study

from fuzz.harness import start
from fuzz.refusal import refusals

FOLDER = Path(tempfile.mkdtemp(prefix="thresher-fuzz-"))
FILE = FOLDER / "study.sqlite"
OUTCOME = RunOutcome("done", None, None, Measures(90, 3, 2, 5, 0.5, 0.1, 0.2, 0.01, 4))
WRONG = [
    None, 0, -1, 2**62, 1.5, float("inf"), "", "running", "done", "x" * 300, "\x1b", "a\nb", b"",
    b"\xff\xfe", "1-../00000000", "{}", "[1]", '{"folds": null}',
    "\udc80".encode("utf-8", "surrogatepass"),
]  # fmt: skip


def read_any(data):
    """Read one input, then go on with it; whatever is raised from here is a finding."""
    _clear()
    FILE.write_bytes(data)
    with refusals(StudyError):
        result = load_study(FILE)
        result.table("f1")
        repr(result.failures)
    assert FILE.read_bytes() == data, "reading has changed the file"
    with refusals(StudyError):
        _resume()
    assert FILE.exists(), "the file is lost"


def _clear():
    for file in FOLDER.iterdir():
        file.unlink()


def _resume():
    with Store(FILE, Retry(failed=True)) as store:
        study, _ = store.latest_study()
        runs = store.members(study)
        for run in runs[:3]:
            if store.claim(run.key) is Claim.OURS:
                store.record(run.key, OUTCOME)
        done = store.outcomes(study)
        assert {outcome.status for outcome in done.values()} <= {
            "done", "failed", "running", "timeout", "interrupted",
        }  # fmt: skip


def changed(draw, data):
    """Change a field, a row or the schema of the database."""
    connection = sqlite3.connect(":memory:")
    try:
        connection.deserialize(data)
        _change(draw, connection)
        connection.commit()
        return connection.serialize()
    except (sqlite3.Error, sqlite3.Warning, UnicodeError, MemoryError):
        raise ValueError from None
    finally:
        connection.close()


def _change(draw, connection):
    table = draw.choice(["studies", "members", "runs"])
    columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
    column, value = draw.choice(columns), draw.choice(WRONG)
    connection.execute("PRAGMA ignore_check_constraints = ON")
    way = draw.randrange(8)
    if way == 0:
        connection.execute(
            f"DELETE FROM {table} WHERE {column} = (SELECT max({column}) FROM {table})"
        )
    elif way == 1:
        statement = draw.choice(["DROP TABLE {}", "ALTER TABLE {} RENAME COLUMN key TO other"])
        connection.execute(statement.format(table))
    elif way == 2:
        pragma = draw.choice(["user_version", "application_id", "page_size", "encoding"])
        connection.execute(f"PRAGMA {pragma} = {draw.choice([0, 1, 2, -1, 2**31 - 1])}")
    else:
        rows = connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
        one = f"(SELECT {column} FROM {table} LIMIT 1 OFFSET {draw.randrange(rows)})"
        connection.execute(f"UPDATE {table} SET {column} = ? WHERE {column} = {one}", (value,))


if __name__ == "__main__":
    start(read_any, changed)
