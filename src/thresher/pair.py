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
SYMMETRIC = ("product", "sum", "distance")
"""Operations for which the order of the two columns does not matter."""


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

    def name(self, names: Sequence[str]) -> str:
        """Return the pair as a person reads it, given the names of all columns."""
        return _WORDS[self.operation].format(names[self.left], names[self.right])

    def named(self, names: Sequence[str]) -> "NamedPair":
        """Return the pair with names in the place of places."""
        return NamedPair(names[self.left], self.operation, names[self.right])


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
