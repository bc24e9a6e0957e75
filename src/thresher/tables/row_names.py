"""Names of rows, such as part numbers, as a user wrote them."""

import numpy as np

from thresher.tables.table import Column, as_text, texts_of
from thresher.texts import Texts


def as_numbers_where_same(column: Column) -> Column:
    """Return texts as numbers where all of them are whole numbers and written like them.

    A part 007 or 1.5 stays a text, and so does a number that is too long for a double.

    >>> as_numbers_where_same(Texts.of(["7", "12", None]))
    array([ 7., 12., nan])
    >>> as_numbers_where_same(Texts.of(["007", "12"])).values()
    ['007', '12']
    """
    if not isinstance(column, Texts):
        return column
    values = texts_of(column)
    numbers = [_same_number(text) for text in values if text is not None]
    if not numbers or None in numbers:
        return column
    found = iter(numbers)
    return np.array([np.nan if text is None else next(found) for text in values], dtype=np.float64)


def _same_number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if number.is_integer() and as_text(number) == text else None
