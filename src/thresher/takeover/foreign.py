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
            f"take_over takes models of two classes, and this {type(model).__name__} has "
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
