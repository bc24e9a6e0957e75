"""Trees and forests from more rows than memory holds, or than one machine holds."""

from typing import TYPE_CHECKING

from thresher.lazy import importer

if TYPE_CHECKING:
    from thresher.scale.fitting import fit

__all__ = ["fit"]

__getattr__ = importer(__name__, {"fit": "thresher.scale.fitting"})


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
