"""Data from outside, taken apart field by field; parameters and labels as JSON, and back."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.errors import DamagedModelError, ModelFileError

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


# --------------------------------------------------------------------------------------- parameters

MAX_LABEL_LENGTH = 65_536
"""Most characters of a class label."""
MAX_SPREAD = 8
"""An array has room for the longest text at each place: at most so many times its JSON."""

DTYPE = re.compile(r"\|b1|\|[iu]1|<[iu][248]|<f[248]|<U[1-9][0-9]{0,5}")


def plain_value(name: str, value: Any) -> Any:
    """Return a parameter as what JSON can hold.

    >>> plain_value("alphas", (0.5, 1)), plain_value("class_weight", {0: 1.0})
    ({'tuple': [0.5, 1]}, {'dict': [[0, 1.0]]})
    """
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or type(value) in (bool, int, str):
        return value
    if type(value) is float:
        return value if isfinite(value) else {"float": repr(value)}
    if type(value) is list:
        return [plain_value(name, item) for item in value]
    if type(value) is tuple:
        return {"tuple": [plain_value(name, item) for item in value]}
    if type(value) is dict:
        pairs = value.items()
        return {"dict": [[plain_value(name, key), plain_value(name, one)] for key, one in pairs]}
    if type(value) is np.ndarray and value.ndim == 1 and value.dtype.kind in "biufU":
        values = value.tolist()
        dtype = _narrow(values) if value.dtype.kind == "U" else value.dtype.str
        return {"array": plain_value(name, values), "dtype": dtype}
    raise ModelFileError(
        f"{name}={value!r} cannot be kept in a file, which holds names, numbers and lists only; "
        f"replace it first, for example with set_params({name}=None)."
    )


def value_from(data: Any, place: str) -> Any:
    """Return what `plain_value` was given."""
    if type(data) is list:
        return [value_from(item, place) for item in data]
    if type(data) is not dict:
        require(data is None or is_label(data), f"{place} is out of range")
        return data
    record = Record(data, place)
    if set(data) == {"float"}:
        require(data["float"] in ("nan", "inf", "-inf"), f"{place} has an unknown number")
        return float(data["float"])
    if set(data) == {"tuple"}:
        return tuple(value_from(item, place) for item in record.items("tuple"))
    if set(data) == {"dict"}:
        return _dict_from(record)
    require(set(data) == {"array", "dtype"}, f"{place} has an unknown kind of value")
    return _array_from(record)


def _dict_from(record: Record) -> dict[Any, Any]:
    result: dict[Any, Any] = {}
    wrong = f"{record.place} has a wrong pair"
    for pair in record.items("dict"):
        require(type(pair) is list and len(pair) == 2, wrong)
        require(pair[0] is None or is_label(pair[0]), wrong)
        result[pair[0]] = value_from(pair[1], record.place)
    return result


# ------------------------------------------------------------------------------------------- labels


def is_label(value: Any) -> bool:
    """Whether a value can be a class or a level: a text, a finite number, True or False."""
    return type(value) in (str, bool) or is_number(value)


def plain_labels(labels: NDArray[Any]) -> dict[str, Any]:
    """Return an array of labels with its type.

    >>> plain_labels(np.array(["ok", "scrap"]))
    {'dtype': '<U5', 'values': ['ok', 'scrap']}
    """
    return {"dtype": labels.dtype.str, "values": labels.tolist()}


def two_labels_from(record: Record) -> NDArray[Any]:
    """Return the array of two that `plain_labels` was given."""
    values, dtype = record.items("values"), _dtype(record)
    require(len(values) == 2, f"{record.place} are not two")
    is_short = dtype.itemsize <= 4 * MAX_LABEL_LENGTH
    require(is_short, f"{record.place} has labels that are too long")
    return _typed(values, dtype, record.place)


def _array_from(record: Record) -> NDArray[Any]:
    """Return the array of a parameter; one of texts is as wide as these need, whatever it says."""
    values, dtype = record.items("array"), _dtype(record)
    if dtype.kind == "U":
        require(all(type(one) is str for one in values), f"{record.place} has a wrong label")
        needed = np.dtype(_narrow(values))
        is_held = needed.itemsize <= dtype.itemsize
        require(is_held, f"{record.place} has labels that are not of its dtype")
        room = len(values) * needed.itemsize // 4
        is_bounded = room <= MAX_SPREAD * sum(len(one) + 3 for one in values)
        require(is_bounded, f"{record.place} has texts of too different lengths for an array")
        dtype = needed
    return _typed(values, dtype, record.place)


def _dtype(record: Record) -> np.dtype[Any]:
    text = record.text("dtype")
    require(DTYPE.fullmatch(text), f"{record.place} has an unknown dtype")
    return np.dtype(text)


def _narrow(texts: list[str]) -> str:
    """Return the narrowest dtype that holds texts."""
    return f"<U{max(map(len, texts), default=0) or 1}"


def _typed(values: list[Any], dtype: np.dtype[Any], place: str) -> NDArray[Any]:
    """Return an array of labels, which its dtype holds as they are."""
    require(all(is_label(value) for value in values), f"{place} has a wrong label")
    array: NDArray[Any] = np.empty(len(values), dtype=dtype)
    try:
        array[:] = values
    except (TypeError, ValueError, OverflowError):
        require(False, f"{place} has labels that are not of its dtype")
    found = array.tolist()
    kept = found == values and list(map(type, found)) == list(map(type, values))
    require(kept, f"{place} has labels that are not of its dtype")
    return array
