"""A block of rows as bins, and what a round of growth asks of it: pure functions of one block."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher import _core


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
        """Return some of the rows, by a mask or by their places; a slice gives views."""
        weights = None if self.weights is None else self.weights[chosen]
        return CodedBlock(self.codes[chosen], self.labels[chosen], weights)


class Question(NamedTuple):
    """What a round asks: a tree, and which nodes of its frontier are meant.

    Attributes
    ----------
    feature, left, goes_left : the tree so far, as `_core.route_rows` reads it.
    slot : for each node its place in the answer, -1 where it is not meant.
    n_slots : number of nodes that are meant.
    """

    feature: NDArray[np.int32]
    left: NDArray[np.int32]
    goes_left: NDArray[np.uint8]
    slot: NDArray[np.int32]
    n_slots: int

    def slots(self, block: CodedBlock) -> NDArray[np.int32]:
        """Return the slot of each row of a block."""
        if len(self.feature) == 1:
            return np.full(len(block.codes), self.slot[0], dtype=np.int32)
        nodes = _core.route_rows(block.codes, self.feature, self.left, self.goes_left)
        slots: NDArray[np.int32] = self.slot[nodes]
        return slots


def count_block(block: CodedBlock, question: Question) -> NDArray[np.int64]:
    """Return the counts (slot, plane, column, bin) of the nodes that are meant."""
    slots = question.slots(block)
    counts: Any = _core.count_rows(
        block.codes, block.labels, block.weights, slots, question.n_slots
    )
    result: NDArray[np.int64] = counts.astype(np.int64, copy=False)
    return result


def add_counts(one: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the counts of both."""
    return np.add(one, other)


class SlotRows(NamedTuple):
    """Rows of a block together with the slots of their nodes."""

    rows: CodedBlock
    slots: NDArray[np.int32]

    def of(self, slot: int) -> CodedBlock:
        """Return the rows of one slot; the rows must be in the order of their slots."""
        begin, end = np.searchsorted(self.slots, [slot, slot + 1])
        weights = None if self.rows.weights is None else self.rows.weights[begin:end]
        return CodedBlock(self.rows.codes[begin:end], self.rows.labels[begin:end], weights)


def take_block(block: CodedBlock, question: Question) -> list[SlotRows]:
    """Return the rows of the nodes that are meant."""
    slots = question.slots(block)
    chosen = slots >= 0
    if chosen.all():
        return [SlotRows(block, slots)]
    return [SlotRows(block.where(chosen), slots[chosen])]


def join_parts(one: list[SlotRows], other: list[SlotRows]) -> list[SlotRows]:
    """Return the rows of both, for now side by side: they are copied once, in `by_slot`."""
    return one + other


def by_slot(parts: Sequence[SlotRows]) -> SlotRows:
    """Return all rows in the order of their slots."""
    blocks = [part.rows for part in parts]
    slots = np.concatenate([part.slots for part in parts])
    joined = concatenated(blocks)
    if not slots.any():
        return SlotRows(joined, slots)
    order = np.argsort(slots, kind="stable")
    weights = None if joined.weights is None else joined.weights[order]
    return SlotRows(CodedBlock(joined.codes[order], joined.labels[order], weights), slots[order])


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
