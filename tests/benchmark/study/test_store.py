"""The store: claims, what is tried again, and files that are no stores."""

import multiprocessing
import os
import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from tests.benchmark.study.own_methods import Plain, make_table
from thresher.benchmark import METRICS, StudyError, load_study, run_study
from thresher.benchmark.study.dataset import Folds
from thresher.benchmark.study.execution import RunOutcome
from thresher.benchmark.study.measures import Measures
from thresher.benchmark.study.plan import make_plan
from thresher.benchmark.study.presence import Presence, is_alive
from thresher.benchmark.study.schema import SCHEMA_VERSION, explain
from thresher.benchmark.study.store import Claim, Retry, Store

TABLES = {"a": make_table(0)}
METHODS = {"one": Plain(0.1), "two": Plain(0.2)}
MEASURES = Measures(20, 1, 2, 3, 0.1 + 0.2, None, 1e-9, 0.5, None)
DONE = RunOutcome("done", None, "careful", MEASURES)
KEY = "key"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "results.sqlite"


def compare(path, **parameters):
    return run_study(TABLES, METHODS, folds=3, store=path, **parameters)


def plan_of(methods=METHODS, folds=3):
    return make_plan(TABLES, methods, Folds(folds, 1, 0))


# ------------------------------------------------------------------------------ claims, outcomes


@pytest.mark.parametrize("in_memory", [False, True])
def test_outcomes_come_back_as_they_were(path, in_memory):
    plan = plan_of()
    outcomes = [
        DONE,
        RunOutcome("failed", "ValueError: é"),
        RunOutcome("timeout", "Stopped.", "warned"),
    ]
    with Store(None if in_memory else path) as store:
        store.enrol(plan)
        for run, outcome in zip(plan.runs, outcomes, strict=False):
            assert store.claim(run.key) is Claim.OURS
            store.record(run.key, outcome)
        keys = [run.key for run in plan.runs]
        assert store.outcomes(plan.digest) == dict(zip(keys, outcomes, strict=False))
        assert store.members(plan.digest) == list(plan.runs)
        assert store.latest_study() == (plan.digest, plan.settings)


def test_a_claim_of_a_living_process_holds_and_that_of_a_dead_one_does_not(path):
    with Store(path) as first, Store(path) as second:
        assert first.claim(KEY) is Claim.OURS
        assert second.claim(KEY) is Claim.ELSEWHERE
        first.close()
        assert second.claim(KEY) is Claim.OURS
        second.record(KEY, DONE)
        assert second.claim(KEY) is Claim.OVER


def test_what_is_done_stays(path):
    with Store(path) as store:
        store.claim(KEY)
        store.record(KEY, DONE)
        store.record(KEY, RunOutcome("failed", "too late"))
        store.interrupt("no")
        assert store.claim(KEY) is Claim.OVER


@pytest.mark.parametrize(
    ("outcome", "retry", "claim"),
    [
        (RunOutcome("failed", "no"), Retry(), Claim.OVER),
        (RunOutcome("failed", "no"), Retry(failed=True), Claim.OURS),
        (RunOutcome("timeout", "no"), Retry(failed=True, timeout=5.0), Claim.OVER),
        (RunOutcome("timeout", "no"), Retry(timeout=4.0), Claim.OVER),
        (RunOutcome("timeout", "no"), Retry(timeout=5.1), Claim.OURS),
        (RunOutcome("timeout", "no"), Retry(timeout=None), Claim.OURS),
        (DONE, Retry(failed=True, timeout=None), Claim.OVER),
    ],
)
def test_what_is_tried_again(path, outcome, retry, claim):
    with Store(path, Retry(timeout=5.0)) as store:
        store.claim(KEY)
        store.record(KEY, outcome)
    with Store(path, retry) as store:
        assert store.claim(KEY) is claim


def test_interrupted_runs_are_given_back(path):
    with Store(path) as first, Store(path) as second:
        first.claim(KEY)
        second.claim("other")
        first.interrupt("Stopped by Ctrl-C.")
        assert second.claim(KEY) is Claim.OURS
        assert first.claim("other") is Claim.ELSEWHERE


def race(path, start, replies, n_keys):
    start.wait()
    with Store(path) as store:
        replies.put([key for key in range(n_keys) if store.claim(str(key)) is Claim.OURS])
        start.wait()


def test_processes_that_race_for_runs_in_a_new_store_get_each_run_once(path):
    context = multiprocessing.get_context("spawn")
    start, replies = context.Barrier(2), context.Queue()
    racers = [context.Process(target=race, args=(path, start, replies, 300)) for _ in range(2)]
    for racer in racers:
        racer.start()
    taken = [replies.get(timeout=60) for _ in racers]
    for racer in racers:
        racer.join()
    assert sorted(key for keys in taken for key in keys) == list(range(300))


def test_a_presence_ends_with_its_file(path):
    presence = Presence(path)
    assert is_alive(path, presence.name)
    presence.close()
    assert not is_alive(path, presence.name)
    assert list(path.parent.iterdir()) == []


def test_signs_of_the_dead_are_removed(path):
    code = f"""
import os, pathlib
from thresher.benchmark.study.presence import Presence
presence = Presence(pathlib.Path({str(path)!r}))
print(presence.name, flush=True)
os.kill(os.getpid(), 9)
"""
    dead = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert len(list(path.parent.iterdir())) == 1
    assert not is_alive(path, dead.stdout.strip())
    assert list(path.parent.iterdir()) == []


def test_signs_of_the_dead_are_removed_where_open_files_stay(path, monkeypatch):
    remove = Path.unlink

    def unlink(file, missing_ok=False):
        with closing(sqlite3.connect(file, timeout=0)) as other:
            try:
                other.execute("BEGIN EXCLUSIVE")
            except sqlite3.OperationalError:
                raise PermissionError from None
        remove(file, missing_ok)

    name = "1-00000000"
    path.with_name(f"{path.name}-{name}.alive").touch()
    monkeypatch.setattr(Path, "unlink", unlink)  # as on Windows
    assert not is_alive(path, name)
    assert list(path.parent.iterdir()) == []


@pytest.mark.parametrize(
    "name", ["1-../00000000", "12530-d1/d764c", "", "../x", "1-0000000\x00", b"1"]
)
def test_a_name_that_no_process_has_is_not_alive_and_touches_no_file(path, name):
    beside = path.with_name(f"{path.name}-x.alive")
    beside.touch()
    assert not is_alive(path, name)
    assert list(path.parent.iterdir()) == [beside]


def test_a_store_at_rest_is_one_file(path):
    compare(path)
    assert list(path.parent.iterdir()) == [path]
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)


def test_studies_side_by_side_share_what_they_have_in_common(path):
    compare(path)
    other = run_study(TABLES, {"uno": Plain(0.1), "three": Plain(0.3)}, folds=3, store=path)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT count(*) FROM runs").fetchone() == (9,)
    assert load_study(path) == other
    again = compare(path)
    assert load_study(path) == again


# ------------------------------------------------------------------------- files that are no stores


def refused(path, sentence):
    """Check that both ways in are refused with one sentence, and that the file stays as it is."""
    before = path.read_bytes() if path.is_file() else None
    for open_it in (compare, load_study):
        with pytest.raises(StudyError, match=sentence) as caught:
            open_it(path)
        assert "\n" not in str(caught.value)
        assert str(path) in str(caught.value)
    assert (path.read_bytes() if path.is_file() else None) == before


def test_a_text_file_is_no_store(path):
    path.write_text("dataset,method,f1\n" * 1000)
    refused(path, r"is damaged, or not a store of results \(file is not a database\)")


@pytest.mark.parametrize(
    ("table", "column"),
    [("members", "dataset"), ("members", "key"), ("runs", "error"), ("runs", "owner"),
     ("studies", "settings"), ("studies", "digest")],
)  # fmt: skip
def test_bytes_in_a_field_are_said_to_be_damage(path, table, column):
    compare(path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"UPDATE {table} SET {column} = x'00ff'")
    content = path.read_bytes()
    with pytest.raises(StudyError, match="is damaged") as caught:
        load_study(path)
    assert len(str(caught.value).splitlines()) == 1
    assert path.read_bytes() == content


def test_settings_that_are_none_are_said_to_be_damage(path):
    compare(path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE studies SET settings = '[1]'")
    with pytest.raises(StudyError, match=r"is damaged.*\(the settings of a study are none\)"):
        load_study(path)


def test_want_of_memory_is_told(path, monkeypatch):
    compare(path)

    def fail(self):
        raise MemoryError

    monkeypatch.setattr(Store, "_is_empty", fail)
    refused(path, "failed: out of memory")


def test_a_truncated_store_is_said_to_be_damaged(path):
    compare(path)
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    refused(path, "is damaged")


def test_a_store_of_another_version_is_left_alone(path):
    compare(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    refused(path, f"is of version {SCHEMA_VERSION + 1}, and this thresher reads version 1")


def test_another_program_s_database_is_left_alone(path):
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE runs (speed)")
        connection.commit()
    refused(path, "is an SQLite file, but not a store of thresher")


def test_a_folder_is_no_store(tmp_path):
    refused(tmp_path, "is a folder; name a file in it")


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(StudyError, match=r"The folder .*nowhere' of the store does not exist"):
        compare(tmp_path / "nowhere" / "results.sqlite")


def test_nothing_to_load(path):
    with pytest.raises(StudyError, match="There is no store"):
        load_study(path)
    assert not path.exists()
    path.touch()
    with pytest.raises(StudyError, match="holds no study yet"):
        load_study(path)
    assert compare(path).is_complete


def test_a_store_that_another_program_locks(path, monkeypatch):
    monkeypatch.setattr("thresher.benchmark.study.store.LOCK_TIMEOUT", 0.1)
    compare(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StudyError, match="has been locked by another program"):
            compare(path)


def look_at(result):
    """Look at everything that can be read of a result."""
    for metric in METRICS:
        result.table(metric, partial=True)
    return result.to_frame(), str(result), result.failures


def check_damages(path, rounds, seed):
    """Put random bytes in random places: one sentence, or a result; never another error."""
    compare(path)
    content, random = path.read_bytes(), np.random.default_rng(seed)
    refusals = 0
    for _ in range(rounds):
        damaged = bytearray(content)
        start, length = int(random.integers(len(content))), int(random.integers(1, 40))
        damaged[start : start + length] = random.bytes(len(damaged[start : start + length]))
        for open_it in (load_study, compare):
            path.write_bytes(damaged)
            try:
                look_at(open_it(path))
            except StudyError as error:
                refusals += "\n" not in str(error)
    assert refusals > rounds / 20


def test_every_damage_is_noticed_or_harmless(path):
    check_damages(path, rounds=60, seed=0)


@pytest.mark.slow
def test_many_damages_are_noticed_or_harmless(path):
    check_damages(path, rounds=1000, seed=1)


# --------------------------------------------------------------------------- no room, no permission

LIMITED = """
import resource, sys
from tests.benchmark.study.test_store import many
from thresher.benchmark import StudyError
soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), hard))
try:
    print(many(sys.argv[1]))
except StudyError as error:
    print(error)
    print(error.result)
"""


def many(path):
    methods = {f"method {number}": Plain(number / 100) for number in range(60)}
    return run_study(TABLES, methods, folds=10, store=path)


def python(code, *arguments):
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()


@pytest.mark.skipif(sys.platform == "win32", reason="files have no such limit there")
def test_a_disk_without_room_for_a_study(path):
    sentence, result = python(LIMITED, path, 60_000)
    assert sentence.startswith(f"The store '{path}' could not be written (")
    assert result == "None"
    assert many(path).is_complete


@pytest.mark.skipif(sys.platform == "win32", reason="files have no such limit there")
def test_a_disk_that_fills_up_during_a_study(path):
    sentence, result = python(LIMITED, path, 400_000)
    assert sentence == (
        f"The store '{path}' could not be written (disk I/O error): make room on the disk and run "
        "the study again; what was stored before is kept."
    )
    stored = load_study(path)
    before = {run[:4]: run for run in stored.runs if run.status == "done"}
    assert 10 < len(before) < 600
    # The run that found no room may be done as well: the error has it.
    found = int(re.search(r"(\d+) done", result).group(1))
    assert found - len(before) in (0, 1)
    after = many(path)
    assert after.is_complete
    assert {run[:4]: run for run in after.runs if run[:4] in before} == before


def test_a_full_database_is_said_in_the_same_words(path):
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE numbers (value)")
        connection.execute("PRAGMA max_page_count = 2")
        with pytest.raises(sqlite3.OperationalError) as caught:
            connection.execute("INSERT INTO numbers VALUES (zeroblob(100000))")
    sentence = explain("here.sqlite", caught.value)
    assert sentence.startswith("The store 'here.sqlite' could not be written (database or disk is")


@pytest.mark.skipif(sys.platform == "win32", reason="permissions are others there")
@pytest.mark.parametrize("exists", [False, True])
def test_a_read_only_folder(tmp_path, exists):
    folder = tmp_path / "locked"
    folder.mkdir()
    path = folder / "results.sqlite"
    if exists:
        compare(path)
        path.chmod(0o444)
    folder.chmod(0o555)
    # pytest's own folders, of which pytest-xdist has one more.
    own = [part for part in tmp_path.parents if part.name.startswith(("pytest-", "popen-"))]
    for part in (tmp_path, *own):
        part.chmod(0o755)
    code = """
import os, sys
from tests.benchmark.study.test_store import compare
from thresher.benchmark import StudyError, load_study
if os.getuid() == 0:  # nothing is read-only for root
    os.setuid(65534)
try:
    compare(sys.argv[1])
except StudyError as error:
    print(error)
if os.path.exists(sys.argv[1]):
    print(load_study(sys.argv[1]))
"""
    try:
        sentence, *result = python(code, path)
    finally:
        folder.chmod(0o755)
    expected = "is read-only; give a path" if exists else "cannot be opened (unable to open"
    assert expected in sentence
    assert result == (["StudyResult(1 data set, 2 methods, 6 runs: 6 done)"] if exists else [])
