"""A column that is made of two others: their product, difference, ratio, sum or distance."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Values: TypeAlias = NDArray[np.float64]

_COMPUTED: dict[str, Callable[[Values, Values], Values]] = {
    "product": np.multiply,
    "difference": np.subtract,
    "ratio": np.divide,
    "sum": np.add,
    "distance": lambda left, right: np.abs(left - right),
}
_WORDS = {
    "product": "{} x {}",
    "difference": "{} - {}",
    "ratio": "{} / {}",
    "sum": "{} + {}",
    "distance": "|{} - {}|",
}

OPERATIONS = tuple(_COMPUTED)
ADDED = ("difference", "sum", "distance")
"""Operations whose rounding error is as large as their parts have it, however small the result."""


@dataclass(frozen=True)
class Pair:
    """Two columns of a table, by place, and what is made of them.

    Examples
    --------
    >>> speed_per_force = Pair(0, "ratio", 1)
    >>> speed_per_force.name(["speed", "force"])
    'speed / force'
    >>> speed_per_force.values(np.array([[6.0, 2.0], [6.0, 0.0], [np.nan, 2.0]]))
    array([ 3., nan, nan])
    """

    left: int
    operation: str
    right: int

    def __post_init__(self) -> None:
        if self.operation not in OPERATIONS:
            raise ValueError(
                f"A pair of columns has the operation {self.operation!r}; choose from "
                f"{', '.join(OPERATIONS)}."
            )
        if self.left == self.right:
            raise ValueError(f"A pair has the column {self.left} twice; give two columns.")

    @property
    def parts(self) -> tuple[int, int]:
        """The places of the two columns."""
        return self.left, self.right

    def values(self, matrix: NDArray[np.floating[Any]]) -> Values:
        """Return the column in double precision, whatever that of the matrix.

        NaN where a part is missing, the denominator is 0, or the result is infinite.
        """
        left, right = (matrix[:, place].astype(np.float64) for place in self.parts)
        with np.errstate(all="ignore"):
            found = _COMPUTED[self.operation](left, right)
        found[~np.isfinite(found)] = np.nan
        return found

    def values_to_learn(self, matrix: NDArray[np.floating[Any]]) -> Values:
        """Return the column with equal values where the decimals of a table say that they are.

        298.1 - 306.7 and 299.9 - 308.5 differ in their last bits, and a tree would cut between
        them. Learnt so, a cut lies between values that differ, and decides about `values` alike.

        >>> two = np.array([[298.1, 306.7], [299.9, 308.5]])
        >>> pair = Pair(0, "difference", 1)
        >>> np.ptp(pair.values(two)) > 0.0, pair.values_to_learn(two).tolist()
        (np.True_, [-8.6, -8.6])
        """
        found = self.values(matrix)
        size = np.abs(found)
        if self.operation in ADDED:
            size = np.abs(matrix[:, list(self.parts)].astype(np.float64)).max(axis=1)
        return _rounded(found, size)

    def name(self, names: Sequence[str]) -> str:
        """Return the pair as a person reads it, given the names of all columns."""
        return _WORDS[self.operation].format(names[self.left], names[self.right])

    def named(self, names: Sequence[str]) -> "NamedPair":
        """Return the pair with names in the place of places."""
        return NamedPair(names[self.left], self.operation, names[self.right])


DIGITS = 14
"""Decimal digits that are learnt from: a double has one or two more, which rounding has blurred."""
POWERS = np.array([float(f"1e{power}") for power in range(-307, 309)])


def _rounded(values: Values, size: Values) -> Values:
    """Round to `DIGITS` of numbers of a size: by exact powers of ten, alike on any machine."""
    decade = np.searchsorted(POWERS, size, side="right") - 308  # size < 10 ** (decade + 1)
    power = np.clip(DIGITS - 1 - decade, -307, 307)
    scale = POWERS[np.abs(power) + 307]
    with np.errstate(all="ignore"):
        up = np.rint(values * scale) / scale
        down = np.rint(values / scale) * scale
    found = np.where(power >= 0, up, down)
    return np.where(np.isfinite(found), found, values)


class NamedPair(NamedTuple):
    """A pair whose columns are told by name."""

    left: str
    operation: str
    right: str


def pair_names(names: Sequence[str], pairs: Iterable[Pair]) -> tuple[str, ...]:
    """Return a name for each pair that no column and no pair before it has.

    >>> pair_names(["a", "b", "a x b"], [Pair(0, "product", 1)])
    ('a x b (derived)',)
    """
    taken, found = set(names), []
    for pair in pairs:
        name = pair.name(names)
        while name in taken:
            name += " (derived)"
        taken.add(name)
        found.append(name)
    return tuple(found)
