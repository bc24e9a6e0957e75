"""Trees from more rows than memory holds, or than one machine holds."""

from typing import TYPE_CHECKING

from thresher.lazy import importer

if TYPE_CHECKING:
    from thresher.scale.dask import DaskTreeClassifier
    from thresher.scale.local import fit_parquet, fit_parquet_forest
    from thresher.scale.spark import SparkTreeClassifier

__all__ = ["DaskTreeClassifier", "SparkTreeClassifier", "fit_parquet", "fit_parquet_forest"]

_HOME = {
    "DaskTreeClassifier": "thresher.scale.dask",
    "SparkTreeClassifier": "thresher.scale.spark",
    "fit_parquet": "thresher.scale.local",
    "fit_parquet_forest": "thresher.scale.local",
}


__getattr__ = importer(__name__, _HOME)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
