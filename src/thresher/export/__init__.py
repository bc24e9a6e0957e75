"""A model where it is needed, outside of Python or without this package: one way, out."""

from typing import TYPE_CHECKING

from thresher.lazy import importer

if TYPE_CHECKING:
    from thresher.export.onnx.model import to_onnx
    from thresher.export.python import to_python
    from thresher.export.sql.statement import to_sql

__all__ = ["to_onnx", "to_python", "to_sql"]

__getattr__ = importer(
    __name__,
    {
        "to_onnx": "thresher.export.onnx.model",
        "to_python": "thresher.export.python",
        "to_sql": "thresher.export.sql.statement",
    },
)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
