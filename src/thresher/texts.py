"""Columns of texts as codes of their distinct values, and columns of Python objects as either."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Texts:
    """A column of texts.

    Attributes
    ----------
    codes : which level each row has, -1 where it is missing.
    levels : the distinct texts.

    Examples
    --------
    >>> Texts.of(["b", None, "a"])
    Texts(codes=array([ 1, -1,  0], dtype=int32), levels=('a', 'b'))
    """

    codes: NDArray[np.int32]
    levels: tuple[str, ...]

    @classmethod
    def of(cls, values: Iterable[Any]) -> "Texts":
        """Make a column of texts row by row; what is no text is missing. Levels are sorted."""
        rows = list(values)
        distinct = dict.fromkeys(rows)
        levels = sorted([value for value in distinct if isinstance(value, str)])
        code: dict[Any, int] = {value: -1 for value in distinct if not isinstance(value, str)}
        code.update(zip(levels, range(len(levels)), strict=True))
        codes = np.fromiter(map(code.__getitem__, rows), dtype=np.int32, count=len(rows))
        return cls(codes, tuple(levels))

    def __len__(self) -> int:
        return len(self.codes)

    def values(self) -> list[str | None]:
        """Return the texts row by row."""
        known: list[str | None] = [*self.levels, None]
        return [known[code] for code in self.codes.tolist()]

    def numbered(self, levels: Sequence[Any]) -> Numbers:
        """Return the place of each text among other levels, NaN where it is missing or unknown.

        >>> Texts.of(["b", None, "z", "a"]).numbered(("a", "b"))
        array([ 1., nan, nan,  0.])
        """
        place = {level: float(code) for code, level in enumerate(levels)}
        # The last entry is where the missing rows' -1 points to.
        table = np.array([*(place.get(level, np.nan) for level in self.levels), np.nan])
        return table[self.codes]

    def used(self) -> "Texts":
        """Return the column with the levels that occur."""
        present = np.unique(self.codes[self.codes >= 0])
        place = np.full(len(self.levels) + 1, -1, dtype=np.int32)
        place[present] = np.arange(len(present), dtype=np.int32)
        return Texts(place[self.codes], tuple(self.levels[code] for code in present.tolist()))


def read_objects(values: list[Any], label: str) -> Numbers | Texts:
    """Sort out a column of Python objects: all text, or all numbers.

    >>> read_objects([1, None, True], "'a'")
    array([ 1., nan,  1.])
    """
    try:
        distinct = dict.fromkeys(values)
    except TypeError:  # a dict or a list, which `float` refuses in its own words
        return _numbers(values, label)
    if not any(isinstance(value, str) for value in distinct):
        return _numbers(values, label)
    for value in distinct:
        if not isinstance(value, str) and not _is_missing(value):
            raise ValueError(
                f"Column {label} mixes text with other values, such as {value!r}; "
                "make it one or the other."
            )
    return Texts.of(values)


def _numbers(values: list[Any], label: str) -> Numbers:
    try:
        return np.array([np.nan if _is_missing(value) else float(value) for value in values])
    except (TypeError, ValueError) as error:
        raise _neither(label, error) from error


def _neither(label: str, error: Exception) -> TypeError:
    return TypeError(f"Column {label} holds neither numbers nor text: {error}.")


def _is_missing(value: Any) -> bool:
    return value is None or type(value).__name__ == "NAType" or bool(value != value)
