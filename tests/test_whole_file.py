"""Files are there as a whole or not at all, with the rights that their owner gave them."""

import errno
import os
import stat
import tempfile
import threading
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from thresher import ImbalancedTreeClassifier, load_model, save_model
from thresher.errors import NotWrittenError
from thresher.whole_file import (
    PENDING,
    check_folder,
    finish_folder,
    new_file,
    new_folder,
    whole_file,
)

posix = pytest.mark.skipif(os.name == "nt", reason="Windows has neither umask nor pipes by name")


NOBODY = 65534


@contextmanager
def as_nobody():
    """Give up root's rights for a while; others stay who they are."""
    user = os.geteuid()
    if user == 0:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(user)


def rights(path):
    return stat.S_IMODE(path.stat().st_mode)


def fill(path, text="new"):
    with whole_file(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


@posix
@pytest.mark.parametrize(("umask", "expected"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_a_new_file_has_the_rights_of_the_umask(tmp_path, umask, expected):
    before = os.umask(umask)
    try:
        fill(tmp_path / "a.txt")
    finally:
        os.umask(before)
    assert rights(tmp_path / "a.txt") == expected


@posix
def test_a_file_that_is_there_keeps_its_rights(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("old", encoding="utf-8")
    path.chmod(0o600)
    fill(path)
    assert (path.read_text(encoding="utf-8"), rights(path)) == ("new", 0o600)


@posix
def test_a_pipe_is_written_into_and_stays_a_pipe(tmp_path):
    pipe = tmp_path / "pipe.thresher"
    os.mkfifo(pipe)
    got = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    model = ImbalancedTreeClassifier().fit([[1.0], [2.0], [3.0], [4.0]] * 3, [0, 0, 0, 1] * 3)
    save_model(model, pipe)
    reader.join(timeout=20)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    (tmp_path / "copy.thresher").write_bytes(got[0])
    assert load_model(tmp_path / "copy.thresher").predict([[4.0]]).tolist() == [1]
    assert {one.name for one in tmp_path.iterdir()} == {"pipe.thresher", "copy.thresher"}


def test_a_name_as_long_as_the_system_allows(tmp_path):
    path = tmp_path / ("a" * 250 + ".txt")
    fill(path)
    assert path.read_text(encoding="utf-8") == "new"


def test_what_fails_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("old", encoding="utf-8")
    with suppress(RuntimeError), whole_file(path) as temporary:
        temporary.write_text("half", encoding="utf-8")
        raise RuntimeError
    assert path.read_text(encoding="utf-8") == "old"
    assert [one.name for one in tmp_path.iterdir()] == ["a.txt"]


@posix
def test_a_link_is_followed(tmp_path):
    (tmp_path / "real.txt").write_text("old", encoding="utf-8")
    (tmp_path / "link.txt").symlink_to(tmp_path / "real.txt")
    fill(tmp_path / "link.txt")
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "real.txt").read_text(encoding="utf-8") == "new"


def test_places_that_cannot_be_written_are_one_sentence(tmp_path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(NotWrittenError, match="is a file, not a folder; name another"):
        check_folder(tmp_path / "file" / "out")
    with pytest.raises(NotWrittenError, match="file"), new_folder(tmp_path / "file"):
        pass
    with pytest.raises(NotWrittenError, match="cannot be written"), new_file(tmp_path) as temporary:
        temporary.write_text("x", encoding="utf-8")


@posix
def test_a_file_that_its_owner_may_only_read_is_replaced_all_the_same():
    # Root may write anything, so it plays somebody else; the folder of a test is closed to that.
    with tempfile.TemporaryDirectory() as folder:
        if os.geteuid() == 0:
            os.chown(folder, NOBODY, NOBODY)
        with as_nobody():
            path = Path(folder) / "a.txt"
            path.write_text("old", encoding="utf-8")
            path.chmod(0o400)
            fill(path)
            assert (path.read_text(encoding="utf-8"), rights(path)) == ("new", 0o400)
            fill_folder(Path(folder), "newer", ["a.txt"])
            assert (path.read_text(encoding="utf-8"), rights(path)) == ("newer", 0o400)


@posix
def test_what_replaces_a_private_file_is_private_from_the_start(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("old", encoding="utf-8")
    path.chmod(0o600)
    with whole_file(path) as temporary:
        assert rights(temporary) == 0o600
    with new_folder(tmp_path) as temporary:
        assert rights(temporary) == 0o700


# ------------------------------------------------------------------------------ folders


def fill_folder(folder, text="new", names=("a.txt", "b.txt")):
    with new_folder(folder) as temporary:
        for name in names:
            (temporary / name).write_text(text, encoding="utf-8")


def content(folder):
    return {one.name: one.read_text(encoding="utf-8") for one in folder.iterdir()}


def test_a_folder_is_written_inside_of_itself(tmp_path):
    # It may be the root of another disk, and the folder above it may be closed.
    with new_folder(tmp_path / "out") as temporary:
        assert temporary.parent == tmp_path / "out"


@posix
def test_files_of_a_folder_keep_their_rights(tmp_path):
    fill_folder(tmp_path, "old", ["a.txt"])
    (tmp_path / "a.txt").chmod(0o600)
    fill_folder(tmp_path)
    assert content(tmp_path) == {"a.txt": "new", "b.txt": "new"}
    assert rights(tmp_path / "a.txt") == 0o600


def test_a_folder_in_the_way_of_a_file_leaves_all_as_it_was(tmp_path):
    fill_folder(tmp_path, "old", ["a.txt"])
    (tmp_path / "b.txt").mkdir()
    with pytest.raises(NotWrittenError, match=r"b\.txt' is not a file and cannot be replaced"):
        fill_folder(tmp_path)
    assert (tmp_path / "a.txt").read_text(encoding="utf-8") == "old"
    assert sorted(one.name for one in tmp_path.iterdir()) == ["a.txt", "b.txt"]


def test_folders_that_were_made_for_nothing_go_again(tmp_path):
    with suppress(RuntimeError), new_folder(tmp_path / "a" / "b"):
        raise RuntimeError
    with suppress(RuntimeError), new_file(tmp_path / "a" / "b" / "c.txt"):
        raise RuntimeError
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_process_left_pending_is_finished_by_the_next(tmp_path):
    fill_folder(tmp_path, "old")
    (tmp_path / PENDING).mkdir()
    (tmp_path / PENDING / "b.txt").write_text("pending", encoding="utf-8")
    finish_folder(tmp_path)
    assert content(tmp_path) == {"a.txt": "old", "b.txt": "pending"}
    (tmp_path / PENDING).mkdir()
    (tmp_path / PENDING / "b.txt").write_text("pending", encoding="utf-8")
    fill_folder(tmp_path, "new", ["a.txt"])
    assert content(tmp_path) == {"a.txt": "new", "b.txt": "pending"}


def test_a_pending_folder_that_stays_is_one_sentence(tmp_path, monkeypatch):
    fill_folder(tmp_path, "old")
    (tmp_path / PENDING).mkdir()

    def refuse(*places):
        raise OSError(errno.ENOTEMPTY, "it is held open")

    monkeypatch.setattr(Path, "rmdir", refuse)
    monkeypatch.setattr(os, "rename", refuse)
    monkeypatch.setattr("thresher.whole_file.PAUSE", 0)
    with pytest.raises(NotWrittenError, match=rf"cannot be written: '{PENDING}' in it"):
        fill_folder(tmp_path, "new")
    assert (tmp_path / "a.txt").read_text(encoding="utf-8") == "old"


def test_several_writers_of_a_folder_leave_the_files_of_one(tmp_path):
    writers = [
        threading.Thread(target=lambda text=text: [fill_folder(tmp_path, text) for _ in range(30)])
        for text in ("one", "two", "three")
    ]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    found = content(tmp_path)
    assert set(found) == {"a.txt", "b.txt"}
    assert len(set(found.values())) == 1
