"""Data sets with a rare class: the paper's, and some of manufacturing."""

from thresher.datasets.catalog import DatasetInfo, dataset_info
from thresher.datasets.load import list_datasets, load_dataset

__all__ = ["DatasetInfo", "dataset_info", "list_datasets", "load_dataset"]
