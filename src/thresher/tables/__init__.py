"""Tables as people have them, read as columns with a meaning."""

from typing import TYPE_CHECKING

from thresher.lazy import importer

if TYPE_CHECKING:
    from thresher.errors import TableError
    from thresher.tables.source import read_table
    from thresher.tables.table import Table

__all__ = ["Table", "TableError", "read_table"]

__getattr__ = importer(
    __name__,
    {
        "Table": "thresher.tables.table",
        "TableError": "thresher.errors",
        "read_table": "thresher.tables.source",
    },
)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
