"""Data sets with a rare class: the paper's, some of manufacturing, and a simulated line.

The line's names are imported when they are first used: loading a table needs NumPy alone.
"""

from typing import TYPE_CHECKING, Any

from thresher.datasets.catalog import DatasetInfo, dataset_info
from thresher.datasets.load import list_datasets, load_dataset

if TYPE_CHECKING:
    from thresher.datasets.assembly_line import AssemblyLine, make_assembly_line

__all__ = [
    "AssemblyLine",
    "DatasetInfo",
    "dataset_info",
    "list_datasets",
    "load_dataset",
    "make_assembly_line",
]


def __getattr__(name: str) -> Any:
    if name not in ("AssemblyLine", "make_assembly_line"):
        raise AttributeError(f"module 'thresher.datasets' has no attribute {name!r}")
    from thresher.datasets import assembly_line

    return getattr(assembly_line, name)
