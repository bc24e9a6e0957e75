"""Files that are there as a whole or not at all."""

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from thresher.benchmark.errors import StudyError


def write_file(path: Path, content: str | bytes) -> None:
    """Write a file under a temporary name, then give it its own.

    Folders on the way are made. An earlier file stays as it was until the new one is complete.

    Raises
    ------
    StudyError
        If the file cannot be written.

    Examples
    --------
    >>> folder = getfixture("tmp_path")
    >>> write_file(folder / "tables" / "f1.csv", "a,b")
    >>> [path.name for path in (folder / "tables").iterdir()]
    ['f1.csv']
    """
    data = content.encode() if isinstance(content, str) else content
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".", delete=False) as file:
            _fill(file.name, data, path)
    except OSError as error:
        raise StudyError(
            f"'{path}' could not be written: {error.strerror or error}; all runs are in the store."
        ) from error


def _fill(temporary: str, data: bytes, path: Path) -> None:
    try:
        Path(temporary).write_bytes(data)
        Path(temporary).chmod(0o644)
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise
