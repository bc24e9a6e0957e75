"""Parameters and labels as JSON, and back: tuples, dicts and arrays are told from lists."""

import re
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.errors import ModelFileError
from thresher.model_file.record import Record, is_number, require

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


# ----------------------------------------------------------------------------------------- labels


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
    kept = found == values and all(map(_is_same_type, found, values))
    require(kept, f"{place} has labels that are not of its dtype")
    return array


def _is_same_type(first: Any, second: Any) -> bool:
    return type(first) is type(second)
