"""For the plant: a trained and judged model, its conditions, how early scrap is known."""

from typing import TYPE_CHECKING

from thresher.lazy import importer

if TYPE_CHECKING:
    from thresher.judging.drift import Drift
    from thresher.judging.early import EarlyDetection, early_detection
    from thresher.judging.facts import Facts
    from thresher.judging.judgement import Judgement
    from thresher.judging.monitoring import Monitoring, daily_monitoring
    from thresher.judging.suspects import find_suspects
    from thresher.plant.coded.model import CodedModel
    from thresher.plant.model import PlantModel
    from thresher.plant.training import train
    from thresher.plant.watch import Watch

__all__ = [
    "CodedModel",
    "Drift",
    "EarlyDetection",
    "Facts",
    "Judgement",
    "Monitoring",
    "PlantModel",
    "Watch",
    "daily_monitoring",
    "early_detection",
    "find_suspects",
    "train",
]

__getattr__ = importer(
    __name__,
    {
        "CodedModel": "thresher.plant.coded.model",
        "Drift": "thresher.judging.drift",
        "EarlyDetection": "thresher.judging.early",
        "Facts": "thresher.judging.facts",
        "Judgement": "thresher.judging.judgement",
        "Monitoring": "thresher.judging.monitoring",
        "PlantModel": "thresher.plant.model",
        "Watch": "thresher.plant.watch",
        "daily_monitoring": "thresher.judging.monitoring",
        "early_detection": "thresher.judging.early",
        "find_suspects": "thresher.judging.suspects",
        "train": "thresher.plant.training",
    },
)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
