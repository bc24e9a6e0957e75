"""Trees from more rows than memory holds, or than one machine holds."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from thresher.scale.local import fit_parquet

__all__ = ["fit_parquet"]

_HOME = {"fit_parquet": "thresher.scale.local"}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'thresher.scale' has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
