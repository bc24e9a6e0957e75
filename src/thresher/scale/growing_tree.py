"""A tree that grows over blocks of rows: rounds of questions to the blocks, and a driver that asks.

Nodes are added at the frontier, children side by side. What goes to the blocks are pure functions
of one block.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from heapq import heappop, heappush
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher import _core
from thresher.scale.engine import CodedBlock, Foldable, concatenated, row_bytes
from thresher.tree.structure import AT_LEAVES, Tree

Fields = dict[str, NDArray[Any]]

AT_SPLITS = ("feature", "cut", "missing_left", "is_category", "gain")
LEVELS = ("levels_left", "levels_seen")

# ------------------------------------------------------------------------------- one block of rows


class Question(NamedTuple):
    """What a round asks: a tree, and which nodes of its frontier are meant.

    Attributes
    ----------
    feature, left, goes_left : the tree so far, as `_core.route_rows` reads it.
    slot : for each node its index in the answer, -1 where it is not meant.
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
    counts: Any = _core.count_rows(*block, slots, question.n_slots)
    result: NDArray[np.int64] = counts.astype(np.int64, copy=False)
    return result


def add_counts(one: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the counts of both."""
    return np.add(one, other)


class SlotRows(NamedTuple):
    """Rows of a block together with the slots of their nodes."""

    rows: CodedBlock
    slots: NDArray[np.int32]


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


def by_slot(parts: Sequence[SlotRows], n_slots: int) -> Iterator[CodedBlock]:
    """Yield the rows of each slot."""
    slots = np.concatenate([part.slots for part in parts])
    rows = concatenated([part.rows for part in parts])
    if slots.any():
        order = np.argsort(slots, kind="stable")
        slots, rows = slots[order], rows.where(order)
    ends = np.searchsorted(slots, np.arange(n_slots + 1)).tolist()
    for begin, end in pairwise(ends):
        yield rows.where(slice(begin, end))


# ---------------------------------------------------------------------------------------- the tree


class GrowingTree:
    """Nodes in the order of their making; node 0 is the root.

    Parameters
    ----------
    weight, rows : (negative, positive) fixed-point weight and number of all rows.
    """

    def __init__(self, weight: tuple[int, int], rows: tuple[int, int]) -> None:
        self.weight, self.rows = [weight], [rows]
        self.depth, self.path = [0], [1]
        self.feature, self.left = [-1], [-1]
        self.split: list[dict[str, Any] | None] = [None]
        self.subtree: dict[int, Fields] = {}
        """Finished subtrees, the fields of a `Tree`, that stand where a node was."""

    def divide(self, node: int, splits: Fields, index: int) -> tuple[int, int]:
        """Split a node by an entry of `_core.BlockGrowth.best_splits`, and return its children."""
        split = {name: splits[name][index] for name in (*AT_SPLITS, *LEVELS, "goes_left")}
        left = len(self.feature)
        self.split[node], self.feature[node], self.left[node] = split, int(split["feature"]), left
        for side in (0, 1):
            for counts, name in ((self.weight, "left_weight"), (self.rows, "left_rows")):
                of_left, whole = splits[name][index].tolist(), counts[node]
                rest = (whole[0] - of_left[0], whole[1] - of_left[1])
                counts.append(rest if side else tuple(of_left))
            self.depth.append(self.depth[node] + 1)
            self.path.append(int(splits["child_path"][index, side]))
            self.feature.append(-1)
            self.left.append(-1)
            self.split.append(None)
        return left, left + 1

    def ask(self, nodes: Sequence[int]) -> Question:
        """Return the question for some nodes of the frontier."""
        slot = np.full(len(self.feature), -1, dtype=np.int32)
        slot[list(nodes)] = np.arange(len(nodes), dtype=np.int32)
        goes_left = np.zeros((len(self.feature), 32), dtype=np.uint8)
        for node, split in enumerate(self.split):
            if split is not None:
                goes_left[node] = split["goes_left"]
        feature, left = (np.array(of, dtype=np.int32) for of in (self.feature, self.left))
        return Question(feature, left, goes_left, slot, len(nodes))

    def finish(self, growth: _core.BlockGrowth) -> Tree:
        """Return the tree in preorder."""
        order, stack = [], [0]
        while stack:
            node = stack.pop()
            order.append(node)
            if self.feature[node] >= 0:
                stack += [self.left[node] + 1, self.left[node]]
        sizes = [
            len(self.subtree[node]["feature"]) if node in self.subtree else 1 for node in order
        ]
        starts = np.concatenate([[0], np.cumsum(sizes)]).tolist()
        start = dict(zip(order, starts, strict=False))
        n = starts[-1]
        arrays: Fields = {
            "feature": np.full(n, -1, dtype=np.int32),
            "cut": np.zeros(n),
            "left": np.full(n, -1, dtype=np.int32),
            "right": np.full(n, -1, dtype=np.int32),
            "missing_left": np.zeros(n, dtype=np.bool_),
            "is_category": np.zeros(n, dtype=np.bool_),
            "rows": np.zeros((n, 2), dtype=np.int64),
            "weight": np.zeros((n, 2)),
            "alpha": np.zeros(n),
            "impurity": np.zeros(n),
            "gain": np.zeros(n),
        }
        self._write_nodes(arrays, start, growth)
        for node, fields in self.subtree.items():
            own = slice(start[node], start[node] + len(fields["feature"]))
            for name in ("rows", "weight", "alpha", "impurity", *AT_LEAVES):
                if name != "category":
                    arrays[name][own] = fields[name]
            arrays["is_category"][own] = fields["category"] >= 0
            for name in ("left", "right"):
                arrays[name][own] = np.where(fields[name] >= 0, fields[name] + start[node], -1)
        for name in LEVELS:
            parts = [np.empty((0, 32), dtype=np.uint8)]
            for node in order:
                split = self.split[node]
                if node in self.subtree:
                    parts.append(self.subtree[node][name])
                elif split is not None and split["is_category"]:
                    parts.append(split[name][None])
            arrays[name] = np.concatenate(parts)
        asked = arrays.pop("is_category")
        arrays["category"] = np.where(asked, np.cumsum(asked) - 1, -1).astype(np.int32)
        return Tree.from_core({name: arrays[name] for name in Tree.__dataclass_fields__})

    def _write_nodes(
        self, arrays: Fields, start: dict[int, int], growth: _core.BlockGrowth
    ) -> None:
        """Write the nodes that are no subtrees; `start` is where each of them goes."""
        nodes = [node for node in start if node not in self.subtree]
        targets = [start[node] for node in nodes]
        described = growth.describe(_pairs(self.weight, nodes))
        arrays["class_weight"] = described.pop("class_weight")
        for name, values in {**described, "rows": _pairs(self.rows, nodes)}.items():
            arrays[name][targets] = values
        for node, target in zip(nodes, targets, strict=True):
            split = self.split[node]
            if split is not None:
                left = self.left[node]
                for name in AT_SPLITS:
                    arrays[name][target] = split[name]
                arrays["left"][target], arrays["right"][target] = start[left], start[left + 1]


def _pairs(values: list[tuple[int, int]], nodes: Sequence[int]) -> NDArray[np.int64]:
    return np.array([values[node] for node in nodes], dtype=np.int64).reshape(-1, 2)


# -------------------------------------------------------------------------------------- the driver


def cell_bytes(n_features: int, *, weighted: bool) -> int:
    """Return the size of the counts of one node."""
    return n_features * 256 * 8 * (4 if weighted else 2)


@dataclass(frozen=True)
class Driver:
    """Grows trees over blocks.

    Attributes
    ----------
    blocks : the coded rows.
    growth : criterion, limits and edges.
    n_features, weighted : number of columns, and whether rows have weights.
    memory : bytes that counts and fetched rows may take here at a time.
    n_threads : threads of this process.
    watch : called with a short text at the start of each round.
    """

    blocks: Foldable[CodedBlock]
    growth: _core.BlockGrowth
    n_features: int
    weighted: bool
    memory: int
    n_threads: int = 1
    watch: Callable[[str], None] = lambda _text: None

    def grow(
        self, weight: tuple[int, int], rows: tuple[int, int], max_leaf_nodes: int | None
    ) -> Tree:
        """Return the tree of all rows, whose (negative, positive) weight and number are given."""
        tree = GrowingTree(weight, rows)
        if max_leaf_nodes is None or 4 * self._bytes(tree, 0) <= self.memory:
            self._grow_level_by_level(tree)
            return tree.finish(self.growth)
        return BestFirst(self, tree, max_leaf_nodes).grow()

    def _bytes(self, tree: GrowingTree, node: int) -> int:
        return sum(tree.rows[node]) * row_bytes(self.n_features, weighted=self.weighted)

    def _grow_level_by_level(self, tree: GrowingTree) -> None:
        frontier = self.splittable(tree, [0])
        while frontier:
            sizes = {node: self._bytes(tree, node) for node in frontier}
            small = [node for node in frontier if 4 * sizes[node] <= self.memory]
            large = [node for node in frontier if 4 * sizes[node] > self.memory]
            # Half of the memory: fetched rows are copied once, node by node.
            for batch in batches(small, [sizes[node] for node in small], self.memory // 2):
                self._finish_here(tree, batch)
            frontier = []
            for batch in self.counting_batches(large):
                children: list[int] = []
                splits = self.splits(tree, batch)
                for index, node in enumerate(batch):
                    if splits["feature"][index] >= 0:
                        children += tree.divide(node, splits, index)
                frontier += self.splittable(tree, children)

    def counting_batches(self, nodes: Sequence[int]) -> Iterator[list[int]]:
        """Yield nodes in groups whose counts fit into memory."""
        size = cell_bytes(self.n_features, weighted=self.weighted)
        return batches(nodes, [size] * len(nodes), self.memory)

    def splittable(self, tree: GrowingTree, nodes: Sequence[int]) -> list[int]:
        """Return those of the nodes that may be split."""
        if not nodes:
            return []
        depth = np.array([tree.depth[node] for node in nodes], dtype=np.int64)
        may: Any = self.growth.may_split(_pairs(tree.weight, nodes), depth)
        return [node for node, wanted in zip(nodes, may.tolist(), strict=True) if wanted]

    def splits(self, tree: GrowingTree, nodes: Sequence[int]) -> Fields:
        """Return the best splits of nodes of the frontier, counted over all blocks."""
        self.watch(f"{len(tree.feature):,} nodes, counting {len(nodes):,}")
        question = tree.ask(nodes)
        counts = self.blocks.fold(partial(count_block, question=question), add_counts)
        path = np.array([tree.path[node] for node in nodes], dtype=np.uint64)
        fields: Fields = self.growth.best_splits(counts, path, self.n_threads)
        return fields

    def _finish_here(self, tree: GrowingTree, nodes: Sequence[int]) -> None:
        """Fetch the rows of small nodes and grow their subtrees at once."""
        self.watch(f"{len(tree.feature):,} nodes, finishing {len(nodes):,}")
        question = tree.ask(nodes)
        parts = self.blocks.fold(partial(take_block, question=question), join_parts)
        for node, rows in zip(nodes, by_slot(parts, len(nodes)), strict=True):
            place = tree.depth[node], tree.path[node]
            tree.subtree[node] = self.growth.grow(*rows, *place, self.n_threads)


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
            for index, node in enumerate(batch):
                if splits["feature"][index] >= 0:
                    self.known[node] = (splits, index)
                    self.scratch.divide(node, splits, index)

    def _replay(self) -> tuple[GrowingTree, list[int]]:
        """Return the tree as far as splits are known, and the nodes to count for the rest."""
        tree = GrowingTree(self.scratch.weight[0], self.scratch.rows[0])
        queue: list[tuple[float, int, int]] = []  # falling decrease, node, node in the scratch tree

        def wait(node: int, twin: int) -> None:
            if twin in self.known:
                splits, index = self.known[twin]
                heappush(queue, (-float(splits["decrease"][index]), node, twin))

        wait(0, 0)
        for _leaves in range(1, self.most):
            if not queue:
                break
            _, node, original = heappop(queue)
            children = tree.divide(node, *self.known[original])
            twins = self._children(original)
            if not self.counted.issuperset(twins):
                waiting = [original, *(twin for _, _, twin in queue)]
                every = (child for twin in waiting for child in self._children(twin))
                return tree, [child for child in every if child not in self.counted]
            for child, twin in zip(children, twins, strict=True):
                wait(child, twin)
        return tree, []

    def _children(self, node: int) -> tuple[int, int]:
        return self.scratch.left[node], self.scratch.left[node] + 1
