"""Tables in, float matrices out.

Numbers and booleans become floats, missing values NaN, and the levels of category columns codes
0 to 254 in the order of their values, whatever codes the table itself keeps. Where there are more
levels, those that matter least share the last code.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from warnings import warn

import numpy as np
from numpy.typing import NDArray

from thresher.column import (
    FLOAT32,
    FLOAT64,
    Column,
    Levels,
    Matrix,
    Texts,
    assemble,
    levels_of,
    refuse_infinity,
)
from thresher.frames import empty_columns, read_columns
from thresher.pair import NamedPair, Pair, pair_names


@dataclass(frozen=True)
class Columns:
    """The columns of the table a model was fitted on, and those that are derived from them.

    What a table must have are the given columns: `names`, `levels` and the length speak of these.
    What trees ask are the columns of the matrix, the given ones first, then the derived ones:
    whatever has "wide" in its name, and `is_category`, speaks of these.

    Attributes
    ----------
    names : their names, None where the table had none.
    levels : for each column its sorted levels (numbers or texts), None where it is numeric. Where
        there were more than 255, the 254 that matter most, then `OTHER_LEVELS`, which stands for
        all others, those that were never seen among them.
    derived : columns that are computed from two given ones.

    Examples
    --------
    >>> columns = Columns(("force", "area"), (None, None), (Pair(0, "ratio", 1),))
    >>> columns.wide_names, columns.widened(np.array([[6.0, 2.0]]))
    (('force', 'area', 'force / area'), array([[6., 2., 3.]]))
    """

    names: tuple[str, ...] | None
    levels: tuple[Levels | None, ...]
    derived: tuple[Pair, ...] = ()

    def __len__(self) -> int:
        return len(self.levels)

    @property
    def width(self) -> int:
        """Number of columns of the matrix."""
        return len(self.levels) + len(self.derived)

    @property
    def given_names(self) -> tuple[str, ...]:
        """Names of the given columns; x[0], x[1], ... where the table had none."""
        return self.names or tuple(f"x[{place}]" for place in range(len(self)))

    @cached_property
    def wide_names(self) -> tuple[str, ...]:
        """Names of the columns of the matrix."""
        return self.given_names + pair_names(self.given_names, self.derived)

    @cached_property
    def wide_levels(self) -> tuple[Levels | None, ...]:
        """Levels of the columns of the matrix."""
        return self.levels + (None,) * len(self.derived)

    @cached_property
    def named_pairs(self) -> dict[str, NamedPair]:
        """What derived columns are made of, by their names."""
        pairs = (pair.named(self.given_names) for pair in self.derived)
        return dict(zip(self.wide_names[len(self) :], pairs, strict=True))

    @cached_property
    def is_category(self) -> NDArray[np.uint8]:
        """1 for each category column of the matrix, 0 for the others."""
        if self.levels.count(None) == len(self.levels):
            return np.zeros(self.width, dtype=np.uint8)
        return np.array([levels is not None for levels in self.wide_levels], dtype=np.uint8)

    def widened(self, matrix: Matrix, *, to_learn: bool = False) -> Matrix:
        """Return a matrix of the given columns with the derived ones behind them.

        `to_learn`: for trees that are grown on it, see `Pair.values_to_learn`.
        """
        if not self.derived:
            return matrix
        wide = np.empty((len(matrix), self.width), order="F")
        wide[:, : len(self)] = matrix
        for place, pair in enumerate(self.derived, start=len(self)):
            wide[:, place] = (pair.values_to_learn if to_learn else pair.values)(matrix)
        return wide

    def given_shares(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what a number for each column of the matrix says of the given ones.

        What belongs to a derived column goes half to each of its parts.
        """
        found = shares[: len(self)].copy()
        for pair, share in zip(self.derived, shares[len(self) :], strict=True):
            found[list(pair.parts)] += 0.5 * share
        return found

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
            return self.widened(plain)
        columns, names = read_columns(X)
        if names is not None and self.names is not None:
            columns = self._matched(columns, names)
        else:
            self._check_positions(columns, names, owner)
        return self.widened(assemble(columns, self.levels))

    def _matched(self, columns: list[Column], names: tuple[str, ...]) -> list[Column]:
        assert self.names is not None
        found = dict(zip(names, columns, strict=True))
        missing = [name for name in self.names if name not in found]
        if missing:
            raise ValueError(
                "The feature names should match those that were passed during fit: "
                f"{_listed(missing)} not found{_with_blanks(missing, names)}."
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
        and (X.dtype == FLOAT64 or X.dtype == FLOAT32)
        and X.ndim == 2
        and X.size > 0
        and X.flags.aligned
    )


@dataclass(frozen=True)
class UncodedTable:
    """A table to fit on: its category columns have no codes yet, for labels decide on them.

    Attributes
    ----------
    columns : the columns as they were read; none where X is a plain matrix.
    names : their names, None where the table had none.
    is_category : whether each column is a category column.
    plain : X where it is a plain matrix.
    """

    columns: list[Column]
    names: tuple[str, ...] | None
    is_category: list[bool]
    plain: Matrix | None = None

    def __len__(self) -> int:
        return len(self.columns[0].values if self.plain is None else self.plain)

    def coded(self, is_positive: NDArray[Any] | None = None) -> tuple[Matrix, Columns]:
        """Return the matrix and its columns, given which rows are positive."""
        if self.plain is not None:
            return self.plain, Columns(None, (None,) * self.plain.shape[1])
        levels = tuple(
            levels_of(column, is_positive) if wanted else None
            for column, wanted in zip(self.columns, self.is_category, strict=True)
        )
        return assemble(self.columns, levels), Columns(self.names, levels)


def read_uncoded(X: Any, categorical_features: Any = "from_dtype") -> UncodedTable:
    """Read a table to fit on up to the codes of its levels, as `read_matrix` does."""
    if is_plain(X) and (categorical_features is None or type(categorical_features) is str):
        _check_keyword(categorical_features)
        refuse_infinity(X)
        return UncodedTable([], None, [], X)
    columns, names = read_columns(X)
    chosen = _chosen(categorical_features, columns, names)
    _refuse_other_text(columns, chosen)
    return UncodedTable(columns, names, chosen)


def read_matrix(
    X: Any, categorical_features: Any = "from_dtype", is_positive: NDArray[Any] | None = None
) -> tuple[Matrix, Columns]:
    """Read a table to fit on.

    Parameters
    ----------
    X : pandas, polars or pyarrow table, or array-like of shape (n_samples, n_features)
    categorical_features : "from_dtype", None, or mask, indices or names of the category columns
        "from_dtype": the category, enum, dictionary and text columns of a data frame.
    is_positive : whether each row is positive, default=None
        Decides which levels of a column with more than 255 have a code of their own; without it,
        the number of their rows does.

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
    return read_uncoded(X, categorical_features).coded(is_positive)


def category_mask(X: Any, categorical_features: Any = "from_dtype") -> tuple[bool, ...]:
    """Whether each column of a table is a category column; its types tell, so it may be empty.

    >>> import polars as pl
    >>> category_mask(pl.DataFrame(schema={"speed": pl.Float64, "line": pl.String}))
    (False, True)
    """
    columns, names = empty_columns(X)
    return tuple(_chosen(categorical_features, columns, names))


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


def _with_blanks(missing: Sequence[str], names: Sequence[str]) -> str:
    """Return the way out where the table has all that is missing, with blanks in its names."""
    if not set(missing) <= {name.replace(" ", "_") for name in names}:
        return ""
    return (
        "; the table has blanks in place of these underscores, which LightGBM makes: give names= "
        "to convert"
    )


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:5])
    return shown if len(names) <= 5 else f"{shown} and {len(names) - 5} more"
