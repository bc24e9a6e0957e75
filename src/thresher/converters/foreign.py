"""A model of another library, as its own file of this folder reads it."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.matrix import Columns
from thresher.tree.additive import AdditiveTrees


class ForeignModel(NamedTuple):
    """What is taken over.

    Attributes
    ----------
    trees : the trees; they speak of the second class.
    columns : names and levels of the columns.
    classes : the two classes, sorted.
    allows_missing : whether the original takes NaN.
    """

    trees: AdditiveTrees
    columns: Columns
    classes: NDArray[Any]
    allows_missing: bool = True


def two_classes(model: Any) -> NDArray[Any]:
    """Return the classes of a fitted classifier; of a booster without any: 0 and 1."""
    classes = getattr(model, "classes_", None)
    if classes is None:
        return np.array([0, 1])
    if isinstance(classes, list) or len(classes) != 2:
        raise ValueError(
            f"convert takes models of two classes, and this {type(model).__name__} has "
            f"{len(classes)}{' targets' if isinstance(classes, list) else ''}."
        )
    return np.array(np.asarray(classes).tolist())


class LevelCodes(NamedTuple):
    """The levels of a category column: sorted, as here, and which place each foreign code has."""

    levels: tuple[Any, ...]
    place: NDArray[np.intp]

    @classmethod
    def of(cls, given: Sequence[Any], column: str) -> "LevelCodes":
        """Read the levels in the order of their foreign codes."""
        levels = [one if isinstance(one, str) else _number(one, column) for one in given]
        if len({isinstance(one, str) for one in levels}) > 1 or len(set(levels)) < len(levels):
            raise ValueError(
                f"Category column {column!r} has levels that are not all texts or all numbers; "
                "make them texts and fit again."
            )
        order = sorted(range(len(levels)), key=levels.__getitem__)
        place = np.empty(len(levels), dtype=np.intp)
        place[order] = np.arange(len(levels))
        return cls(tuple(levels[code] for code in order), place)

    def members(self, codes: Sequence[int]) -> list[int]:
        """Return foreign codes as codes of the sorted levels."""
        return [int(self.place[code]) for code in codes if 0 <= code < len(self.place)]


def _number(level: Any, column: str) -> float:
    if not isinstance(level, int | float):
        raise ValueError(
            f"Category column {column!r} has the level {level!r}, which is no text or number; "
            "make it text and fit again."
        )
    return float(level)


# --------------------------------------------------------------------------------------------- cuts

Floats = NDArray[np.float64]

LARGEST = float(np.finfo(np.float64).max)
ZERO = float(np.float32(1e-35))
"""What is not further from zero is zero for LightGBM."""


def finite(cuts: Floats) -> Floats:
    """Return cuts without infinity: every number is at most the largest one."""
    return np.clip(cuts, -LARGEST, LARGEST)


def with_zero(cuts: Floats) -> Floats:
    """Return cuts by which all numbers within `ZERO` go where zero goes."""
    is_below = (cuts >= -ZERO) & (cuts < 0.0)
    is_above = (cuts >= 0.0) & (cuts < ZERO)
    moved = np.where(is_below, np.nextafter(-ZERO, -np.inf), np.where(is_above, ZERO, cuts))
    return finite(moved)


def of_float32(cuts: Floats) -> Floats:
    """Return cuts by which a number is at most a cut if and only if it is when rounded to 32 bits.

    >>> cut = of_float32(np.array([0.1]))
    >>> numbers = np.nextafter(cut[0], [0.0, 1.0])
    >>> np.float32(numbers) <= np.float64(0.1), numbers <= cut
    (array([ True, False]), array([ True, False]))
    """
    with np.errstate(over="ignore"):
        near = cuts.astype(np.float32)
    low = np.where(near.astype(np.float64) > cuts, np.nextafter(near, np.float32(-np.inf)), near)
    low = low.astype(np.float32)
    return np.where(np.isfinite(low), _last_that_becomes(low), finite(cuts))


def below_float32(cuts: NDArray[np.float32]) -> Floats:
    """Return cuts by which a number goes left if and only if it is below when rounded to 32 bits.

    >>> cut = below_float32(np.array([0.5], dtype=np.float32))
    >>> numbers = np.nextafter(cut[0], [0.0, 1.0])
    >>> np.float32(numbers) < 0.5, numbers <= cut
    (array([ True, False]), array([ True, False]))
    """
    return _last_that_becomes(np.nextafter(cuts, np.float32(-np.inf)))


def _last_that_becomes(low: NDArray[np.float32]) -> Floats:
    """Return the largest numbers of 64 bits that are rounded to these, or to smaller ones."""
    with np.errstate(over="ignore", invalid="ignore"):
        high = np.nextafter(low, np.float32(np.inf)).astype(np.float64)
        high = np.where(np.isinf(high), 2.0**128, high)
        middle = 0.5 * (low.astype(np.float64) + high)
    # Half way, the one with an even last digit is taken.
    is_even = (low.view(np.uint32) & 1) == 0
    return np.where(is_even, middle, np.nextafter(middle, -np.inf))
