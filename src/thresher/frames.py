"""Tables in, float matrices out: pandas, polars and pyarrow through narwhals, and plain arrays.

Numbers and booleans become floats, missing values NaN, and the levels of category columns codes
0 to 254 in the order of their values, whatever codes the table itself keeps.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from math import isfinite
from typing import Any, NamedTuple, TypeAlias
from warnings import warn

import narwhals as nw
import numpy as np
from narwhals.dependencies import is_into_dataframe, is_into_lazyframe, is_into_series
from numpy.typing import NDArray
from sklearn.utils import check_array

from thresher.texts import Texts, read_objects

MAX_LEVELS = 255
"""Most levels of a category column: codes 0 to 254, so that a bitset of 32 bytes holds them."""

Matrix: TypeAlias = NDArray[np.floating[Any]]
Values: TypeAlias = Matrix | Texts
"""A column: numbers with NaN where missing, or texts."""

Levels: TypeAlias = tuple[float | str, ...]
"""The sorted levels of a category column: numbers only or texts only."""

_FLOAT32, _FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)


class Column(NamedTuple):
    """One column of a table as it was read; `is_category` as a data frame's type tells."""

    label: str
    values: Values
    is_category: bool


@dataclass(frozen=True)
class Columns:
    """The columns of the table a model was fitted on.

    Attributes
    ----------
    names : their names, None where the table had none.
    levels : for each column its sorted levels (numbers or texts), None where it is numeric.
    """

    names: tuple[str, ...] | None
    levels: tuple[Levels | None, ...]

    def __len__(self) -> int:
        return len(self.levels)

    @cached_property
    def is_category(self) -> NDArray[np.uint8]:
        """1 for each category column, 0 for the others."""
        if self.levels.count(None) == len(self.levels):
            return np.zeros(len(self.levels), dtype=np.uint8)
        return np.array([levels is not None for levels in self.levels], dtype=np.uint8)

    @cached_property
    def _are_numbers(self) -> bool:
        return self.names is None and self.levels.count(None) == len(self.levels)

    def matrix(self, X: Any, owner: str) -> Matrix:
        """Return a table as the matrix that a model fitted on these columns understands.

        Columns are matched by name where both tables have names, by position otherwise. A plain
        array is handed on unread: whoever routes its rows refuses infinite values.
        `owner` is the name of the estimator, for messages; warnings point at the caller of the
        public method that calls a private one that calls this.
        """
        if is_plain(X) and self._are_numbers and X.shape[1] == len(self):
            plain: Matrix = X
            return plain
        columns, names = _read(X)
        if names is not None and self.names is not None:
            columns = self._matched(columns, names)
        else:
            self._check_positions(columns, names, owner)
        return _assemble(columns, self.levels)

    def _matched(self, columns: list[Column], names: tuple[str, ...]) -> list[Column]:
        assert self.names is not None
        found = dict(zip(names, columns, strict=True))
        missing = [name for name in self.names if name not in found]
        if missing:
            raise ValueError(
                "The feature names should match those that were passed during fit: "
                f"{_listed(missing)} not found."
            )
        extra = [name for name in names if name not in set(self.names)]
        if extra:
            warn(f"Columns unknown to the model are ignored: {_listed(extra)}.", stacklevel=5)
        return [found[name] for name in self.names]

    def _check_positions(
        self, columns: list[Column], names: tuple[str, ...] | None, owner: str
    ) -> None:
        if len(columns) != len(self):
            raise ValueError(
                f"X has {len(columns)} features, but {owner} is expecting {len(self)} features "
                "as input."
            )
        if self.names is not None:
            warn(
                f"X does not have valid feature names, but {owner} was fitted with feature names: "
                "columns are taken by position.",
                stacklevel=5,
            )
        elif names is not None:
            warn(
                f"X has feature names, but {owner} was fitted without feature names: "
                "columns are taken by position.",
                stacklevel=5,
            )


def is_plain(X: Any) -> bool:
    """Whether X is a non-empty float matrix that needs no conversion."""
    return (
        type(X) is np.ndarray
        and (X.dtype == _FLOAT64 or X.dtype == _FLOAT32)
        and X.ndim == 2
        and X.size > 0
        and X.flags.aligned
    )


def read_matrix(X: Any, categorical_features: Any = "from_dtype") -> tuple[Matrix, Columns]:
    """Read a table to fit on.

    Parameters
    ----------
    X : pandas, polars or pyarrow table, or array-like of shape (n_samples, n_features)
    categorical_features : "from_dtype", None, or mask, indices or names of the category columns
        "from_dtype": the category, enum, dictionary and text columns of a data frame.

    Returns
    -------
    matrix : float32 where every column is, float64 otherwise
    columns : Columns

    Examples
    --------
    >>> import polars as pl
    >>> table = pl.DataFrame({"speed": [1.5, None], "line": ["north", "east"]})
    >>> matrix, columns = read_matrix(table)
    >>> matrix
    array([[1.5, 1. ], [nan, 0. ]])
    >>> columns.levels
    (None, ('east', 'north'))
    """
    if is_plain(X) and (categorical_features is None or type(categorical_features) is str):
        _check_keyword(categorical_features)
        refuse_infinity(X)
        return X, Columns(None, (None,) * X.shape[1])
    columns, names = _read(X)
    chosen = _chosen(categorical_features, columns, names)
    _refuse_other_text(columns, chosen)
    levels = tuple(
        levels_of(column) if wanted else None
        for column, wanted in zip(columns, chosen, strict=True)
    )
    return _assemble(columns, levels), Columns(names, levels)


def category_mask(X: Any, categorical_features: Any = "from_dtype") -> tuple[bool, ...]:
    """Whether each column of a table is a category column; its types tell, so it may be empty.

    >>> import polars as pl
    >>> category_mask(pl.DataFrame(schema={"speed": pl.Float64, "line": pl.String}))
    (False, True)
    """
    if type(X) is np.ndarray or not is_into_dataframe(X):
        labels, dtypes, names = range(X.shape[1]), [None] * X.shape[1], None
    else:
        frame = nw.from_native(X, eager_only=True)
        labels, dtypes, names = frame.columns, list(frame.schema.values()), _names(frame.columns)
    columns = [
        Column(repr(label), np.empty(0), _is_category(dtype) or dtype == nw.String)
        for label, dtype in zip(labels, dtypes, strict=True)
    ]
    return tuple(_chosen(categorical_features, columns, names))


def read_vector(values: Any) -> Any:
    """Return a series of any data frame library as an array; anything else as it is."""
    if type(values) is np.ndarray or not is_into_series(values):
        return values
    series = nw.from_native(values, series_only=True)
    if series.dtype.is_numeric() and series.is_null().any():
        series = series.cast(nw.Float64)
    return (
        np.asarray(_decoded(series).to_list()) if _is_category(series.dtype) else series.to_numpy()
    )


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


def is_frame(X: Any) -> bool:
    """Whether something is a data frame of a library that narwhals knows."""
    return type(X) is not np.ndarray and bool(is_into_dataframe(X))


def frame_kind(X: Any) -> str | None:
    """Return the library of a data frame ("pandas", "polars", "pyarrow"), None for other tables."""
    if type(X) is np.ndarray or not is_into_dataframe(X):
        return None
    return str(nw.from_native(X, eager_only=True).implementation.value)


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
    frame = nw.from_native(X, eager_only=True)
    pairs = zip(frame.columns, frame.iter_columns(), strict=True)
    return {str(name): _plain_values(series) for name, series in pairs}


def added_columns(X: Any, columns: dict[str, Any]) -> Any:
    """Return a data frame with further columns, of the same library.

    >>> import pandas as pd
    >>> added_columns(pd.DataFrame({"a": [1, 2]}), {"b": ["x", "y"]}).columns.tolist()
    ['a', 'b']
    """
    frame = nw.from_native(X, eager_only=True)
    lists = {name: list(values) for name, values in columns.items()}
    if frame.implementation.is_pandas_like():  # which would match new columns by its index
        return X.assign(**lists)
    backend = frame.implementation
    new = [nw.new_series(name, values, backend=backend) for name, values in lists.items()]
    return frame.with_columns(*new).to_native()


def _plain_values(series: nw.Series[Any]) -> Any:
    if series.dtype.is_numeric():
        return np.asarray(series.cast(nw.Float64).to_numpy(), dtype=np.float64)
    return series.to_list()


# ------------------------------------------------------------------------------- reading columns


def _read(X: Any) -> tuple[list[Column], tuple[str, ...] | None]:
    if type(X) is not np.ndarray and is_into_dataframe(X):
        frame = nw.from_native(X, eager_only=True)
        if 0 in frame.shape:
            raise ValueError(f"X is empty: it has {frame.shape[0]} rows, {frame.shape[1]} columns.")
        return list(_frame_columns(frame)), _names(frame.columns)
    if is_into_lazyframe(X):
        raise TypeError("X is a lazy table; call its collect() first.")
    array = np.asarray(check_array(X, dtype=None, ensure_all_finite=False))
    return list(_array_columns(array)), None


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
        return series.cast(nw.Float64).to_numpy()
    series = _decoded(series)
    # A text column of pandas may hold anything.
    if series.dtype == nw.String and not series.implementation.is_pandas_like():
        return _typed_texts(series)
    return read_objects(series.to_list(), label)


def _decoded(series: nw.Series[Any]) -> nw.Series[Any]:
    """Return a category column of texts as texts, where its values are of one type."""
    if not _is_category(series.dtype) or series.implementation.is_pandas_like():
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
    dtype = _FLOAT32 if array.dtype == _FLOAT32 else _FLOAT64
    for position in range(array.shape[1]):
        values, label = array[:, position], str(position)
        if is_number:
            yield Column(label, values.astype(dtype, copy=False), False)
        else:
            yield Column(label, read_objects(values.tolist(), label), False)


# ----------------------------------------------------------------------------- category columns


def _check_keyword(categorical_features: Any) -> None:
    if categorical_features is not None and categorical_features != "from_dtype":
        raise ValueError(
            "categorical_features must be 'from_dtype', None, or a list of names, indices or "
            f"booleans, got {categorical_features!r}."
        )


def _chosen(
    categorical_features: Any, columns: list[Column], names: tuple[str, ...] | None
) -> list[bool]:
    """Whether each column is a category column."""
    if categorical_features is None or isinstance(categorical_features, str):
        _check_keyword(categorical_features)
        return [categorical_features is not None and column.is_category for column in columns]
    wanted = np.asarray(categorical_features)
    if wanted.dtype == np.bool_:
        if wanted.shape != (len(columns),):
            raise ValueError(
                f"categorical_features must have one boolean for each of the {len(columns)} "
                f"columns, got the shape {wanted.shape}."
            )
        return [bool(is_category) for is_category in wanted]
    positions = {_position(item, len(columns), names) for item in wanted.ravel().tolist()}
    return [position in positions for position in range(len(columns))]


def _position(item: Any, count: int, names: tuple[str, ...] | None) -> int:
    if isinstance(item, str) and names is not None and item in names:
        return names.index(item)
    if isinstance(item, int) and -count <= item < count:
        return item % count
    raise ValueError(f"categorical_features names the column {item!r}, which X does not have.")


def _refuse_other_text(columns: list[Column], chosen: list[bool]) -> None:
    for column, wanted in zip(columns, chosen, strict=True):
        if isinstance(column.values, Texts) and not wanted:
            example = next(value for value in column.values.values() if value is not None)
            raise ValueError(
                f"Column {column.label} holds text, such as {example!r}; name it in "
                "categorical_features or turn it into numbers."
            )


def levels_of(column: Column) -> Levels:
    """Return the distinct values of a column, sorted."""
    levels: Levels
    if isinstance(column.values, Texts):
        levels = column.values.levels
    else:
        refuse_infinity(column.values[:, None], [column.label])
        present = column.values[~np.isnan(column.values)]
        levels = tuple(np.unique(present.astype(np.float64)).tolist())
    if len(levels) > MAX_LEVELS:
        raise ValueError(
            f"Category column {column.label} has {len(levels)} levels, more than {MAX_LEVELS}; "
            "merge rare levels or turn it into numbers."
        )
    return levels


def encode(column: Column, levels: Levels) -> NDArray[np.float64]:
    """Return the codes of a category column: missing and unknown levels are NaN.

    >>> encode(Column("'line'", Texts.of(["b", None, "z", "a"]), True), ("a", "b"))
    array([ 1., nan, nan,  0.])
    """
    given = column.values
    if isinstance(given, Texts):
        if levels and not isinstance(levels[0], str):
            raise ValueError(f"Column {column.label} held numbers during fit and holds text now.")
        return given.numbered(levels)
    if levels and isinstance(levels[0], str):
        if not np.isnan(given).all():
            raise ValueError(f"Column {column.label} held text during fit and holds numbers now.")
        return np.full(len(given), np.nan)
    known = np.array([*levels, np.nan])
    position = np.searchsorted(known, given.astype(np.float64))
    return np.where(known[position] == given, position.astype(np.float64), np.nan)


# ------------------------------------------------------------------------------------ the matrix


def _assemble(columns: Sequence[Column], levels: Sequence[Levels | None]) -> Matrix:
    parts = [
        _numbers(column) if of_column is None else encode(column, of_column)
        for column, of_column in zip(columns, levels, strict=True)
    ]
    dtype = _FLOAT32 if all(part.dtype == _FLOAT32 for part in parts) else _FLOAT64
    matrix = np.empty((len(parts[0]), len(parts)), dtype=dtype, order="F")
    for position, part in enumerate(parts):
        matrix[:, position] = part
    refuse_infinity(matrix, [column.label for column in columns])
    return matrix


def _numbers(column: Column) -> Matrix:
    if isinstance(column.values, Texts):
        raise ValueError(f"Column {column.label} held numbers during fit and holds text now.")
    return column.values


def refuse_infinity(matrix: Matrix, labels: list[str] | None = None) -> None:
    """Raise an error that names the first infinite value, if there is one."""
    # A sum is finite only if every term is; NaN and overflow send the matrix to the slow look.
    with np.errstate(all="ignore"):
        if isfinite(np.add.reduce(matrix, axis=None)):
            return
    for start in range(0, len(matrix), 65536):
        is_infinite = np.isinf(matrix[start : start + 65536])
        if is_infinite.any():
            row, position = np.argwhere(is_infinite)[0].tolist()
            label = str(position) if labels is None else labels[position]
            raise ValueError(
                f"X contains infinity: column {label}, row {start + row} (counted from 0); "
                "replace it by a finite number, or by NaN for a missing value."
            )


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:5])
    return shown if len(names) <= 5 else f"{shown} and {len(names) - 5} more"
