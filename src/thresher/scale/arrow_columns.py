"""Columns of a data frame whose rows come as Arrow batches: named ones, or one of arrays."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from thresher.matrix import category_mask
from thresher.scale.table_passes import TableBlock

RUN_BYTES = 1 << 27
"""Size of the rows that are read at once, as Arrow keeps them."""


@dataclass(frozen=True)
class FeatureColumns:
    """The columns to learn from, as their engine names them.

    Attributes
    ----------
    columns : the columns.
    names : their names; None where there is a single one that holds arrays of features.
    are_text : whether each feature is text.
    """

    columns: Sequence[Any]
    names: tuple[str, ...] | None
    are_text: Sequence[bool]

    def is_category(self, categorical_features: Any) -> tuple[bool, ...]:
        """Whether each feature is a category column."""
        if self.names is None:
            return category_mask(np.empty((0, len(self.are_text))), categorical_features)
        kinds = [pa.string() if is_text else pa.float64() for is_text in self.are_text]
        schema = pa.schema(list(zip(self.names, kinds, strict=True)))
        return category_mask(schema.empty_table(), categorical_features)

    def some(self, wanted: Sequence[bool], *, weighted: bool) -> tuple[list[Any], "TableReader"]:
        """Return the columns that hold the wanted features, and what reads them."""
        places = tuple(np.flatnonzero(wanted).tolist())
        if self.names is None:
            columns = list(self.columns) if places else []
            return columns, TableReader(weighted, None, len(self.are_text), places)
        names = tuple(self.names[place] for place in places)
        return [self.columns[place] for place in places], TableReader(weighted, names)


@dataclass(frozen=True)
class TableReader:
    """Makes blocks of batches, whose columns are the label, the weight and the features.

    Attributes
    ----------
    weighted : whether there is a weight.
    names : of the features; None where a single column holds arrays of them.
    width : length of these arrays.
    places : of the features that are wanted in them.
    """

    weighted: bool
    names: tuple[str, ...] | None
    width: int = 0
    places: tuple[int, ...] = ()

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[TableBlock]:
        """Yield the rows of some batches at a time as a block."""
        run: list[pa.RecordBatch] = []
        for batch in batches:
            run.append(batch)
            if sum(part.nbytes for part in run) >= RUN_BYTES:
                yield self._block(run)
                run = []
        if any(part.num_rows for part in run):
            yield self._block(run)

    def _block(self, batches: list[pa.RecordBatch]) -> TableBlock:
        y, *columns = pa.Table.from_batches(batches).columns
        weights = columns.pop(0) if self.weighted else None
        return TableBlock(self._features(columns), y, weights)

    def _features(self, columns: list[pa.ChunkedArray]) -> Any:
        if not columns:
            return None
        if self.names is not None:
            return pa.table(columns, names=list(self.names))
        return as_matrix(columns[0].combine_chunks(), self.width)[:, list(self.places)]


def as_matrix(arrays: pa.Array, width: int) -> NDArray[Any]:
    """Return arrays of features, one a row, as a matrix.

    >>> as_matrix(pa.array([[1.0, 2.0], [3.0, None]]), width=2)
    array([[ 1.,  2.], [ 3., nan]])
    """
    if any(length != width for length in arrays.value_lengths().to_pylist()):
        raise ValueError(f"Every row must have {width} features, as the first one; some have not.")
    numbers: NDArray[Any] = arrays.flatten().to_numpy(zero_copy_only=False)
    return numbers.reshape(-1, width)
