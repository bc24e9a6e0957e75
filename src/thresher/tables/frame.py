"""A data frame of pandas, polars or pyarrow as a table of this package, and back."""

from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal
from typing import Any

import numpy as np

from thresher.column import Texts, as_number, is_missing
from thresher.errors import TableError
from thresher.frames import (
    added_columns,
    frame_kind,
    labels_of,
    make_frame,
    plain_columns,
    repeated_name,
)
from thresher.tables.table import Column, RawTable

NAME = "The table"


def raw_frame(frame: Any, texts: Collection[str] = ()) -> RawTable:
    """Return the columns of a data frame; those in `texts` stay text.

    >>> import pandas as pd
    >>> raw_frame(pd.DataFrame({"speed": [1, 2], "line": ["a", None]})).columns["line"]
    Texts(codes=array([ 0, -1], dtype=int32), levels=('a',))
    """
    repeated = repeated_name(map(str, labels_of(frame)))
    if repeated is not None:
        raise TableError(f"{NAME} has two columns {repeated!r}; rename one of them.")
    columns = {
        name: values if isinstance(values, np.ndarray) else column_of(values, name in texts)
        for name, values in plain_columns(frame).items()
    }
    return RawTable(NAME, columns, kind=frame_kind(frame))


def frame_of(columns: Mapping[str, Column], kind: str | None) -> Any:
    """Return columns as a data frame of a library, pandas by default."""
    return make_frame({name: _values(column) for name, column in columns.items()}, kind)


def frame_with(frame: Any, columns: Mapping[str, Any]) -> Any:
    """Return a data frame with columns added; its own stay as they are."""
    return added_columns(frame, {name: _values(column) for name, column in columns.items()})


def _values(column: Column) -> Any:
    return column.values() if isinstance(column, Texts) else column


def column_of(values: Sequence[Any], stays_text: bool) -> Column:
    """Return numbers where every value is one, otherwise texts.

    >>> column_of([1, None, True], stays_text=False)
    array([ 1., nan,  1.])
    >>> column_of([True, None, "x"], stays_text=True).values()
    ['true', None, 'x']
    """
    numbers = (int, float, Decimal, np.number, np.bool_)
    if not stays_text and all(isinstance(one, numbers) or is_missing(one) for one in values):
        return np.array([as_number(value) for value in values], dtype=np.float64)
    return Texts.of(map(_text, values))


def _text(value: Any) -> str | None:
    if is_missing(value):
        return None
    if isinstance(value, bool | np.bool_):
        return str(value).lower()
    if isinstance(value, bytes):
        return value.hex()
    return str(value.isoformat() if hasattr(value, "isoformat") else value)
