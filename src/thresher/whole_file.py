"""A file that is there as a whole or not at all, even if the program or the machine stops."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Give a temporary path beside `path` that takes its place if all goes well.

    The content is on the disk before the name is, so that `path` is the old file or the new
    one at every moment. A link is followed. Errors of the system are raised as they are.

    Examples
    --------
    >>> path = getfixture("tmp_path") / "a.txt"
    >>> with whole_file(path) as temporary:
    ...     _ = temporary.write_text("a")
    >>> path.read_text(), [one.name for one in path.parent.iterdir()]
    ('a', ['a.txt'])
    """
    path = Path(os.path.realpath(path))
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-", suffix=path.suffix)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(0o644)
        _to_disk(temporary)
        os.replace(temporary, path)
        _to_disk(path.parent)
    finally:
        temporary.unlink(missing_ok=True)


def _to_disk(path: Path) -> None:
    """Wait until a file or the names in a folder are on the disk."""
    if os.name == "nt" and path.is_dir():  # Windows opens no folders
        return
    handle = os.open(path, os.O_RDWR if path.is_file() else os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
