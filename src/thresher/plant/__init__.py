"""A model trained on a table, its judgement and its conditions."""

from typing import TYPE_CHECKING

from thresher.lazy import importer

if TYPE_CHECKING:
    from thresher.judging.drift import Drift
    from thresher.judging.facts import Facts
    from thresher.judging.judgement import Judgement
    from thresher.plant.model import PlantModel
    from thresher.plant.watch import Watch

__all__ = [
    "Drift",
    "Facts",
    "Judgement",
    "PlantModel",
    "Watch",
]

__getattr__ = importer(
    __name__,
    {
        "Drift": "thresher.judging.drift",
        "Facts": "thresher.judging.facts",
        "Judgement": "thresher.judging.judgement",
        "PlantModel": "thresher.plant.model",
        "Watch": "thresher.plant.watch",
    },
)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
