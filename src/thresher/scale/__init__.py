"""Trees and forests from more rows than memory holds, or than one machine holds."""

from typing import TYPE_CHECKING

from thresher.lazy import importer

if TYPE_CHECKING:
    from thresher.scale.dask import DaskForestClassifier, DaskTreeClassifier
    from thresher.scale.local import fit_parquet, fit_parquet_forest
    from thresher.scale.spark import SparkForestClassifier, SparkTreeClassifier

__all__ = [
    "DaskForestClassifier",
    "DaskTreeClassifier",
    "SparkForestClassifier",
    "SparkTreeClassifier",
    "fit_parquet",
    "fit_parquet_forest",
]

_HOME = {
    "DaskForestClassifier": "thresher.scale.dask",
    "DaskTreeClassifier": "thresher.scale.dask",
    "SparkForestClassifier": "thresher.scale.spark",
    "SparkTreeClassifier": "thresher.scale.spark",
    "fit_parquet": "thresher.scale.local",
    "fit_parquet_forest": "thresher.scale.local",
}


__getattr__ = importer(__name__, _HOME)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
