"""A table of findings that is told as a data frame, as text or as CSV."""

import io
from abc import ABC, abstractmethod
from html import escape
from typing import Any, ClassVar

import numpy as np

from thresher.frames import make_frame
from thresher.text_table import escape_csv, write_rows
from thresher.wording import storable


class ColumnTable(ABC):
    """Columns by name, one row a finding; a class says what they are, and tells them in words."""

    TEXTS: ClassVar[frozenset[str]]
    """The columns that hold texts."""

    @abstractmethod
    def columns(self) -> dict[str, list[Any]]:
        """Return the columns by name; what is not known is None."""

    @abstractmethod
    def to_text(self) -> str:
        """Return a few lines for each row."""

    def to_frame(self, kind: str | None = None) -> Any:
        """Return a data frame ("pandas", "polars", "pyarrow"); what is not known is null."""
        arrays = {
            name: _array(values, is_text=name in self.TEXTS)
            for name, values in self.columns().items()
        }
        frame = make_frame(arrays, kind)
        return frame.fill_nan(None) if kind == "polars" else frame

    def to_csv(self) -> str:
        """Return one line a row, all digits; nothing where a value is not known."""
        columns = self.columns()
        rows = (
            [escape_csv(cell) if isinstance(cell, str) else cell for cell in row]
            for row in zip(*columns.values(), strict=True)
        )
        file = io.StringIO()
        write_rows([columns, *rows], file)
        return file.getvalue()

    def _repr_html_(self) -> str:
        frame = self.to_frame()
        to_html = getattr(frame, "_repr_html_", None)
        return f"<pre>{escape(self.to_text())}</pre>" if to_html is None else str(to_html())


def _array(values: list[Any], *, is_text: bool) -> Any:
    if is_text:
        texts = [None if value is None else storable(value) for value in values]
        return texts if None in texts else np.array(texts, dtype=object)
    is_whole = bool(values) and all(isinstance(value, int) for value in values)
    return np.array(values, dtype=np.int64 if is_whole else np.float64)
