"""Files are there as a whole or not at all, with the rights that their owner gave them."""

import os
import stat
import tempfile
import threading
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from thresher import ImbalancedTreeClassifier, load_model, save_model
from thresher.errors import NotWrittenError
from thresher.whole_file import check_folder, new_file, whole_file

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


def fill(path, text="new", **options):
    with whole_file(path, **options) as temporary:
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


@posix
def test_what_replaces_a_private_file_is_private_from_the_start(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("old", encoding="utf-8")
    path.chmod(0o600)
    with whole_file(path) as temporary:
        assert rights(temporary) == 0o600
    os.mkfifo(tmp_path / "pipe")
    with suppress(RuntimeError), whole_file(tmp_path / "pipe") as temporary:
        assert rights(temporary) == 0o600
        raise RuntimeError


@posix
@pytest.mark.parametrize("content", ["old", None])
def test_a_link_that_is_not_followed_is_replaced(tmp_path, content):
    outside, link = tmp_path / "outside.txt", tmp_path / "link.txt"
    if content:
        outside.write_text(content, encoding="utf-8")
        outside.chmod(0o600)
    link.symlink_to(outside)
    umask = os.umask(0o022)
    try:
        fill(link, follow=False)
    finally:
        os.umask(umask)
    assert (link.read_text(encoding="utf-8"), rights(link)) == ("new", 0o644)
    assert not link.is_symlink()
    assert outside.exists() == bool(content)
    if content:
        assert (outside.read_text(encoding="utf-8"), rights(outside)) == ("old", 0o600)


@posix
def test_a_pipe_is_refused_where_links_are_not_followed(tmp_path):
    os.mkfifo(tmp_path / "a.txt")
    with pytest.raises(NotWrittenError, match=r"a\.txt' is not a file and cannot be replaced"):
        fill(tmp_path / "a.txt", follow=False)
    assert stat.S_ISFIFO((tmp_path / "a.txt").stat().st_mode)
    assert len(list(tmp_path.iterdir())) == 1


def test_folders_that_were_made_for_nothing_go_again(tmp_path):
    with suppress(RuntimeError), new_file(tmp_path / "a" / "b" / "c.txt"):
        raise RuntimeError
    assert list(tmp_path.iterdir()) == []
