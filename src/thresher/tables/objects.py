"""Columns of Python objects, as databases and data frames give them, as numbers or texts."""

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any

import numpy as np

from thresher.tables.table import Column, best_column, cleaned
from thresher.texts import Texts


def column_of(values: Sequence[Any], stays_text: bool) -> Column:
    """Return numbers where every value is one, otherwise texts.

    >>> column_of([1, None, True], stays_text=False)
    array([ 1., nan,  1.])
    >>> column_of([True, None, "x"], stays_text=True).values()
    ['true', None, 'x']
    """
    if not stays_text and all(_is_number(value) for value in values):
        return np.array([np.nan if _is_missing(value) else float(value) for value in values])
    texts = Texts.of(_texts(values))
    return cleaned(texts) if stays_text else best_column(texts)


def _is_missing(value: Any) -> bool:
    # NaN and pandas' NaT are not equal to themselves; pandas' NA refuses to be compared.
    return value is None or type(value).__name__ == "NAType" or bool(value != value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | Decimal | np.number | np.bool_) or _is_missing(value)


def _texts(values: Iterable[Any]) -> Iterable[str | None]:
    for value in values:
        if _is_missing(value):
            yield None
        elif isinstance(value, bool | np.bool_):
            yield str(value).lower()
        elif isinstance(value, bytes):
            yield value.hex()
        elif hasattr(value, "isoformat"):
            yield value.isoformat()
        else:
            yield str(value)
