"""Data sets that come with the package."""

from thresher.datasets.load import list_datasets, load_dataset

__all__ = ["list_datasets", "load_dataset"]
