"""Trees whose leaves are added up as a struct of arrays, with how the sum becomes a probability.

The trees stand one behind the other, each breadth first: the children of the k-th inner node of a
tree are its nodes 2k + 1 and 2k + 2.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from thresher import _core
from thresher.column import Matrix
from thresher.explain.weighed import WeighedTrees, joined_arrays

Floats = NDArray[np.float64]
WEIGHED = (
    "begin",
    "feature",
    "cut",
    "missing_left",
    "level_set",
    "set_begin",
    "set_bits",
    "value",
    "zero_is_missing",
    "weight",
)
"""The arrays that trees share with `WeighedTrees`."""


@dataclass(frozen=True, eq=False)
class AdditiveTrees:
    """Trees whose leaves are added up.

    Attributes
    ----------
    begin : first node of each tree, and the number of all nodes.
    feature : column that an inner node asks about, -1 at leaves.
    cut : a number goes left if and only if it is at most this.
    missing_left : whether NaN goes left.
    level_set : set of levels that go left, all others right; -1 where the node cuts numbers.
    set_begin, set_bits : first byte of each set, and the number of all bytes; a bit a level, the
        lowest first.
    value : what each leaf adds.
    zero_is_missing : for each column whether a number that is 0, or within 1e-35, is missing.
    weight : weight of the training rows of each node, as the other library counts it.
    base : what is added to first.
    in_float32 : whether sums and the probability are rounded to 32 bits at every step.
    is_mean : whether the sum is divided by the number of trees.
    slope : the probability is 1 / (1 + exp(-slope * score)); None where it is the score.
    """

    begin: NDArray[np.int64]
    feature: NDArray[np.int32]
    cut: Floats
    missing_left: NDArray[np.bool_]
    level_set: NDArray[np.int32]
    set_begin: NDArray[np.int64]
    set_bits: NDArray[np.uint8]
    value: Floats
    zero_is_missing: NDArray[np.bool_]
    weight: Floats
    base: float = 0.0
    in_float32: bool = False
    is_mean: bool = False
    slope: float | None = None

    def __len__(self) -> int:
        return len(self.begin) - 1

    def __getstate__(self) -> dict[str, Any]:
        """Keep the fields alone: the compiled trees are made again."""
        return {name: self.__dict__[name] for name in self.__dataclass_fields__}

    @property
    def is_leaf(self) -> NDArray[np.bool_]:
        """Whether each node is a leaf."""
        is_leaf: NDArray[np.bool_] = self.feature < 0
        return is_leaf

    @cached_property
    def compiled(self) -> _core.AdditiveTrees:
        """The compiled reader of these arrays, which it checks."""
        return _core.AdditiveTrees(
            self.begin,
            self.feature,
            self.cut,
            self.missing_left,
            self.level_set,
            self.set_begin,
            self.set_bits,
            self.value,
            self.zero_is_missing,
        )

    @classmethod
    def mean_of(cls, parts: Sequence["AdditiveTrees"]) -> "AdditiveTrees":
        """Return the trees of all parts, which have the same columns and link.

        Their sum is the mean of the sums of the parts.
        """
        arrays, base = joined_arrays(parts), sum(part.base for part in parts) / len(parts)
        return replace(parts[0], **arrays | {"value": arrays["value"] / len(parts)}, base=base)

    def scores(self, matrix: Matrix, n_threads: int = 1) -> Floats:
        """Return the sum, or mean, over the trees; OverflowError where a value is infinite."""
        sums: Floats = self.compiled.sum(matrix, self.base, self.in_float32, n_threads)
        if self.is_mean:
            sums /= len(self)
        return sums

    def probability(self, scores: Floats) -> Floats:
        """Return what scores say of the second class."""
        if self.slope is None:
            return scores
        if not self.in_float32:
            found: Floats = expit(self.slope * scores)
            return found
        rounded: Floats = _core.float32_logistic(self.slope * scores)
        return rounded

    def weighed(self, *, of_second: bool = True) -> WeighedTrees:
        """Return the trees as an explanation reads them.

        Their sum is the log-odds of the second class or, where scores are probabilities, its
        probability; of the first class unless `of_second`.
        """
        arrays = {name: getattr(self, name) for name in WEIGHED}
        sign = 1.0 if of_second else -1.0
        trees = WeighedTrees(**arrays, base=self.base)
        factor = (1.0 if self.slope is None else self.slope) / (len(self) if self.is_mean else 1)
        # What is no probability of one class is one of the other.
        shift = 1.0 if self.slope is None and not of_second else 0.0
        return trees.scaled(sign * factor, shift)

    def members(self, set_number: int) -> NDArray[np.int64]:
        """Return the levels of a set."""
        first, last = self.set_begin[set_number : set_number + 2]
        return np.flatnonzero(np.unpackbits(self.set_bits[first:last], bitorder="little"))


class PlainTree(NamedTuple):
    """One tree; node 0 is the root.

    Attributes
    ----------
    feature : column that a node asks about; anything at leaves.
    cut : a number goes left if and only if it is at most this.
    left, right : children, below 0 at leaves.
    missing_left : whether NaN goes left.
    members : the levels that go left at each node that asks for levels.
    value : what leaves add.
    weight : of the training rows of each node.
    """

    feature: NDArray[Any]
    cut: NDArray[np.float64]
    left: NDArray[Any]
    right: NDArray[Any]
    missing_left: NDArray[np.bool_]
    members: Mapping[int, Sequence[int]]
    value: NDArray[np.float64]
    weight: NDArray[np.float64]


def put_together(
    trees: Sequence[PlainTree], zero_is_missing: NDArray[np.bool_], **scoring: Any
) -> AdditiveTrees:
    """Return the trees as one structure; `scoring` are its fields from `base` on."""
    orders = [_breadth_first(tree) for tree in trees]
    pairs = [*zip(trees, orders, strict=True)]
    is_leaf = np.concatenate([tree.left[order] < 0 for tree, order in pairs])
    sets: list[NDArray[np.uint8]] = []
    level_set = [_level_sets(tree, order, sets) for tree, order in pairs]

    def joined(name: str, at_leaves: float, dtype: Any) -> Any:
        values = np.concatenate([getattr(tree, name)[order] for tree, order in pairs])
        return np.where(is_leaf, at_leaves, values).astype(dtype)

    return AdditiveTrees(
        begin=np.cumsum([0, *map(len, orders)], dtype=np.int64),
        feature=joined("feature", -1, np.int32),
        cut=joined("cut", 0.0, np.float64),
        missing_left=joined("missing_left", 0, np.bool_),
        level_set=np.concatenate(level_set),
        set_begin=np.cumsum([0, *map(len, sets)], dtype=np.int64),
        set_bits=np.concatenate([np.empty(0, dtype=np.uint8), *sets]),
        value=np.where(is_leaf, np.concatenate([t.value[order] for t, order in pairs]), 0.0),
        zero_is_missing=zero_is_missing,
        weight=np.concatenate([tree.weight[order] for tree, order in pairs]).astype(np.float64),
        **scoring,
    )


def _breadth_first(tree: PlainTree) -> NDArray[np.intp]:
    """Return the nodes level by level, the children of a node side by side."""
    level = np.zeros(1, dtype=np.intp)
    found = [level]
    while len(level):
        inner = level[tree.left[level] >= 0]
        level = np.stack([tree.left[inner], tree.right[inner]], axis=1).ravel().astype(np.intp)
        found.append(level)
    return np.concatenate(found)


def _level_sets(
    tree: PlainTree, order: NDArray[np.intp], sets: list[NDArray[np.uint8]]
) -> NDArray[np.int32]:
    """Add the sets of a tree; return the number of its set for each node, -1 for others."""
    found = np.full(len(order), -1, dtype=np.int32)
    if tree.members:
        for place, node in enumerate(order.tolist()):
            if node in tree.members:
                found[place] = len(sets)
                members = tree.members[node]
                is_member = np.zeros(max(members, default=-1) + 1, dtype=np.uint8)
                is_member[list(members)] = 1
                sets.append(np.packbits(is_member, bitorder="little"))
    return found
