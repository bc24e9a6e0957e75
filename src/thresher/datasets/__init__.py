"""Data sets with a rare class: the paper's, some of manufacturing, and a simulated line.

The line's names are imported when they are first used: loading a table needs NumPy alone.
"""

from typing import TYPE_CHECKING

from thresher.datasets.catalog import DatasetInfo, dataset_info
from thresher.datasets.load import list_datasets, load_dataset
from thresher.lazy import importer

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

_HOME = dict.fromkeys(["AssemblyLine", "make_assembly_line"], "thresher.datasets.assembly_line")

__getattr__ = importer(__name__, _HOME)
