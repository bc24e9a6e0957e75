"""Trees as an explanation reads them: values of leaves that are added up, and weights of nodes.

Every model of trees makes one: `Tree`, `Forest` and `AdditiveTrees`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher import _core
from thresher.column import Matrix

Floats = NDArray[np.float64]


class NamedCuts(NamedTuple):
    """The cut to name for some columns of each row, NaN for none; whether the value is above it."""

    cut: Floats
    above: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class WeighedTrees:
    """Trees one behind the other, each breadth first, whose leaves are added up.

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
    zero_is_missing : for each column whether 0 is missing.
    weight : of the training rows of each node.
    base : what is added to first.
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

    @cached_property
    def compiled(self) -> _core.WeighedTrees:
        """The compiled reader of these arrays, which it checks."""
        return _core.WeighedTrees(
            self.begin,
            self.feature,
            self.cut,
            self.missing_left,
            self.level_set,
            self.set_begin,
            self.set_bits,
            self.value,
            self.zero_is_missing,
            self.weight,
        )

    def scaled(self, factor: float, shift: float = 0.0) -> "WeighedTrees":
        """Return trees whose sum is `factor` times that of these, plus `shift`."""
        return replace(self, value=factor * self.value, base=factor * self.base + shift)

    @classmethod
    def together(cls, parts: Sequence["WeighedTrees"]) -> "WeighedTrees":
        """Return the trees of all parts, which have the same columns."""
        return replace(parts[0], **joined_arrays(parts), base=sum(part.base for part in parts))

    def contributions(self, matrix: Matrix, n_threads: int = 1) -> Floats:
        """Return the Shapley value of each column, then the base value."""
        return self.compiled.contributions(matrix, self.base, n_threads)

    def named_cuts(
        self, matrix: Matrix, columns: NDArray[np.int32], n_threads: int = 1
    ) -> NamedCuts:
        """Return the cut to name for some columns of each row (-1: none).

        A cut on the column that the row's path through a tree passes weighs by how far apart the
        tree expects the two sides of its node to be. The side of the value whose cuts weigh more
        (below, where both weigh the same) is named, and of its cuts the median by weight.
        """
        cut, above = self.compiled.named_cuts(matrix, columns, n_threads)
        return NamedCuts(cut, above.view(np.bool_))


def joined_arrays(parts: Sequence[Any]) -> dict[str, Any]:
    """Return the arrays of all nodes and levels of trees that have the same columns, by name."""
    nodes, sets, bits = (
        np.cumsum([0, *(len(getattr(part, name)) for part in parts)])
        for name in ("feature", "set_begin", "set_bits")
    )
    sets -= np.arange(len(sets))  # each part has one begin more than sets

    def joined(name: str) -> Any:
        return np.concatenate([getattr(part, name) for part in parts])

    def begins(name: str, shifts: NDArray[np.int64]) -> NDArray[np.int64]:
        pairs = zip(parts, shifts, strict=False)
        moved = [getattr(part, name)[1:] + shift for part, shift in pairs]
        return np.concatenate([np.zeros(1, dtype=np.int64), *moved])

    level_set = joined("level_set") + np.repeat(sets[:-1], np.diff(nodes))
    names = ("feature", "cut", "missing_left", "set_bits", "value", "weight")
    return {
        **{name: joined(name) for name in names},
        "begin": begins("begin", nodes),
        "level_set": np.where(joined("level_set") < 0, -1, level_set).astype(np.int32),
        "set_begin": begins("set_begin", bits),
    }
