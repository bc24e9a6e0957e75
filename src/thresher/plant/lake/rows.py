"""The rows of a lake as a model takes them, block by block, with a bar for people to watch."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.column import Matrix, refuse_infinity
from thresher.errors import TableError
from thresher.matrix import Columns
from thresher.plant.lake.lake import Lake
from thresher.progress import progress_bar
from thresher.scale.arrow_source import as_table, labels_of


class Block(NamedTuple):
    """Some rows: the columns to learn from, whether each is positive, and all that was read."""

    X: Any
    is_positive: NDArray[np.bool_]
    batch: Any

    def matrix(self, columns: Columns) -> Matrix:
        """Return the rows as models with these columns take them."""
        try:
            matrix = columns.matrix(self.X, "train")
            refuse_infinity(matrix)
        except ValueError as error:
            raise TableError(str(error)) from None
        return matrix


@dataclass(frozen=True)
class Reader:
    """What is read of a lake.

    Attributes
    ----------
    target : the column with the classes.
    positive : the class to find, as the files have it.
    names : the columns to learn from.
    shown : whether to show progress.
    """

    target: str
    positive: Any
    names: tuple[str, ...]
    shown: bool = False

    def blocks(self, lake: Lake, text: str, more: Sequence[str] = ()) -> Iterator[Block]:
        """Yield the rows; `more` are further columns to read."""
        columns = list(dict.fromkeys([*self.names, self.target, *more]))
        for batch in passing(lake, columns, text, shown=self.shown):
            yield self.block(batch)

    def block(self, batch: Any) -> Block:
        """Return the rows of a batch."""
        return Block(as_table(batch, list(self.names)), self.truth(batch), batch)

    def truth(self, batch: Any) -> NDArray[np.bool_]:
        """Return whether each row of a batch or a table is positive."""
        column = batch.column(self.target)
        chunks = getattr(column, "chunks", [column])
        parts = [labels_of(chunk, self.target) == self.positive for chunk in chunks]
        return np.concatenate([np.zeros(0, dtype=np.bool_), *parts])


def passing(lake: Lake, columns: Sequence[str], text: str, *, shown: bool) -> Iterator[Any]:
    """Yield the batches of a lake, and show how far it is and how long it will take."""
    seen = 0
    with progress_bar(text, lake.n_rows if shown else 0, shown=shown) as done:
        for batch in lake.batches(columns):
            yield batch
            seen += batch.num_rows
            done(seen)
