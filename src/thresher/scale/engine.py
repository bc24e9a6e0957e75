"""What an engine offers: blocks of rows somewhere, made into bins and added up.

An engine keeps blocks of rows somewhere and can do two things: turn every block into bins, and add
up what a function of a block returns. Counts are integers, so that a tree does not depend on how
rows are dealt to blocks or in which order results arrive. For a forest an engine can also bring all
bins to whoever grows some of its trees.
"""

from collections.abc import Callable, Sequence
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from thresher import _core

Block = TypeVar("Block", covariant=True)
Item = TypeVar("Item")
Result = TypeVar("Result")


class CodedBlock(NamedTuple):
    """Rows as one byte a value.

    Attributes
    ----------
    codes : bins by row and column, 255 where a value is missing.
    labels : 1 for each positive row.
    weights : fixed-point weights, None where every row weighs one.
    """

    codes: NDArray[np.uint8]
    labels: NDArray[np.uint8]
    weights: NDArray[np.int64] | None

    @property
    def n_bytes(self) -> int:
        """Size of the rows."""
        return sum(part.nbytes for part in self if part is not None)

    def where(self, chosen: NDArray[Any] | slice) -> "CodedBlock":
        """Return some of the rows, by a mask or by their indices; a slice gives views."""
        weights = None if self.weights is None else self.weights[chosen]
        return CodedBlock(self.codes[chosen], self.labels[chosen], weights)


def concatenated(blocks: Sequence[CodedBlock]) -> CodedBlock:
    """Return the rows of all blocks as one."""
    if len(blocks) == 1:
        return blocks[0]
    weights = [block.weights for block in blocks if block.weights is not None]
    return CodedBlock(
        np.concatenate([block.codes for block in blocks]),
        np.concatenate([block.labels for block in blocks]),
        np.concatenate(weights) if weights else None,
    )


def by_content(blocks: Sequence[CodedBlock]) -> CodedBlock:
    """Return the rows of all blocks in the order of a hash of their content."""
    rows = concatenated([block for block in blocks if len(block.codes)])
    return rows.where(np.argsort(_core.hash_rows(*rows), kind="stable"))


def plus(one: Any, other: Any) -> Any:
    """Return what is known of the rows of both; None of a block without rows."""
    return one or other if one is None or other is None else one.plus(other)


def row_bytes(n_features: int, *, weighted: bool) -> int:
    """Return the size of one coded row with its label and weight."""
    return n_features + 1 + (8 if weighted else 0)


class Joined(Protocol):
    """All rows as one block, on every machine that works on it."""

    @property
    def here(self) -> CodedBlock | None:
        """The block where it is in this process, else None."""

    @property
    def n_tasks(self) -> int:
        """How many tasks the work is best divided into."""

    def fold(
        self,
        function: Callable[[CodedBlock, Item], Result],
        items: Sequence[Item],
        merge: Callable[[Result, Result], Result],
    ) -> Result:
        """Return the results of a function of the block and each item, merged in any order."""


class Foldable(Protocol, Generic[Block]):
    """Blocks of rows, wherever they are.

    A function that is handed over may be sent to another machine, and may be called again for a
    block that was lost: it is pure, and it and its results can be pickled.
    """

    def fold(
        self, function: Callable[[Block], Result], merge: Callable[[Result, Result], Result]
    ) -> Result:
        """Return the results of a function for all blocks, merged in any order."""


class Blocks(Foldable[Block], Protocol, Generic[Block]):
    """Blocks of which others can be made."""

    @property
    def spills(self) -> bool:
        """Whether rows that do not fit into memory are kept in files."""

    def map(self, function: Callable[[Block], CodedBlock]) -> "Blocks[CodedBlock]":
        """Return the coded blocks that a function makes of these, kept where they are."""

    def joined(self) -> Joined:
        """Return all rows of blocks that are coded as one, in the order of their content."""
