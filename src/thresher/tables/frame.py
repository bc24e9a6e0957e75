"""A data frame of pandas, polars or pyarrow as a table of this package, and back."""

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from thresher.errors import TableError
from thresher.frames import (
    added_columns,
    frame_kind,
    labels_of,
    make_frame,
    plain_columns,
    repeated_name,
)
from thresher.tables.objects import column_of
from thresher.tables.raw_table import RawTable
from thresher.tables.table import Column
from thresher.texts import Texts

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
