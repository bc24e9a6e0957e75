"""Files and folders that are there as a whole or not at all, even if the machine stops."""

import errno
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex

from thresher.errors import NotWrittenError

MAX_SUFFIX_LENGTH = 20
"""Of a temporary file, whose suffix tells writers its format; names have 255 bytes."""
PENDING = ".thresher-new"
"""In a folder: new files that are all written, and on the way to their places."""
ROUNDS, PAUSE = 100, 0.02
"""How often a folder is tried to be made the pending one, and seconds between two times."""


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Give a temporary path beside `path` that takes its place if all goes well.

    The content is on the disk before the name is, so that `path` is the old file or the new
    one at every moment: the old one if there is an error, the new one if there is none. A link is
    followed; a device or a pipe is written into. A file that is there keeps its rights, a new one
    gets those of the umask. Errors of the system are raised as they are.

    Examples
    --------
    >>> path = getfixture("tmp_path") / "a.txt"
    >>> with whole_file(path) as temporary:
    ...     _ = temporary.write_text("a")
    >>> path.read_text(), [one.name for one in path.parent.iterdir()]
    ('a', ['a.txt'])
    """
    path = Path(os.path.realpath(path))
    is_special = path.exists() and not path.is_file() and not path.is_dir()
    folder = Path(tempfile.gettempdir()) if is_special else path.parent
    temporary = _new_beside(folder, path.suffix, is_private=path.exists())
    try:
        yield temporary
        if is_special:  # a device or a pipe is written into, never replaced
            with path.open("wb") as sink:
                sink.write(temporary.read_bytes())
            return
        _to_disk(temporary)
        _keep_rights(temporary, path)
        os.replace(temporary, path)
    finally:
        with suppress(OSError):
            temporary.unlink()
    _names_to_disk(path.parent)


def _keep_rights(temporary: Path, path: Path) -> None:
    """Give a file the rights of the one that it is to replace."""
    if path.is_file():
        temporary.chmod(stat.S_IMODE(path.stat().st_mode))


def _new_beside(folder: Path, suffix: str, *, is_private: bool) -> Path:
    """Make an empty file that nobody else has: for its owner alone, or as the umask says."""
    short = suffix if len(suffix) <= MAX_SUFFIX_LENGTH else ""
    path = folder / f".thresher-{token_hex(8)}{short}"
    flags = os.O_CREAT | os.O_EXCL | os.O_RDWR
    os.close(os.open(path, flags, 0o600 if is_private else 0o666))
    return path


def _to_disk(path: Path) -> None:
    """Wait until the content of a file is on the disk."""
    _sync(path, os.O_RDWR)


def _names_to_disk(folder: Path) -> None:
    """Wait until the names in a folder are on the disk, where the system can."""
    # Windows opens no folders, some networks sync none; the file is in its place in any case.
    with suppress(OSError):
        _sync(folder, os.O_RDONLY)


def _sync(path: Path, flags: int) -> None:
    handle = os.open(path, flags)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def new_file(path: Path) -> Iterator[Path]:
    """Give a temporary path that becomes `path` if all goes well; its folder is made."""
    try:
        with _made(path.parent), whole_file(path) as temporary:
            yield temporary
    except OSError as error:
        raise not_written(path, error) from None


@contextmanager
def _made(folder: Path) -> Iterator[None]:
    """Make a folder with those above it; they go again where what follows fails."""
    missing = [place for place in (folder, *folder.parents) if not place.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield
    except BaseException:
        for place in missing:
            with suppress(OSError):  # it has files of others
                place.rmdir()
        raise


@contextmanager
def new_folder(folder: Path) -> Iterator[Path]:
    """Give a temporary folder whose files go to `folder` if all goes well.

    What the folder held before stays until then; files of other names stay for good. All new files
    count at one moment, when a rename makes the temporary folder the pending one, `PENDING`. They
    are moved to their places after it; of a process that is killed meanwhile, `finish_folder` does
    the rest, for whoever uses the folder next.

    >>> with new_folder(getfixture("tmp_path") / "out") as folder:
    ...     _ = (folder / "a.txt").write_text("a")
    >>> [path.name for path in (getfixture("tmp_path") / "out").iterdir()]
    ['a.txt']
    """
    check_folder(folder)
    try:
        with _made(folder):
            temporary = folder / f".thresher-{token_hex(8)}"
            try:
                temporary.mkdir(0o700)
                yield temporary
                _prepare(temporary, folder)
                _make_pending(temporary, folder)
            finally:
                shutil.rmtree(temporary, ignore_errors=True)
    except OSError as error:
        raise not_written(folder, error) from None
    try:
        finish_folder(folder)
    except OSError as error:
        raise NotWrittenError(
            f"'{folder}' has only some of its new files: {_reason(error)}; the next command that "
            f"uses the folder fetches the others from '{PENDING}' in it."
        ) from None


def _prepare(temporary: Path, folder: Path) -> None:
    """See to it that nothing but a failing disk keeps files from being moved to a folder."""
    for path in temporary.iterdir():
        place = folder / path.name
        if place.exists() and not place.is_file():
            raise NotWrittenError(f"'{place}' is not a file and cannot be replaced; move it away.")
        _to_disk(path)
        _keep_rights(path, place)
    _names_to_disk(temporary)
    temporary.chmod(stat.S_IMODE(folder.stat().st_mode))  # so that others can finish the folder


def _make_pending(temporary: Path, folder: Path) -> None:
    for _ in range(ROUNDS):
        try:
            os.rename(temporary, folder / PENDING)
            return
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                raise
        finish_folder(folder)  # of another process, which was killed or is at work
        time.sleep(PAUSE)
    raise NotWrittenError(
        f"'{folder}' cannot be written: '{PENDING}' in it cannot be removed, as where another "
        "program has it open; close that program, or name another folder."
    )


def finish_folder(folder: Path) -> None:
    """Move pending files to their places; several processes may do so at a time."""
    pending = folder / PENDING
    with suppress(FileNotFoundError):
        for path in sorted(pending.iterdir()):
            with suppress(FileNotFoundError):  # another process was faster
                os.replace(path, folder / path.name)
        _names_to_disk(folder)
        with suppress(OSError):  # others may have new files already
            pending.rmdir()


def check_folder(folder: Path) -> None:
    """Raise where a folder cannot be made, before the work whose results are to go there."""
    for place in (folder, *folder.parents):
        if place.exists():
            if not place.is_dir():
                raise NotWrittenError(f"'{place}' is a file, not a folder; name another place.")
            return


def not_written(path: Path, error: OSError) -> NotWrittenError:
    """Return the sentence for a place that refuses to be written."""
    if isinstance(error, NotWrittenError):
        return error
    return NotWrittenError(f"'{path}' cannot be written: {_reason(error)}.")


def _reason(error: OSError) -> str:
    """Return the system's words; those of libraries may name the temporary file."""
    return os.strerror(error.errno) if error.errno else str(error)
