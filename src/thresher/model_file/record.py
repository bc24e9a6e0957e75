"""Data from outside, taken apart field by field; what is not as expected is said."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.errors import DamagedModelError

Shape = tuple[int | None, ...]
"""The shape of an array; None stands for any length."""
LARGEST = 2**1023
"""Integers below this are finite as floats."""


def require(condition: Any, sentence: str) -> None:
    """Raise unless a condition holds."""
    if not condition:
        raise DamagedModelError(sentence)


def is_number(value: Any) -> bool:
    """Whether a value is a finite number; True and False are not."""
    if type(value) is int:
        return abs(value) < LARGEST
    return type(value) is float and isfinite(value)


@contextmanager
def damage_told(name: str, way_out: str) -> Iterator[None]:
    """Tell of a damage as one of a file; `way_out`: what helps beside another copy."""
    try:
        yield
    except DamagedModelError as error:
        raise DamagedModelError(
            f"{name} is a damaged model file: {error}; take another copy, or {way_out}."
        ) from None


def require_characters(data: Any, place: str) -> None:
    """Raise where a text in nested data is none that can be printed or written to a file."""
    left = [data]
    while left:
        one = left.pop()
        if type(one) is str:
            # A lone surrogate has no UTF-8.
            is_text = not any("\ud800" <= letter <= "\udfff" for letter in one)
            require(is_text, f"{place} has a text that is not made of characters")
        elif isinstance(one, Mapping):
            left += [*one.keys(), *one.values()]
        elif isinstance(one, list | tuple):
            left += one


class Record:
    """An object of a document; `place` says where it stands in it.

    Examples
    --------
    >>> record = Record({"threshold": 0.5, "trees": None}, "model")
    >>> record.number("threshold"), record.has("trees")
    (0.5, False)
    >>> record.text("kind")
    Traceback (most recent call last):
    ...
    thresher.errors.DamagedModelError: model lacks 'kind'
    """

    def __init__(self, data: Any, place: str) -> None:
        require(isinstance(data, Mapping), f"{place} is not an object")
        self.data: Mapping[str, Any] = data
        self.place = place

    def __getitem__(self, name: str) -> Any:
        require(name in self.data, f"{self.place} lacks {name!r}")
        return self.data[name]

    def has(self, name: str) -> bool:
        """Whether a field is there and not null."""
        return self.data.get(name) is not None

    def _typed(self, name: str, kind: type, words: str) -> Any:
        value = self[name]
        require(type(value) is kind, f"{self.place}.{name} is not {words}")
        return value

    def record(self, name: str) -> "Record":
        """Return an object inside this one."""
        return Record(self[name], f"{self.place}.{name}")

    def items(self, name: str) -> list[Any]:
        """Return a list."""
        found: list[Any] = self._typed(name, list, "a list")
        return found

    def records(self, name: str) -> list["Record"]:
        """Return a list of objects."""
        return [
            Record(item, f"{self.place}.{name}[{place}]")
            for place, item in enumerate(self.items(name))
        ]

    def text(self, name: str) -> str:
        """Return a text."""
        found: str = self._typed(name, str, "a text")
        return found

    def texts(self, name: str) -> list[str]:
        """Return a list of texts."""
        found = self.items(name)
        require(all(type(text) is str for text in found), f"{self.place}.{name} is not texts")
        return found

    def truth(self, name: str) -> bool:
        """Return true or false."""
        found: bool = self._typed(name, bool, "true or false")
        return found

    def integer(self, name: str, low: int, high: int) -> int:
        """Return an integer in a range, ends included."""
        value: int = self._typed(name, int, "an integer")
        require(low <= value <= high, f"{self.place}.{name} is not from {low} to {high}")
        return value

    def number(self, name: str) -> float:
        """Return a finite number."""
        value = self[name]
        require(is_number(value), f"{self.place}.{name} is not a finite number")
        return float(value)

    def within(self, name: str, low: float, high: float) -> float:
        """Return a number in a range, ends included."""
        value = self.number(name)
        require(low <= value <= high, f"{self.place}.{name} is not from {low:g} to {high:g}")
        return value

    def share(self, name: str) -> float:
        """Return a number strictly between 0 and 1."""
        value = self.number(name)
        require(0.0 < value < 1.0, f"{self.place}.{name} is not between 0 and 1")
        return value

    def positive(self, name: str) -> float:
        """Return a finite number above 0."""
        value = self.number(name)
        require(value > 0.0, f"{self.place}.{name} is not above 0")
        return value

    def pair(self, name: str) -> tuple[float, float]:
        """Return two finite numbers above 0."""
        values = self.items(name)
        is_pair = len(values) == 2 and all(is_number(value) and value > 0 for value in values)
        require(is_pair, f"{self.place}.{name} is not a pair of numbers above 0")
        return float(values[0]), float(values[1])

    def array(self, name: str, kinds: str, shape: Shape) -> NDArray[Any]:
        """Return an array whose type is of one of the kinds (NumPy's letters), of a shape."""
        values = self[name]
        place = f"{self.place}.{name}"
        require(isinstance(values, np.ndarray), f"{place} is not an array")
        require(values.dtype.kind in kinds, f"{place} has the type {values.dtype}")
        fits = len(values.shape) == len(shape) and all(
            wanted is None or length == wanted
            for length, wanted in zip(values.shape, shape, strict=True)
        )
        require(fits, f"{place} has the wrong shape {values.shape}")
        found: NDArray[Any] = values
        return found

    def floats(self, name: str, shape: Shape) -> NDArray[np.float64]:
        """Return an array of finite 64-bit numbers."""
        values = self.array(name, "f", shape)
        is_sound = values.dtype == np.float64 and bool(np.isfinite(values).all())
        require(is_sound, f"{self.place}.{name} is not made of finite 64-bit numbers")
        return values
