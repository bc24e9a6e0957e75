"""Trees from more rows than memory holds, or than one machine holds."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

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


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'thresher.scale' has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
