"""Columns of texts as codes of their distinct values, and columns of Python objects as either."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.wording import quoted

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

    def numbered(self, levels: Sequence[Any], unknown: float = np.nan) -> Numbers:
        """Return the place of each text among other levels, NaN where it is missing.

        >>> Texts.of(["b", None, "z", "a"]).numbered(("a", "b"))
        array([ 1., nan, nan,  0.])
        """
        place = {level: float(code) for code, level in enumerate(levels)}
        # The last entry is where the missing rows' -1 points to.
        table = np.array([*(place.get(level, unknown) for level in self.levels), np.nan])
        return table[self.codes]

    def used(self) -> "Texts":
        """Return the column with the levels that occur."""
        rows = np.bincount(self.codes + 1, minlength=len(self.levels) + 1)
        present = np.flatnonzero(rows[1:])
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
    kinds = {type(value) for value in distinct}
    if bytes in kinds and str not in kinds:
        return read_objects(_decoded(values, label), label)
    if not any(issubclass(kind, str) for kind in kinds):
        return _numbers(values, label)
    for value in distinct:
        if not isinstance(value, str) and not is_missing(value):
            raise ValueError(
                f"Column {label} mixes text with other values, such as {quoted(value)}; "
                "make it one or the other."
            )
    return Texts.of(values)


def _decoded(values: list[Any], label: str) -> list[Any]:
    """Return a column with its bytes as texts: some libraries write no other."""
    try:
        return [value.decode() if isinstance(value, bytes) else value for value in values]
    except UnicodeDecodeError:
        raise ValueError(
            f"Column {label} holds bytes that are no text in UTF-8; leave it out, or decode it."
        ) from None


def _numbers(values: list[Any], label: str) -> Numbers:
    try:
        return np.array([as_number(value) for value in values])
    except (TypeError, ValueError) as error:
        raise _neither(label, error) from error


def as_number(value: Any) -> float:
    """Return a number as a float: NaN where it is missing, infinity where it is too large.

    >>> as_number(None), as_number(-(10**400))
    (nan, -inf)
    """
    if is_missing(value):
        return float("nan")
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def _neither(label: str, error: Exception) -> TypeError:
    return TypeError(f"Column {label} holds neither numbers nor text: {error}.")


def is_missing(value: Any) -> bool:
    """Whether an object stands for no value."""
    # NaN and pandas' NaT are not equal to themselves; pandas' NA refuses to be compared.
    is_absent = value is None or value is np.ma.masked or type(value).__name__ == "NAType"
    return is_absent or bool(value != value)
