"""Data sets by name, as arrays or data frames."""

from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from thresher.datasets.bundled import bundled_table
from thresher.datasets.catalog import GROUPS, DatasetInfo, catalog, dataset_info
from thresher.datasets.fetching import fetched_table, find_file
from thresher.datasets.table import TARGET, Table


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
