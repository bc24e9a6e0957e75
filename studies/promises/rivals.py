"""A promise of recall by several ways on the same rows; the only file that names MAPIE."""

from collections.abc import Callable
from time import process_time
from typing import NamedTuple

import numpy as np
from mapie.risk_control import BinaryClassificationController

from studies.promises.models import CONFIDENCE, FLOOR, Population, Scores
from studies.promises.trials import drawn
from thresher.threshold.rules import make_rule
from thresher.threshold.search import ScoredRows


class Beside(NamedTuple):
    """What a way to choose a threshold did over draws; `made` is how often it found one."""

    way: str
    share: float
    rows: int
    draws: int
    made: int
    held: int
    alerts: float
    milliseconds: float


def _ours(confidence: float | None) -> Callable[[Scores, np.ndarray], float | None]:
    rule = make_rule("precision_at_recall", floor=FLOOR, confidence=confidence)
    return lambda scores, y: rule.choose(ScoredRows.of(scores, y).cuts())


def _mapie(grid: str, method: str) -> Callable[[Scores, np.ndarray], float | None]:
    def choose(scores: Scores, y: np.ndarray) -> float | None:
        more = {"fwer_method": method}
        if grid == "scores":
            # A grid made by hand: thresholds at 100 quantiles of the scores of these positives.
            more["list_predict_params"] = np.unique(np.quantile(scores[y], np.arange(100) / 100))
        controller = BinaryClassificationController(
            lambda X: np.column_stack([1.0 - X[:, 0], X[:, 0]]),
            "recall",
            FLOOR,
            confidence_level=CONFIDENCE,
            **more,
        )
        controller.calibrate(scores[:, None], y.astype(int))
        found = controller.best_predict_param
        # MAPIE alerts at or above its threshold, thresher above it.
        return None if found is None else float(np.nextafter(found, -np.inf))

    return choose


WAYS = {
    "thresher, floor without a promise": _ours(None),
    "thresher, promise": _ours(CONFIDENCE),
    "MAPIE, as it comes": _mapie("its own", "bonferroni_holm"),
    "MAPIE, fixed sequence": _mapie("its own", "fixed_sequence"),
    "MAPIE, 100 quantiles of scores": _mapie("scores", "bonferroni_holm"),
}


def side_by_side(population: Population, share: float, n: int, draws: int) -> list[Beside]:
    """Let every way choose on the same draws of rows."""
    found = []
    for way, choose in WAYS.items():
        random, thresholds, start = np.random.default_rng([7, n]), [], process_time()
        for _ in range(draws):
            threshold = choose(*drawn(population, share, n, random))
            if threshold is not None:
                thresholds.append(threshold)
        spent = 1000.0 * (process_time() - start) / draws
        held = int((population.recall(thresholds) >= FLOOR).sum())
        alerts = 1000.0 * float(population.alerts(thresholds, share).mean())
        found.append(Beside(way, share, n, draws, len(thresholds), held, alerts, spent))
    return found
