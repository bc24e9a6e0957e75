"""The seam between a tree and the machines that hold its rows.

An engine keeps blocks of rows somewhere and can do two things: turn every block into bins, and add
up what a function of a block returns. The driver here grows a tree with nothing else. Counts are
integers, so that the tree does not depend on how rows are dealt to blocks or in which order results
arrive. For a forest an engine can also bring all bins to whoever grows some of its trees.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from heapq import heappop, heappush
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from thresher import _core
from thresher.seam.coded import (
    CodedBlock,
    Question,
    add_counts,
    by_slot,
    count_block,
    join_parts,
    take_block,
)
from thresher.seam.growing_tree import Fields, GrowingTree
from thresher.tree.structure import Tree

Block = TypeVar("Block", covariant=True)
Item = TypeVar("Item")
Result = TypeVar("Result")


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


@dataclass(frozen=True)
class Driver:
    """Grows trees over blocks.

    Attributes
    ----------
    blocks : the coded rows.
    growth : criterion, limits and edges.
    memory : bytes that counts and fetched rows may take here at a time.
    cell_bytes, row_bytes : size of one node's counts, and of one coded row.
    n_threads : threads of this process.
    watch : called with a short text at the start of each round.
    """

    blocks: Foldable[CodedBlock]
    growth: _core.BlockGrowth
    memory: int
    cell_bytes: int
    row_bytes: int
    n_threads: int = 1
    watch: Callable[[str], None] = lambda _text: None

    def grow(
        self, weight: tuple[int, int], rows: tuple[int, int], max_leaf_nodes: int | None
    ) -> Tree:
        """Return the tree of all rows, whose (negative, positive) weight and number are given."""
        tree = GrowingTree(weight, rows)
        if max_leaf_nodes is None or self._fits_here(tree, 0):
            self._grow_level_by_level(tree)
            return tree.finish(self.growth)
        return BestFirst(self, tree, max_leaf_nodes).grow()

    def _fits_here(self, tree: GrowingTree, node: int) -> bool:
        """Whether the rows of a node take at most a quarter of the memory."""
        return 4 * self._bytes(tree, node) <= self.memory

    def _bytes(self, tree: GrowingTree, node: int) -> int:
        return tree.n_rows(node) * self.row_bytes

    def _grow_level_by_level(self, tree: GrowingTree) -> None:
        frontier = self.splittable(tree, [0])
        while frontier:
            small = [node for node in frontier if self._fits_here(tree, node)]
            large = [node for node in frontier if not self._fits_here(tree, node)]
            sizes = [self._bytes(tree, node) for node in small]
            # Half of the memory: fetched rows are copied once, node by node.
            for batch in batches(small, sizes, self.memory // 2):
                self._finish_here(tree, batch)
            frontier = []
            for batch in self.counting_batches(large):
                frontier += self.splittable(tree, self._divide(tree, batch))

    def counting_batches(self, nodes: Sequence[int]) -> Iterator[list[int]]:
        """Yield nodes in groups whose counts fit into memory."""
        return batches(nodes, [self.cell_bytes] * len(nodes), self.memory)

    # ---------------------------------------------------------------------------------- one round

    def splittable(self, tree: GrowingTree, nodes: Sequence[int]) -> list[int]:
        """Return those of the nodes that may be split."""
        if not nodes:
            return []
        weight = np.array([tree.weight[node] for node in nodes], dtype=np.int64).reshape(-1, 2)
        depth = np.array([tree.depth[node] for node in nodes], dtype=np.int64)
        may: Any = self.growth.may_split(weight, depth)
        return [node for node, wanted in zip(nodes, may.tolist(), strict=True) if wanted]

    def splits(self, tree: GrowingTree, nodes: Sequence[int]) -> Fields:
        """Return the best splits of nodes of the frontier, counted over all blocks."""
        self.watch(f"{len(tree.feature):,} nodes, counting {len(nodes):,}")
        question = tree.ask(nodes)
        counts = self.blocks.fold(partial(count_block, question=question), add_counts)
        path = np.array([tree.path[node] for node in nodes], dtype=np.uint64)
        fields: Fields = self.growth.best_splits(counts, path, self.n_threads)
        return fields

    def _divide(self, tree: GrowingTree, nodes: Sequence[int]) -> list[int]:
        splits = self.splits(tree, nodes)
        children: list[int] = []
        for place, node in enumerate(nodes):
            if splits["feature"][place] >= 0:
                children += tree.divide(node, splits, place)
        return children

    def _finish_here(self, tree: GrowingTree, nodes: Sequence[int]) -> None:
        """Fetch the rows of small nodes and grow their subtrees at once."""
        if not nodes:
            return
        self.watch(f"{len(tree.feature):,} nodes, finishing {len(nodes):,}")
        question: Question = tree.ask(nodes)
        parts = self.blocks.fold(partial(take_block, question=question), join_parts)
        rows = by_slot(parts)
        for slot, node in enumerate(nodes):
            depth, path = tree.depth[node], tree.path[node]
            fields = self.growth.grow(*rows.of(slot), depth, path, self.n_threads)
            tree.graft(node, fields)


def batches(items: Sequence[int], sizes: Sequence[int], limit: int) -> Iterator[list[int]]:
    """Yield the items in groups whose sizes add up to at most the limit, one item at least.

    >>> list(batches([7, 8, 9], [4, 4, 4], limit=8))
    [[7, 8], [9]]
    """
    group: list[int] = []
    used = 0
    for item, size in zip(items, sizes, strict=True):
        if group and used + size > limit:
            yield group
            group, used = [], 0
        group.append(item)
        used += size
    if group:
        yield group


class BestFirst:
    """Growth by the largest decrease of impurity, with few rounds.

    A node's split must be known before its turn comes. So each round counts the children of all
    nodes that wait for their turn, though some of these turns never come.
    """

    def __init__(self, driver: Driver, tree: GrowingTree, max_leaf_nodes: int) -> None:
        self.driver, self.most = driver, max_leaf_nodes
        self.scratch = tree
        self.known: dict[int, tuple[Fields, int]] = {}
        self.counted: set[int] = set()

    def grow(self) -> Tree:
        """Return the finished tree."""
        wanted = [0]
        while wanted:
            self._count(wanted)
            tree, wanted = self._replay()
        return tree.finish(self.driver.growth)

    def _count(self, nodes: list[int]) -> None:
        """Find the splits of nodes, and add their children to the scratch tree."""
        self.counted.update(nodes)
        wanted = self.driver.splittable(self.scratch, nodes)
        for batch in self.driver.counting_batches(wanted):
            splits = self.driver.splits(self.scratch, batch)
            for place, node in enumerate(batch):
                if splits["feature"][place] >= 0:
                    self.known[node] = (splits, place)
                    self.scratch.divide(node, splits, place)

    def _decrease(self, node: int) -> float:
        splits, place = self.known[node]
        return float(splits["decrease"][place])

    def _replay(self) -> tuple[GrowingTree, list[int]]:
        """Return the tree as far as splits are known, and the nodes to count for the rest."""
        tree = GrowingTree(self.scratch.weight[0], self.scratch.rows[0])
        queue: list[tuple[float, int, int]] = []  # falling decrease, node, node in the scratch tree
        if 0 in self.known:
            queue.append((-self._decrease(0), 0, 0))
        for _leaves in range(1, self.most):
            if not queue:
                break
            _, node, original = heappop(queue)
            children = tree.divide(node, *self.known[original])
            twins = self._children(original)
            if not self.counted.issuperset(twins):
                return tree, self._to_count([original, *(waiting for _, _, waiting in queue)])
            for child, twin in zip(children, twins, strict=True):
                if twin in self.known:
                    heappush(queue, (-self._decrease(twin), child, twin))
        return tree, []

    def _children(self, node: int) -> tuple[int, int]:
        return self.scratch.left[node], self.scratch.left[node] + 1

    def _to_count(self, nodes: list[int]) -> list[int]:
        children = (child for node in nodes for child in self._children(node))
        return [child for child in children if child not in self.counted]


def cell_bytes(n_features: int, *, weighted: bool) -> int:
    """Return the size of the counts of one node."""
    return n_features * 256 * 8 * (4 if weighted else 2)


def row_bytes(n_features: int, *, weighted: bool) -> int:
    """Return the size of one coded row with its label and weight."""
    return n_features + 1 + (8 if weighted else 0)
