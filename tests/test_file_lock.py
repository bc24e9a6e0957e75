"""One process at a time has a file; a lock ends with its process, and touches nothing else."""

import errno
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from thresher import whole_file
from thresher.errors import NotWrittenError
from thresher.whole_file import locked

posix = pytest.mark.skipif(os.name == "nt", reason="Windows has neither flock nor pipes by name")
HOLDER = """
import sys, time
from pathlib import Path
from thresher.whole_file import locked
with locked(Path(sys.argv[1]), print):
    print("locked", flush=True)
    time.sleep(600)
"""


@pytest.fixture
def holder(tmp_path):
    """Another process that has the lock of a.json."""
    command = [sys.executable, "-c", HOLDER, tmp_path / "a.json"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout.readline() == "locked\n"
        yield process
        process.kill()


def enter(path):
    with locked(path, pytest.fail):
        pass


def test_threads_that_count_in_a_file_lose_no_step(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("0", encoding="ascii")

    def count():
        for _ in range(20):
            with locked(path, pytest.fail):
                number = int(path.read_text(encoding="ascii"))
                time.sleep(0.0005)
                path.write_text(str(number + 1), encoding="ascii")

    threads = [threading.Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert path.read_text(encoding="ascii") == "80"
    assert sorted(one.name for one in tmp_path.iterdir()) == ["a.txt", "a.txt.lock"]


def test_another_process_is_waited_for_and_the_lock_of_a_killed_one_is_free(
    tmp_path, monkeypatch, holder
):
    monkeypatch.setattr(whole_file, "QUIET", 0.05)
    said = []

    def say(sentence):
        said.append(sentence)
        holder.send_signal(signal.SIGTERM if os.name == "nt" else signal.SIGKILL)

    with locked(tmp_path / "a.json", say):
        assert holder.wait() != 0
    assert said == [f"Waiting for another process that uses '{tmp_path / 'a.json'}' ..."]


def test_waiting_ends_with_a_sentence(tmp_path, monkeypatch, holder):
    monkeypatch.setattr(whole_file, "PATIENCE", 0.1)
    with pytest.raises(NotWrittenError, match=r"a\.json' was in use by another process for 0 sec"):
        enter(tmp_path / "a.json")


@posix
def test_a_lock_file_that_somebody_removed_lets_nobody_in_twice(tmp_path, monkeypatch):
    inside, most = [], []

    def work():
        with locked(tmp_path / "a.json", pytest.fail):
            inside.append(1)
            most.append(len(inside))
            time.sleep(0.01)
            inside.pop()

    real = whole_file._take

    def take(handle):  # the file goes between opening and locking
        (tmp_path / "a.json.lock").unlink()
        monkeypatch.setattr(whole_file, "_take", real)
        real(handle)

    monkeypatch.setattr(whole_file, "_take", take)
    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1] * 4


@posix
@pytest.mark.parametrize("code", [errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS])
def test_a_file_system_without_locks_is_one_sentence(tmp_path, monkeypatch, code):
    def refuse(*given):
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr("fcntl.flock", refuse)
    with pytest.raises(NotWrittenError, match=r"a\.json' cannot be locked against other proc"):
        enter(tmp_path / "a.json")


@posix
def test_nothing_but_a_regular_file_is_locked(tmp_path):
    outside = tmp_path / "outside"
    for make in (lambda lock: lock.symlink_to(outside), os.mkfifo, os.mkdir):
        lock = tmp_path / "a.json.lock"
        make(lock)
        with pytest.raises(NotWrittenError, match=r"a\.json\.lock' is not a regular file"):
            enter(tmp_path / "a.json")
        lock.rmdir() if lock.is_dir() else lock.unlink()
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(NotWrittenError, match="pipe' is not a regular file"):
        enter(tmp_path / "pipe")
    assert [one.name for one in tmp_path.iterdir()] == ["pipe"]


@posix
def test_a_link_that_comes_at_the_last_moment_is_not_followed(tmp_path, monkeypatch):
    lock, outside = tmp_path / "a.json.lock", tmp_path / "outside"
    lock.symlink_to(outside)
    monkeypatch.setattr("pathlib.Path.is_symlink", lambda path: False)
    with pytest.raises(NotWrittenError, match=r"a\.json' cannot be written"):
        enter(tmp_path / "a.json")
    assert not outside.exists()


@posix
def test_links_to_one_file_share_its_lock(tmp_path, holder, monkeypatch):
    monkeypatch.setattr(whole_file, "PATIENCE", 0.1)
    (tmp_path / "a.json").write_text("", encoding="ascii")
    (tmp_path / "link.json").symlink_to(tmp_path / "a.json")
    with pytest.raises(NotWrittenError, match=r"link\.json' was in use"):
        enter(tmp_path / "link.json")
