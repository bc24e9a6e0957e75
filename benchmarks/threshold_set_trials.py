"""How often the confidence set of thresholds holds the best one, which true probabilities tell."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from promise_scores import Scores
from scipy.special import expit

from thresher.threshold.confidence_set import threshold_interval
from thresher.threshold.counts import Counts
from thresher.threshold.rules import make_rule
from thresher.threshold.search import ScoredRows, counts_along

RULES = {
    "f1": {},
    "bcr": {},
    "mcc": {},
    "precision_at_recall": {"floor": 0.8},
    "budget": {"per_1000": 50.0},
}
MIDDLES = {"23 %": -2.0, "3 %": -5.0}
"""Log odds of the middle row, by the share of positives that they make."""
SAMPLES = 200


class Covered(NamedTuple):
    """How often an interval held the best threshold, and how long it was on average."""

    way: str
    rule: str
    share: str
    rows: int
    draws: int
    asked: float
    held: int
    length: float


def _probabilities(n: int, middle: float, random: np.random.Generator) -> Scores:
    return expit(2.0 * random.normal(size=n) + middle)


def best_threshold(rule: str, middle: float) -> float:
    """Return the best threshold by expected counts, on a fine grid of the law."""
    p = np.sort(_probabilities(1_000_000, middle, np.random.default_rng(3)))
    counts: Counts = counts_along(1.0 - p, p)
    chosen = make_rule(rule, **RULES[rule])
    values = chosen.objective(counts)
    if chosen.limit is not None:
        values = np.where(chosen.limit.allows(counts), values, -np.inf)
    return float(p[int(np.argmax(values)) - 1])


def covered(rule: str, share: str, n: int, draws: int) -> Iterator[Covered]:
    """Draw rows with true probabilities as scores; 90 and 95 % of the same draws."""
    best, chosen = best_threshold(rule, MIDDLES[share]), make_rule(rule, **RULES[rule])
    ways = [("confidence set", 0.9), ("confidence set", 0.95)]
    ways += [("percentile bootstrap", 0.95)] if rule == "f1" else []
    for way, asked in ways:
        random = np.random.default_rng([4, n, [*RULES].index(rule)])
        held, lengths = 0, []
        for seed in range(draws):
            p = _probabilities(n, MIDDLES[share], random)
            rows = ScoredRows.of(p, random.random(n) < p)
            if way == "confidence set":
                low, high = threshold_interval(rows.cuts(), chosen, SAMPLES, seed, asked)
            else:
                low, high = _percentiles(rows, chosen, seed)
            held += low <= best <= high
            lengths.append(high - low)
        yield Covered(way, rule, share, n, draws, asked, held, float(np.mean(lengths)))


def _percentiles(rows: ScoredRows, rule: object, seed: int) -> tuple[float, float]:
    """Return the central 95 % of the thresholds of bootstrap samples, what was done before."""
    random, found = np.random.default_rng(seed), []
    scores = rows.scores[rows.codes // 2]
    while len(found) < SAMPLES:
        drawn = random.integers(len(rows), size=len(rows))
        truth = rows.codes[drawn] & 1
        if 0 < truth.sum() < len(truth):
            found.append(rule.choose(ScoredRows.of(scores[drawn], truth).cuts()))  # type: ignore[attr-defined]
    low, high = np.quantile(found, [0.025, 0.975]).tolist()
    return low, high
