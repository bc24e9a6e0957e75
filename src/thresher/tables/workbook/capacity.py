"""What a sheet of Excel can hold."""

import re
from collections.abc import Mapping

from thresher.errors import TableError
from thresher.tables.table import Column
from thresher.texts import Texts
from thresher.wording import quoted

MAX_ROWS, MAX_COLUMNS, MAX_LENGTH = 2**20, 2**14, 32_767
"""Rows with the header, columns, and characters of a cell."""

_ESCAPE = re.compile("_(?=x[0-9a-fA-F]{4}_)")
_FORBIDDEN = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""What Excel would take for an escaped character; characters that XML has no way to write."""


def storable(text: str) -> str:
    r"""Return a text as the XML of a workbook has it: what it cannot hold is shown as an escape.

    >>> print(storable("\x1b[31m, a\rb, _x0041_"))
    \x1b[31m, a_x000D_b, _x005F_x0041_
    """
    shown = _FORBIDDEN.sub(lambda found: ascii(found[0])[1:-1], text)
    if shown.isspace():  # openpyxl asks readers to keep spaces only where lxml is installed
        return "".join(f"_x{ord(letter):04X}_" for letter in shown)
    return _ESCAPE.sub("_x005F_", shown).replace("\r", "_x000D_")


def refuse_large(columns: Mapping[str, Column]) -> None:
    """Raise where a table has more rows or columns, or longer texts, than a sheet can hold."""
    n_rows = max((len(column) for column in columns.values()), default=0)
    if n_rows >= MAX_ROWS or len(columns) > MAX_COLUMNS:
        raise TableError(
            f"A sheet of Excel holds {MAX_ROWS - 1:,} rows under a header and {MAX_COLUMNS:,} "
            f"columns, and this table has {n_rows:,} and {len(columns):,}; write CSV or Parquet."
        )
    for name, column in columns.items():
        texts = column.levels if isinstance(column, Texts) else ()
        if max(len(storable(text)) for text in (name, *texts)) > MAX_LENGTH:
            raise TableError(
                f"A cell of Excel holds {MAX_LENGTH:,} characters, and column {quoted(name)} has a "
                "longer text; write CSV or Parquet."
            )
