"""Files and folders that are there as a whole or not at all, even if the machine stops."""

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex

from thresher.errors import NotWrittenError

MAX_SUFFIX_LENGTH = 20
"""Of a temporary file, whose suffix tells writers its format; names have 255 bytes."""


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Give a temporary path beside `path` that takes its place if all goes well.

    The content is on the disk before the name is, so that `path` is the old file or the new
    one at every moment. A link is followed; a device or a pipe is written into. A file that is
    there keeps its rights, a new one gets those of the umask. Errors of the system are raised as
    they are.

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
    temporary = _new_beside(folder, path.suffix)
    try:
        yield temporary
        if is_special:  # a device or a pipe is written into, never replaced
            with path.open("wb") as sink:
                sink.write(temporary.read_bytes())
            return
        if path.is_file():
            temporary.chmod(stat.S_IMODE(path.stat().st_mode))
        _to_disk(temporary)
        os.replace(temporary, path)
        _to_disk(path.parent)
    finally:
        temporary.unlink(missing_ok=True)


def _new_beside(folder: Path, suffix: str) -> Path:
    """Make an empty file that nobody else has, with the rights that the umask leaves."""
    short = suffix if len(suffix) <= MAX_SUFFIX_LENGTH else ""
    path = folder / f".thresher-{token_hex(8)}{short}"
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o666))
    return path


def _to_disk(path: Path) -> None:
    """Wait until a file or the names in a folder are on the disk."""
    if os.name == "nt" and path.is_dir():  # Windows opens no folders
        return
    handle = os.open(path, os.O_RDWR if path.is_file() else os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def new_file(path: Path) -> Iterator[Path]:
    """Give a temporary path that becomes `path` if all goes well; its folder is made."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with whole_file(path) as temporary:
            yield temporary
    except OSError as error:
        raise not_written(path, error) from None


@contextmanager
def new_folder(folder: Path) -> Iterator[Path]:
    """Give a temporary folder whose files go to `folder` if all goes well.

    What the folder held before stays until then; files of other names stay for good.

    >>> with new_folder(getfixture("tmp_path") / "out") as folder:
    ...     _ = (folder / "a.txt").write_text("a")
    >>> [path.name for path in (getfixture("tmp_path") / "out").iterdir()]
    ['a.txt']
    """
    check_folder(folder)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(dir=folder.parent, prefix=".thresher-"))
    except OSError as error:
        raise not_written(folder, error) from None
    try:
        yield temporary
        folder.mkdir(exist_ok=True)
        for path in sorted(temporary.iterdir()):
            os.replace(path, folder / path.name)
    except OSError as error:
        raise not_written(folder, error) from None
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


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
    return NotWrittenError(f"'{path}' cannot be written: {error.strerror or error}.")
