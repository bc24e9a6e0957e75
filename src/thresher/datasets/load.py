"""Bundled data sets: described in catalog.toml, checked against its SHA-256 when they are read."""

import csv
import difflib
import gzip
import hashlib
import io
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class CatalogEntry:
    """What catalog.toml says of one data set."""

    name: str
    file: str
    rows: int
    features: int
    positives: int
    missing_cells: int
    positive_class: str
    source: str
    licence: str
    notes: str
    sha256: str


@cache
def catalog() -> dict[str, CatalogEntry]:
    """Read the catalogue of data sets.

    Returns
    -------
    dict of str to CatalogEntry
        By name, in the order of the file.

    Examples
    --------
    >>> catalog()["Yeast-me1"].positives
    44
    """
    entries: dict[str, dict[str, Any]] = tomllib.loads(_package_file("catalog.toml").decode())
    return {name: CatalogEntry(name=name, **facts) for name, facts in entries.items()}


def list_datasets() -> list[str]:
    """Names that `load_dataset` knows.

    Returns
    -------
    list of str
        In alphabetical order.

    Examples
    --------
    >>> from thresher.datasets import list_datasets
    >>> "Pageblocks0" in list_datasets()
    True
    """
    return sorted(catalog())


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
        One of `list_datasets()`.
    as_frame : bool, default False
        Return a pandas data frame and series, with the names of the columns, instead of arrays.

    Returns
    -------
    X : ndarray of shape (rows, features) or DataFrame
        The features; a missing value is NaN.
    y : ndarray of shape (rows,) or Series
        1 for the rare class, else 0.

    Examples
    --------
    >>> from thresher.datasets import load_dataset
    >>> X, y = load_dataset("Yeast-me1")
    >>> X.shape, int(y.sum())
    ((1484, 8), 44)
    """
    columns, table = _parse(_checked_csv(_entry(name)))
    X, y = np.ascontiguousarray(table[:, :-1]), table[:, -1].astype(np.int64)
    return _frame(columns, X, y) if as_frame else (X, y)


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
    return _header(_checked_csv(_entry(name)))[:-1]


def _entry(name: str) -> CatalogEntry:
    known = catalog()
    if name in known:
        return known[name]
    by_lower_case = {candidate.lower(): candidate for candidate in known}
    near = difflib.get_close_matches(str(name).lower(), by_lower_case, n=3, cutoff=0.4)
    hint = " or ".join(by_lower_case[match] for match in near) or ", ".join(list_datasets())
    raise ValueError(f"There is no data set {name!r}; did you mean {hint}?")


def _package_file(path: str) -> bytes:
    return files("thresher.datasets").joinpath(path).read_bytes()


def _checked_csv(entry: CatalogEntry) -> str:
    content = _package_file(f"data/{entry.file}")
    if hashlib.sha256(content).hexdigest() != entry.sha256:
        raise ValueError(
            f"The file {entry.file} of data set {entry.name!r} is damaged (its SHA-256 is not the "
            "catalogue's); install thresher again."
        )
    return gzip.decompress(content).decode()


def _header(text: str) -> list[str]:
    return next(csv.reader(io.StringIO(text)))


def _parse(text: str) -> tuple[list[str], NDArray[np.float64]]:
    table = np.genfromtxt(io.StringIO(text), delimiter=",", skip_header=1, dtype=np.float64)
    return _header(text), table


def _frame(columns: list[str], X: NDArray[np.float64], y: NDArray[np.int64]) -> tuple[Any, Any]:
    try:
        import pandas as pd
    except ImportError:
        raise ImportError("as_frame=True needs pandas; install pandas or drop as_frame.") from None
    return pd.DataFrame(X, columns=columns[:-1]), pd.Series(y, name=columns[-1])
