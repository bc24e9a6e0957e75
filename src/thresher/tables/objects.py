"""Columns of Python objects, as databases and data frames give them, as numbers or texts."""

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any

import numpy as np

from thresher.tables.table import Column
from thresher.texts import Texts, as_number, is_missing


def column_of(values: Sequence[Any], stays_text: bool) -> Column:
    """Return numbers where every value is one, otherwise texts.

    >>> column_of([1, None, True], stays_text=False)
    array([ 1., nan,  1.])
    >>> column_of([True, None, "x"], stays_text=True).values()
    ['true', None, 'x']
    """
    if not stays_text and all(_is_number(value) for value in values):
        return np.array([as_number(value) for value in values], dtype=np.float64)
    return Texts.of(_texts(values))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | Decimal | np.number | np.bool_) or is_missing(value)


def _texts(values: Iterable[Any]) -> Iterable[str | None]:
    for value in values:
        if is_missing(value):
            yield None
        elif isinstance(value, bool | np.bool_):
            yield str(value).lower()
        elif isinstance(value, bytes):
            yield value.hex()
        elif hasattr(value, "isoformat"):
            yield value.isoformat()
        else:
            yield str(value)
