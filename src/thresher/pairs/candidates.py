"""The pairs that can be made of some columns: each once, and only where units allow it."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from thresher.column import Matrix
from thresher.pair import Pair


class Meaning(NamedTuple):
    """What is known of columns beside their values, by name.

    Attributes
    ----------
    names : the names of the columns.
    units : the unit of some of them.
    stations : the station of some of them.
    """

    names: Sequence[str]
    units: Mapping[str, str]
    stations: Mapping[str, str]

    def allow(self, pair: Pair) -> bool:
        """Whether an operation makes sense with the units of its parts.

        Products and ratios always do; a difference does unless two units disagree; a sum and
        a distance do where two units agree.
        """
        if pair.operation in ("product", "ratio"):
            return True
        left, right = (self.units.get(self.names[part]) for part in pair.parts)
        if pair.operation == "difference":
            return left is None or right is None or left == right
        return left is not None and left == right

    def are_together(self, pair: Pair) -> bool:
        """Whether both parts are known to come from one station."""
        left, right = (self.stations.get(self.names[part]) for part in pair.parts)
        return left is not None and left == right


def candidates(
    matrix: Matrix, places: Sequence[int], operations: Sequence[str], meaning: Meaning
) -> list[Pair]:
    """Return the pairs of some columns, the simplest operations first.

    >>> meaning = Meaning(["a", "b"], units={"a": "mm", "b": "s"}, stations={})
    >>> matrix = np.array([[1.0, 2.0], [3.0, 0.0]])
    >>> candidates(matrix, [0, 1], ("difference", "ratio", "product"), meaning)
    [Pair(left=0, operation='product', right=1), Pair(left=1, operation='ratio', right=0)]
    """
    found = (
        pair
        for operation in sorted(operations, key=SIMPLEST.index)
        for left, right in combinations(sorted(places), 2)
        for pair in _pairs(matrix, left, operation, right)
    )
    return [pair for pair in found if meaning.allow(pair)]


SIMPLEST = ("difference", "sum", "product", "distance", "ratio")
"""Of two pairs that are equally good, the one whose operation comes first is simpler."""


def _pairs(matrix: Matrix, left: int, operation: str, right: int) -> Iterator[Pair]:
    if operation != "ratio":
        yield Pair(left, operation, right)
        return
    # Of numbers of one sign, one ratio falls as the other one rises, so that one is enough: that
    # whose denominator is never 0.
    left_sign, right_sign = (_sign(matrix[:, place]) for place in (left, right))
    if right_sign or not left_sign:
        yield Pair(left, operation, right)
    if not (left_sign and right_sign):
        yield Pair(right, operation, left)


def _sign(values: Any) -> int:
    """Return 1 or -1 where all numbers are above or below 0, otherwise 0."""
    low, high = np.nanmin(values), np.nanmax(values)
    return int(low > 0.0) - int(high < 0.0)
