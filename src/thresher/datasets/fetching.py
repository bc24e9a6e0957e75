"""Tables that are not part of the package: from a folder, from the cache, from the network."""

import io
import os
import warnings
from pathlib import Path
from urllib.parse import urlsplit

from thresher.datasets.building import build_table
from thresher.datasets.catalog import DatasetInfo, catalog
from thresher.datasets.table import Table, read_table, write_table
from thresher.errors import NotWrittenError
from thresher.whole_file import new_file

TIMEOUT = 60
"""Seconds that a server may stay silent."""


def cache_folder() -> Path:
    """Return where built tables are kept: THRESHER_CACHE, or `thresher` in the user's cache.

    Examples
    --------
    >>> cache_folder().is_absolute()
    True
    """
    if chosen := os.environ.get("THRESHER_CACHE"):
        return Path(chosen).absolute()
    caches = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(caches).absolute() / "thresher"


def find_file(name: str) -> Path | None:
    """Look for NAME.csv.gz at any depth of the folder THRESHER_DATA, then in the cache.

    Examples
    --------
    >>> find_file("no such set") is None
    True
    """
    folder = os.environ.get("THRESHER_DATA")
    found = sorted(Path(folder).rglob(f"{name}.csv.gz")) if folder else []
    found.append(cache_folder() / f"{name}.csv.gz")
    return next((path for path in found if path.is_file()), None)


def fetched_table(info: DatasetInfo) -> Table:
    """Find the table of a data set, or download and build it.

    Parameters
    ----------
    info : DatasetInfo
        The data set; it must not be a bundled one.

    Returns
    -------
    Table
        Checked: its SHA-256 is `info.sha256`.

    Raises
    ------
    FileNotFoundError
        Where there is no file, and no network or no pooch.
    ValueError
        Where the file holds something else.
    """
    path = find_file(info.name)
    return _read(path, info) if path else _download(info)


def _read(path: Path, info: DatasetInfo) -> Table:
    try:
        table = read_table(path.read_bytes())
    except (OSError, ValueError) as error:
        raise ValueError(f"{path} cannot be read: {error}; remove or replace it.") from None
    if table.sha256 != info.sha256:
        raise ValueError(
            f"{path} holds another table than the catalogue's {info.name} (the SHA-256 of its "
            "names and values differs); remove or replace it."
        )
    return table


def _download(info: DatasetInfo) -> Table:
    """Build all tables of the origin, keep them in the cache, and return the one asked for."""
    raw = [_content(url, info) for url in info.origin.urls]
    siblings = [other for other in catalog().values() if other.origin == info.origin]
    tables = {other.name: table for other in siblings if (table := _built(raw, other))}
    if info.name not in tables:
        raise ValueError(
            f"The files at {' and '.join(info.origin.urls)} are no longer those that {info.name} "
            f"was made of; put {info.name}.csv.gz below the folder THRESHER_DATA instead."
        )
    for name, table in tables.items():
        _keep(name, table)
    return tables[info.name]


def _content(url: str, info: DatasetInfo) -> bytes:
    """Download one file; every failure is one sentence."""
    try:
        import pooch
    except ImportError:
        raise _missing(
            info, "downloading it needs pooch", "install thresher[datasets] and load it again"
        ) from None
    content = io.BytesIO()
    try:
        pooch.HTTPDownloader(timeout=TIMEOUT, stream=False)(url, content, None)
    except (OSError, ValueError) as error:
        why = f"downloading it from {urlsplit(url).netloc} failed ({type(error).__name__})"
        raise _missing(info, why, "try again with a connection to that host") from None
    return content.getvalue()


def _missing(info: DatasetInfo, why: str, way_out: str) -> FileNotFoundError:
    folder = os.environ.get("THRESHER_DATA") or "not set"
    return FileNotFoundError(
        f"The data set {info.name!r} is not part of the package, {info.name}.csv.gz is neither "
        f"below the folder THRESHER_DATA ({folder}) nor in the cache ({cache_folder()}), and "
        f"{why}: put the file there, or {way_out}."
    )


def _built(raw: list[bytes], info: DatasetInfo) -> Table | None:
    """Return the table, None if it is not the catalogue's."""
    try:
        table = build_table(raw, info)
    except (ValueError, LookupError):
        return None
    return table if table.sha256 == info.sha256 else None


def _keep(name: str, table: Table) -> None:
    """Write a file that is either whole or not there; a cache that cannot be written costs time."""
    try:
        with new_file(cache_folder() / f"{name}.csv.gz") as temporary:
            temporary.write_bytes(write_table(table))
    except NotWrittenError as error:
        warnings.warn(f"{name} could not be kept: {error}", stacklevel=2)
