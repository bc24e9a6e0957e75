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
        return {"array": plain_value(name, value.tolist()), "dtype": value.dtype.str}
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
    return _array_from(record, "array")


def _dict_from(record: Record) -> dict[Any, Any]:
    result: dict[Any, Any] = {}
    for pair in record.items("dict"):
        require(type(pair) is list and len(pair) == 2, f"{record.place} has a wrong pair")
        require(pair[0] is None or is_label(pair[0]), f"{record.place} has a wrong key")
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


def labels_from(record: Record) -> NDArray[Any]:
    """Return the array that `plain_labels` was given."""
    return _array_from(record, "values")


def _array_from(record: Record, name: str) -> NDArray[Any]:
    values, text = record.items(name), record.text("dtype")
    require(all(is_label(value) for value in values), f"{record.place} has a wrong label")
    require(DTYPE.fullmatch(text), f"{record.place} has an unknown dtype")
    dtype = np.dtype(text)
    require(dtype.itemsize <= 4 * MAX_LABEL_LENGTH, f"{record.place} has labels that are too long")
    array: NDArray[Any] = np.empty(len(values), dtype=dtype)
    try:
        array[:] = values
    except (TypeError, ValueError, OverflowError):
        require(False, f"{record.place} has labels that are not of its dtype")
    kept = array.tolist() == values and [type(one) for one in array.tolist()] == [
        type(one) for one in values
    ]
    require(kept, f"{record.place} has labels that are not of its dtype")
    return array
