"""Data sets with a rare class: the paper's, some of manufacturing, and a simulated line."""

from thresher.datasets.assembly_line import AssemblyLine, make_assembly_line
from thresher.datasets.catalog import DatasetInfo, dataset_info
from thresher.datasets.load import list_datasets, load_dataset

__all__ = [
    "AssemblyLine",
    "DatasetInfo",
    "dataset_info",
    "list_datasets",
    "load_dataset",
    "make_assembly_line",
]
