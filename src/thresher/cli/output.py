"""Files and folders that are written as a whole or not at all."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from thresher.tables.errors import CommandError
from thresher.whole_file import whole_file


@contextmanager
def new_folder(folder: Path) -> Iterator[Path]:
    """Give a temporary folder whose files go to `folder` if all goes well.

    What the folder held before stays until then; files of other names stay for good.

    >>> with new_folder(getfixture("tmp_path") / "out") as folder:
    ...     _ = (folder / "a.txt").write_text("a")
    >>> [path.name for path in (getfixture("tmp_path") / "out").iterdir()]
    ['a.txt']
    """
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        if folder.exists() and not folder.is_dir():
            raise CommandError(f"'{folder}' is a file; name a folder with --out.")
        temporary = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}-"))
    except OSError as error:
        raise CommandError(f"'{folder}' cannot be written: {error.strerror}.") from None
    try:
        yield temporary
        folder.mkdir(exist_ok=True)
        for path in sorted(temporary.iterdir()):
            os.replace(path, folder / path.name)
    except OSError as error:
        raise CommandError(f"'{folder}' cannot be written: {error.strerror or error}.") from None
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


@contextmanager
def new_file(path: Path) -> Iterator[Path]:
    """Give a temporary path that becomes `path` if all goes well."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with whole_file(path) as temporary:
            yield temporary
    except OSError as error:
        raise CommandError(f"'{path}' cannot be written: {error.strerror or error}.") from None
