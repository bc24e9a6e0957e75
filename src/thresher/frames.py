"""Data frames of pandas, polars and pyarrow, through narwhals: the only file that names it."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from importlib.util import find_spec
from typing import Any

import narwhals as nw
import numpy as np
from narwhals.dependencies import (
    is_into_dataframe,
    is_into_lazyframe,
    is_into_series,
    is_pyarrow_table,
)
from numpy.typing import NDArray
from sklearn.utils import check_array

from thresher.column import FLOAT32, FLOAT64, Column, Texts, Values, read_objects


def is_frame(X: Any) -> bool:
    """Whether something is a data frame of a library that narwhals knows."""
    return type(X) is not np.ndarray and bool(is_into_dataframe(X))


def frame_kind(X: Any) -> str | None:
    """Return the library of a data frame ("pandas", "polars", "pyarrow"), None for other tables."""
    if type(X) is np.ndarray or not is_into_dataframe(X):
        return None
    return str(_opened(X).implementation.value)


def make_frame(columns: dict[str, NDArray[Any]], kind: str | None) -> Any:
    """Make a data frame; of pandas, where it is installed, if no other kind is asked for.

    >>> make_frame({"threshold": np.array([0.5])}, kind="polars").shape
    (1, 1)
    """
    if kind is None and find_spec("pandas") is None:
        return columns
    backend: Any = kind or "pandas"
    return nw.from_dict(columns, backend=backend).to_native()


def plain_columns(X: Any) -> dict[str, Any]:
    """Return the columns of a data frame by name: arrays of numbers, lists of what is none.

    >>> import pandas as pd
    >>> plain_columns(pd.DataFrame({"speed": [1, 2], "line": ["a", "b"]}))
    {'speed': array([1., 2.]), 'line': ['a', 'b']}
    """
    frame = _opened(X)
    pairs = zip(frame.columns, frame.iter_columns(), strict=True)
    return {str(name): _plain_values(series) for name, series in pairs}


def added_columns(X: Any, columns: dict[str, Any]) -> Any:
    """Return a data frame with further columns, of the same library.

    >>> import pandas as pd
    >>> added_columns(pd.DataFrame({"a": [1, 2]}), {"b": ["x", "y"]}).columns.tolist()
    ['a', 'b']
    """
    frame = _opened(X)
    lists = {name: list(values) for name, values in columns.items()}
    if frame.implementation.is_pandas_like():  # which would match new columns by its index
        return X.assign(**lists)
    backend = frame.implementation
    new = [nw.new_series(name, values, backend=backend) for name, values in lists.items()]
    return frame.with_columns(*new).to_native()


def _plain_values(series: nw.Series[Any]) -> Any:
    return _floats(series) if series.dtype.is_numeric() else series.to_list()


def labels_of(X: Any) -> list[Any]:
    """Return the names of the columns of a data frame."""
    return list(X.column_names if is_pyarrow_table(X) else X.columns)


def repeated_name(labels: Iterable[Any]) -> Any:
    """Return the first name that two columns have; None where all differ."""
    return next((label for label, count in Counter(labels).items() if count > 1), None)


def _opened(X: Any) -> Any:
    """Return a data frame as one of narwhals."""
    repeated = repeated_name(labels_of(X))
    if repeated is not None:
        raise ValueError(f"X has two columns {repeated!r}; rename one of them.")
    return nw.from_native(X, eager_only=True)


def take_rows(values: Any, rows: NDArray[np.intp]) -> Any:
    """Return some rows of a table, series, array or list, as what it is.

    >>> take_rows(["a", "b", "c"], np.array([2, 0]))
    ['c', 'a']
    """
    if type(values) is not np.ndarray and (is_into_dataframe(values) or is_into_series(values)):
        return nw.from_native(values, eager_only=True, allow_series=True)[rows].to_native()
    if hasattr(values, "shape"):
        return values[rows]
    return [values[row] for row in rows.tolist()]


def mixed_cells(X: Any, places: NDArray[np.intp]) -> Any:
    """Return a table as X is whose cell (i, j) is that of row places[i, j] in column j of X.

    >>> mixed_cells(np.array([[1, 2], [3, 4]]), np.array([[0, 1], [1, 1]]))
    array([[1, 4], [3, 4]])
    """
    if not is_frame(X):
        return np.take_along_axis(X, places, axis=0)
    frame, by_column = _opened(X), places.T
    if frame.implementation.is_pandas_like():  # which would match cells by its index
        pairs = zip(X.columns, by_column, strict=True)
        return type(X)({label: X[label].array.take(rows) for label, rows in pairs})
    columns = zip(frame.columns, frame.iter_columns(), by_column, strict=True)
    mixed = {label: series[rows] for label, series, rows in columns}
    return nw.from_dict(mixed, backend=frame.implementation).to_native()


def read_vector(values: Any, name: str) -> Any:
    """Return a series of any data frame library as an array; anything else as it is.

    Masked values are refused, with the `name` of the vector.
    """
    if isinstance(values, np.ma.MaskedArray):
        return _unmasked(values, name)
    if type(values) is np.ndarray or not is_into_series(values):
        return values
    series = nw.from_native(values, series_only=True)
    if series.dtype.is_numeric() and series.is_null().any():
        return _floats(series)
    return (
        np.asarray(_decoded(series).to_list()) if _is_category(series.dtype) else series.to_numpy()
    )


def _unmasked(values: Any, name: str) -> NDArray[Any]:
    masked = np.flatnonzero(np.ma.getmaskarray(values))
    if len(masked):
        raise ValueError(
            f"{name} has a masked value, first in row {masked[0]} (counted from 0); fill it in or "
            "leave the row out."
        )
    return np.asarray(values)


# ------------------------------------------------------------------------------- reading columns


def read_columns(X: Any) -> tuple[list[Column], tuple[str, ...] | None]:
    """Return the columns of a table, and their names where it has names."""
    if type(X) is not np.ndarray and is_into_dataframe(X):
        frame = _opened(X)
        if 0 in frame.shape:
            raise ValueError(f"X is empty: it has {frame.shape[0]} rows, {frame.shape[1]} columns.")
        return list(_frame_columns(frame)), _names(frame.columns)
    if is_into_lazyframe(X):
        raise TypeError("X is a lazy table; call its collect() first.")
    if isinstance(X, np.ma.MaskedArray):
        X = _with_gaps(X)
    array = np.asarray(check_array(X, dtype=None, ensure_all_finite=False))
    return list(_array_columns(array)), None


def read_column(X: Any, name: str, names: Sequence[str] | None = None) -> Values:
    """Return one column of a table by its name: of a data frame, or at its place among `names`.

    >>> read_column(np.array([[1.0, 7.0], [2.0, 8.0]]), "speed", ("torque", "speed"))
    array([7., 8.])
    """
    if is_frame(X):
        if name in (labels := labels_of(X)):
            return _series_values(_opened(X)[name], repr(name))
        raise ValueError(f"X has no column {name!r}; it has {', '.join(map(repr, labels[:8]))}.")
    array = np.asarray(X)
    if names is None or name not in names or array.ndim != 2 or array.shape[1] != len(names):
        raise ValueError(
            f"The column {name!r} is looked for by its name; give X as a data frame with it."
        )
    values = array[:, list(names).index(name)]
    if array.dtype.kind in "biuf":
        return np.asarray(values, dtype=np.float64)
    return read_objects(values.tolist(), name)


def empty_columns(X: Any) -> tuple[list[Column], tuple[str, ...] | None]:
    """Return the columns of a table as its types tell of them, without their values."""
    if type(X) is np.ndarray or not is_into_dataframe(X):
        return [Column(repr(label), np.empty(0), False) for label in range(X.shape[1])], None
    frame = _opened(X)
    columns = [
        Column(repr(label), np.empty(0), _is_category(dtype) or dtype == nw.String)
        for label, dtype in frame.schema.items()
    ]
    return columns, _names(frame.columns)


def _with_gaps(X: Any) -> NDArray[Any]:
    """Return a masked array as one in which masked values are missing."""
    if X.dtype.kind == "f":
        return np.asarray(X.filled(np.nan))
    if X.dtype.kind in "biu":
        return np.asarray(X.astype(np.float64).filled(np.nan))
    objects = np.array(X.data, dtype=object)
    objects[np.ma.getmaskarray(X)] = None
    return objects


def _names(labels: Sequence[Any]) -> tuple[str, ...] | None:
    texts = tuple(label for label in labels if isinstance(label, str))
    if 0 < len(texts) < len(labels):
        raise TypeError("Column names must be all text or all not, got a mixture; rename them.")
    return texts or None


def _frame_columns(frame: nw.DataFrame[Any]) -> Iterator[Column]:
    for label, series in zip(frame.columns, frame.iter_columns(), strict=True):
        values = _series_values(series, repr(label))
        is_category = _is_category(series.dtype) or isinstance(values, Texts)
        yield Column(repr(label), values, is_category)


def _is_category(dtype: Any) -> bool:
    return dtype in (nw.Categorical, nw.Enum)


def _series_values(series: nw.Series[Any], label: str) -> Values:
    if series.dtype == nw.Float32:
        return series.to_numpy()
    if series.dtype.is_numeric() or series.dtype == nw.Boolean:
        return _floats(series)
    series = _decoded(series)
    return _typed_texts(series) if _is_typed_text(series) else read_objects(series.to_list(), label)


def _floats(series: nw.Series[Any]) -> NDArray[np.float64]:
    """Return a column of numbers as floats, missing values as NaN."""
    # pyarrow casts no integer above 2^53, which NumPy rounds.
    floats = series if series.dtype.is_integer() else series.cast(nw.Float64)
    return np.asarray(floats.to_numpy(), dtype=np.float64)


def _is_typed_text(series: nw.Series[Any]) -> bool:
    """Whether a column holds texts alone, in a form that its library can compare."""
    # A text column of pandas may hold anything.
    if series.dtype != nw.String or series.implementation.is_pandas_like():
        return False
    return not _has_views(series)


def _has_views(series: nw.Series[Any]) -> bool:
    """Whether a column of pyarrow holds `string_view`, for which it has few functions."""
    return series.implementation.is_pyarrow() and "_view" in str(series.to_native().type)


def _decoded(series: nw.Series[Any]) -> nw.Series[Any]:
    """Return a category column of texts as texts, where its values are of one type."""
    if not _is_category(series.dtype) or series.implementation.is_pandas_like():
        return series
    if _has_views(series):
        return series
    first = series.drop_nulls().head(1).to_list()
    return series.cast(nw.String) if first and isinstance(first[0], str) else series


def _typed_texts(series: nw.Series[Any]) -> Values:
    levels = sorted(series.drop_nulls().unique().to_list())
    if not levels:
        return np.full(len(series), np.nan)
    codes = series.replace_strict(levels, range(len(levels)), return_dtype=nw.Int32)
    return Texts(codes.fill_null(-1).to_numpy(), tuple(levels))


def _array_columns(array: NDArray[Any]) -> Iterator[Column]:
    is_number = array.dtype.kind in "biuf"
    dtype = FLOAT32 if array.dtype == FLOAT32 else FLOAT64
    for position in range(array.shape[1]):
        values, label = array[:, position], str(position)
        if is_number:
            yield Column(label, values.astype(dtype, copy=False), False)
        else:
            yield Column(label, read_objects(values.tolist(), label), False)
