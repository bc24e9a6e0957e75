"""Files that are there as a whole or not at all, even if the machine stops, and locks of files."""

import errno
import os
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from io import FileIO
from pathlib import Path
from secrets import token_hex

from thresher.errors import NotWrittenError

MAX_SUFFIX_LENGTH = 20
"""Of a temporary file, whose suffix tells writers its format; names have 255 bytes."""
NO_LINK = getattr(os, "O_NOFOLLOW", 0)
"""Flag of `os.open` that refuses a symbolic link, where the system has one."""


@contextmanager
def whole_file(path: Path, *, follow: bool = True) -> Iterator[Path]:
    """Give a temporary path beside `path` that takes its place if all goes well.

    The content is on the disk before the name is, so that `path` is the old file or the new
    one at every moment: the old one if there is an error, the new one if there is none. A device
    or a pipe is written into. A file that is there keeps its rights, a new one gets those of the
    umask. Errors of the system are raised as they are.

    Parameters
    ----------
    path : Path
    follow : bool, default=True
        Whether a symbolic link at `path` is followed: False for fixed names in a folder, which may
        come from somebody else. The new file replaces such a link, and devices are refused.

    Examples
    --------
    >>> path = getfixture("tmp_path") / "a.txt"
    >>> with whole_file(path) as temporary:
    ...     _ = temporary.write_text("a")
    >>> path.read_text(), [one.name for one in path.parent.iterdir()]
    ('a', ['a.txt'])
    """
    path = Path(os.path.realpath(path)) if follow else path
    is_special = stat.S_IFMT(_mode(path)) not in (0, stat.S_IFREG, stat.S_IFLNK, stat.S_IFDIR)
    if is_special and not follow:
        raise NotWrittenError(f"'{path}' is not a file and cannot be replaced; move it away.")
    folder = Path(tempfile.gettempdir()) if is_special else path.parent
    temporary = _new_beside(folder, path.suffix, is_private=is_special or _is_regular(path))
    try:
        yield temporary
        if is_special:  # a device or a pipe is written into, never replaced
            with path.open("wb") as sink:
                sink.write(temporary.read_bytes())
            return
        _sync(temporary, os.O_RDWR)
        if _is_regular(path):
            temporary.chmod(stat.S_IMODE(_mode(path)))
        os.replace(temporary, path)
    finally:
        with suppress(OSError):
            temporary.unlink()
    _names_to_disk(path.parent)


def _mode(path: Path) -> int:
    """Return kind and rights of what is at a path, 0 where nothing is; links are not followed."""
    try:
        return path.lstat().st_mode
    except OSError:
        return 0


def _is_regular(path: Path) -> bool:
    return stat.S_ISREG(_mode(path))


def _new_beside(folder: Path, suffix: str, *, is_private: bool) -> Path:
    """Make an empty file that nobody else has: for its owner alone, or as the umask says."""
    short = suffix if len(suffix) <= MAX_SUFFIX_LENGTH else ""
    path = folder / f".thresher-{token_hex(8)}{short}"
    flags = os.O_CREAT | os.O_EXCL | os.O_RDWR | NO_LINK
    os.close(os.open(path, flags, 0o600 if is_private else 0o666))
    return path


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
def new_file(path: Path, *, follow: bool = True) -> Iterator[Path]:
    """Give a temporary path that becomes `path` if all goes well; its folder is made.

    See `whole_file` for `follow`.
    """
    try:
        with _made(path.parent), whole_file(path, follow=follow) as temporary:
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


SUFFIX = ".lock"
"""Of the empty file beside the locked one, which cannot serve itself: writing replaces it."""
PATIENCE, QUIET, PAUSE = 60.0, 1.0, 0.02
"""Seconds to wait for another process, seconds before that is said, and between two tries."""

if sys.platform == "win32":
    import msvcrt

    BUSY = (errno.EACCES, errno.EDEADLK)

    def _take(handle: int) -> None:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    BUSY = (errno.EAGAIN, errno.EWOULDBLOCK)

    def _take(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextmanager
def locked(path: Path, say: Callable[[str], None]) -> Iterator[None]:
    """Keep out other processes and threads that lock the same file.

    The system releases the lock with the process that has it, however that ends. An empty file
    with the suffix ".lock" stays beside `path`.

    Parameters
    ----------
    path : Path
        A regular file, or one that is to be made; links to it are followed. Its folder is made.
    say : function
        Takes a sentence where another process keeps this one waiting.

    Raises
    ------
    NotWrittenError
        An OSError: the file is no regular one, stays locked, or cannot be locked.

    Examples
    --------
    >>> folder = getfixture("tmp_path")
    >>> with locked(folder / "a.json", print):
    ...     [one.name for one in folder.iterdir()]
    ['a.json.lock']
    """
    real = Path(os.path.realpath(path))
    lock = real.with_name(real.name + SUFFIX)
    for place in (real, lock):
        if place.is_symlink() or (place.exists() and not place.is_file()):
            raise NotWrittenError(f"'{place}' is not a regular file; name another place.")
    start, is_said = time.monotonic(), False
    while True:
        with _opened(lock, path) as file:
            if _is_taken(file, lock, path):
                yield
                return
        waited = time.monotonic() - start
        if waited > PATIENCE:
            raise NotWrittenError(
                f"'{path}' was in use by another process for {PATIENCE:.0f} seconds; try again "
                "when that has ended."
            )
        if waited > QUIET and not is_said:
            say(f"Waiting for another process that uses '{path}' ...")
            is_said = True
        time.sleep(PAUSE)


def _opened(lock: Path, path: Path) -> FileIO:
    flags = os.O_RDWR | os.O_CREAT | NO_LINK
    try:
        lock.parent.mkdir(parents=True, exist_ok=True)
        return FileIO(lock, "r+", opener=lambda name, _: os.open(name, flags, 0o666))
    except OSError as error:
        raise not_written(path, error) from None


def _is_taken(file: FileIO, lock: Path, path: Path) -> bool:
    """Take the lock, and return whether it is this process that has it."""
    try:
        _take(file.fileno())
    except OSError as error:
        if error.errno in BUSY:
            return False
        raise NotWrittenError(
            f"'{path}' cannot be locked against other processes: {error.strerror}; name a place "
            "on another file system."
        ) from None
    with suppress(FileNotFoundError):  # somebody removed the file while this process waited
        return os.path.samestat(os.fstat(file.fileno()), lock.stat())
    return False
