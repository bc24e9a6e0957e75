"""Data sets by name, as arrays or data frames: of the package, the cache or the network."""

import csv
import hashlib
import io
import os
import warnings
from collections.abc import Callable, Sequence
from importlib.resources import files
from itertools import compress
from pathlib import Path
from typing import Any, Literal, overload
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from thresher.datasets.catalog import (
    GROUPS,
    TARGET,
    DatasetInfo,
    Origin,
    Table,
    catalog,
    dataset_info,
    parse_numbers,
    read_table,
    unpack_csv,
    write_table,
)
from thresher.errors import NotWrittenError
from thresher.whole_file import new_file

CLASS = "class"


def bundled_table(info: DatasetInfo) -> Table:
    """Make the table of a data set from its base table.

    Examples
    --------
    >>> from thresher.datasets.catalog import catalog
    >>> table = bundled_table(catalog()["Yeast-vac-vs-nuc"])
    >>> table.X.shape, table.columns
    ((459, 7), ('mcg', 'gvh', 'alm', 'mit', 'erl', 'vac', 'nuc'))
    """
    names, body = unpack_csv(_checked_file(info.origin))
    count = names.index(CLASS)
    further = [line.split(",")[count:] for line in body.splitlines()]
    classes = np.array([cells[0] for cells in further])
    rows = _rows(info, classes, names[count:], further)
    kept = np.isin(names[:count], info.left_out, invert=True)
    X = parse_numbers(body, range(count))[rows][:, kept]
    y = np.isin(classes[rows], info.positive).astype(np.int64)
    return Table(tuple(compress(names, kept)), np.ascontiguousarray(X), y)


def _rows(
    info: DatasetInfo, classes: NDArray[np.str_], names: list[str], further: list[list[str]]
) -> NDArray[np.intp]:
    if info.order is not None:
        place = names.index(info.order)
        return np.argsort([int(cells[place]) for cells in further])
    wanted = np.isin(classes, info.positive + info.negative) if info.negative else classes != ""
    return np.flatnonzero(wanted)


def _checked_file(origin: Origin) -> bytes:
    content = files("thresher.datasets").joinpath(f"data/{origin.name}.csv.gz").read_bytes()
    if hashlib.sha256(content).hexdigest() != origin.sha256:
        raise ValueError(
            f"The package's file {origin.name}.csv.gz is damaged (its SHA-256 is not the "
            "catalogue's); install thresher again."
        )
    return content


# ------------------------------------------------------------------------------------- public files


def build_table(raw: Sequence[bytes], info: DatasetInfo) -> Table:
    r"""Build the table of a data set from the files that `info.origin.urls` name.

    Parameters
    ----------
    raw : sequence of bytes
        Content of the files, in the order of the addresses.
    info : DatasetInfo
        The data set; it must not be a bundled one.

    Returns
    -------
    Table
        Its SHA-256 is `info.sha256` if the files are the right ones.

    Raises
    ------
    ValueError or LookupError
        Where the files have another form.

    Examples
    --------
    >>> from thresher.datasets.catalog import catalog
    >>> raw = b"Width,Stains_Fault,Other_Faults\n7,0,1\n8,1,0\n"
    >>> build_table([raw], catalog()["steel_plates-stains"]).y
    array([0, 1])
    """
    return BUILDERS[info.origin.name]([content.decode() for content in raw], info)


def _secom(raw: Sequence[str], info: DatasetInfo) -> Table:
    """Sensors V1, V2, ... separated by blanks; the other file has -1 or 1 and a time in a row."""
    data, labels = raw
    rows = [line.split() for line in data.splitlines()]
    cells = {f"V{place}": cell for place, cell in enumerate(zip(*rows, strict=True), start=1)}
    columns = tuple(name for name in cells if name not in info.left_out)
    results = [line.split()[0] for line in labels.splitlines()]
    return Table(columns, _numbers([cells[name] for name in columns]), _flags(results))


def _ai4i(raw: Sequence[str], info: DatasetInfo) -> Table:
    """Measurements, which are named with their unit, then indicators of the type."""
    cells = _csv_columns(raw[0])
    measured = [name for name in cells if name.endswith("]")]
    indicators = {
        f"{name}={level}": [str(int(cell == level)) for cell in cells[name]]
        for name, levels in info.categories.items()
        for level in levels
    }
    X = _numbers([*(cells[name] for name in measured), *indicators.values()])
    return Table((*measured, *indicators), X, _flags(cells[info.positive[0]]))


def _steel_plates(raw: Sequence[str], info: DatasetInfo) -> Table:
    """All columns but the seven kinds of faults, one of which is the target."""
    cells = _csv_columns(raw[0])
    columns = tuple(name for name in cells if not name.endswith(("_Fault", "_Faults")))
    return Table(columns, _numbers([cells[n] for n in columns]), _flags(cells[info.positive[0]]))


BUILDERS: dict[str, Callable[[Sequence[str], DatasetInfo], Table]] = {
    "SECOM": _secom,
    "AI4I": _ai4i,
    "Steel plates": _steel_plates,
}


def _csv_columns(text: str) -> dict[str, tuple[str, ...]]:
    header, *rows = csv.reader(text.splitlines())
    return dict(zip(header, zip(*rows, strict=True), strict=True))


def _numbers(columns: Sequence[Sequence[str]]) -> NDArray[np.float64]:
    return np.stack([np.array(column, dtype=np.float64) for column in columns], axis=1)


def _flags(cells: Sequence[str]) -> NDArray[np.int64]:
    return np.array([float(cell) == 1 for cell in cells], dtype=np.int64)


# --------------------------------------------------------------------------- folder, cache, network

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
    if info.origin.name not in BUILDERS:
        raise _missing(info, "thresher does not download it", "make it with studies/paper/birds.py")
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


# ------------------------------------------------------------------------------------------ by name


def list_datasets(group: str | None = None, *, available: bool = False) -> list[str]:
    """Names that `load_dataset` knows.

    Parameters
    ----------
    group : {"paper", "manufacturing"}, optional
        Only those of this group; all if None.
    available : bool, default False
        Only those that load without a network: bundled, below the folder THRESHER_DATA, or in the
        cache.

    Returns
    -------
    list of str
        The paper's in the order of its tables, then those of manufacturing.

    Examples
    --------
    >>> from thresher.datasets import list_datasets
    >>> len(list_datasets("paper")), len(list_datasets())
    (18, 24)
    >>> "Pageblocks0" in list_datasets(available=True)
    True
    """
    if group is not None and group not in GROUPS:
        raise ValueError(f"group must be one of {', '.join(GROUPS)} or None, got {group!r}.")
    chosen = [info for info in catalog().values() if group in (None, info.group)]
    return [info.name for info in chosen if not available or _is_here(info)]


@overload
def load_dataset(
    name: str, as_frame: Literal[False] = False
) -> tuple[NDArray[np.float64], NDArray[np.int64]]: ...
@overload
def load_dataset(name: str, as_frame: Literal[True]) -> tuple[Any, Any]: ...
def load_dataset(name: str, as_frame: bool = False) -> tuple[Any, Any]:
    """Load a data set with a rare class.

    Parameters
    ----------
    name : str
        One of `list_datasets()`. Sets that are not part of the package are looked for below the
        folder THRESHER_DATA and in the cache, then downloaded (extra `datasets`).
    as_frame : bool, default False
        Return a pandas data frame and series instead of arrays: the columns have their names, and
        texts, which are indicator columns in the array (`Type=L`, `Type=M`, ...), are one category.

    Returns
    -------
    X : ndarray of shape (rows, features) or DataFrame
        The features; a missing value is NaN.
    y : ndarray of shape (rows,) or Series
        1 for the rare class, else 0.

    Raises
    ------
    ValueError
        For an unknown name, or a file that holds something else.
    FileNotFoundError
        If the set is not here and cannot be downloaded.

    Examples
    --------
    >>> from thresher.datasets import load_dataset
    >>> X, y = load_dataset("Yeast-me1")
    >>> X.shape, int(y.sum())
    ((1484, 8), 44)
    """
    info = dataset_info(name)
    table = _table(info)
    return _frame(table, info) if as_frame else (table.X, table.y)


def feature_names(name: str) -> list[str]:
    """Names of a data set's columns, without the target.

    Parameters
    ----------
    name : str
        One of `list_datasets()`.

    Returns
    -------
    list of str
        In the order of the columns of `load_dataset(name)`.

    Examples
    --------
    >>> feature_names("Yeast-me1")
    ['mcg', 'gvh', 'alm', 'mit', 'erl', 'pox', 'vac', 'nuc']
    """
    return list(_table(dataset_info(name)).columns)


def _is_here(info: DatasetInfo) -> bool:
    return info.bundled or find_file(info.name) is not None


def _table(info: DatasetInfo) -> Table:
    return bundled_table(info) if info.bundled else fetched_table(info)


def _frame(table: Table, info: DatasetInfo) -> tuple[Any, Any]:
    try:
        import pandas as pd
    except ImportError:
        raise ImportError("as_frame=True needs pandas; install pandas or drop as_frame.") from None
    frame = pd.DataFrame(table.X, columns=list(table.columns))
    for name, levels in info.categories.items():
        indicators = [f"{name}={level}" for level in levels]
        place = frame.columns.get_loc(indicators[0])
        codes = frame[indicators].to_numpy().argmax(axis=1)
        frame = frame.drop(columns=indicators)
        frame.insert(place, name, pd.Categorical.from_codes(codes, list(levels)))
    return frame, pd.Series(table.y, name=TARGET)
