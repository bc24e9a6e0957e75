"""A table as bins, and what is known of it."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.matrix import Columns
from thresher.seam.coded import CodedBlock
from thresher.seam.engine import Blocks, row_bytes
from thresher.validation import real_weights


@dataclass(frozen=True)
class BinnedTable:
    """A table as bins.

    Attributes
    ----------
    blocks : the bins.
    columns : names and levels of the columns.
    classes : the sorted classes.
    positive : place of the positive class among them.
    digits : of the fixed-point weights, None where every row weighs one.
    edges : where the bins of each column end.
    weight, rows : fixed-point weight and number of the rows, (negative, positive).
    """

    blocks: Blocks[CodedBlock]
    columns: Columns
    classes: NDArray[Any]
    positive: int
    digits: int | None
    edges: list[NDArray[np.float64]]
    weight: tuple[int, int]
    rows: tuple[int, int]

    @property
    def totals(self) -> tuple[float, float]:
        """Sample weight of the (negative, positive) class."""
        negative, positive = real_weights(np.array(self.weight), self.digits or 0).tolist()
        return negative, positive

    @property
    def n_bytes(self) -> int:
        """Size of all bins with labels and weights."""
        return sum(self.rows) * row_bytes(len(self.columns), weighted=self.digits is not None)
