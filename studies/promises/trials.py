"""How often promises of held-out rows hold, and confidence sets of thresholds: draws of scores."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.special import expit
from scipy.stats import binom

from studies.promises.models import CONFIDENCE, FLOOR, Population, Scores
from thresher.errors import RuleNotMetError
from thresher.statistics import mean_bound
from thresher.threshold.confidence_set import threshold_interval
from thresher.threshold.counts import Counts
from thresher.threshold.promise import budget_cut, precision_cut, recall_cut
from thresher.threshold.rules import make_rule
from thresher.threshold.search import ScoredRows, counts_along

PRECISION_FLOOR, PER_1000 = 0.5, 50.0
COST_FP, COST_FN = 1.0, 10.0


class Tally(NamedTuple):
    """Of the draws of one model and one cell: on how many a promise was made, and held.

    `alerts` are those per 1000 rows of the promised threshold on the population, `best` those of
    the threshold that knows the population; means over promises that were made.
    """

    what: str
    share: float
    size: int
    model: str
    draws: int
    made: int
    held: int
    alerts: float
    best: float


# -------------------------------------------------------------------------------------- recall


def recall_tally(
    population: Population, share: float, positives: int, draws: int, random: np.random.Generator
) -> Tally:
    """Draw rows and promise a recall on each draw.

    A promise of recall depends on the positives, and on no negative but the largest below the k-th
    smallest positive. Of the many negatives only that one is drawn, by its law: m of n lie below
    with a binomial law, and the largest of m has the rank U^(1/m). The library gets these rows.
    """
    n = round(positives / share)
    counts = random.binomial(n, share, size=draws)
    thresholds = []
    for count in counts:
        found = np.sort(random.choice(population.positive, size=count))
        threshold = _promised(found, _neighbours(population.negative, found, n - count, random))
        if threshold is not None:
            thresholds.append(threshold)
    chosen = np.array(thresholds)
    best = np.quantile(population.positive, 1.0 - FLOOR, method="inverted_cdf")
    just_below = np.nextafter(best, -np.inf)
    return Tally(
        "recall",
        share,
        positives,
        population.name,
        draws,
        len(chosen),
        int((population.recall(chosen) >= FLOOR).sum()),
        1000.0 * float(population.alerts(chosen, share).mean()),
        1000.0 * float(population.alerts(just_below, share)),
    )


def _neighbours(negative: Scores, positive: Scores, n: int, random: np.random.Generator) -> Scores:
    """Return the largest of n drawn negatives below each distinct score that may be the cut."""
    k = order_of(len(positive))
    if k == 0:
        return negative[:1]
    below = int(np.searchsorted(negative, positive[k - 1], side="left"))
    m = random.binomial(n, below / len(negative))
    if m == 0:
        return np.array([np.nextafter(1.0, 2.0)])  # a negative above, since both classes are there
    return negative[[int(below * random.random() ** (1.0 / m))]]


def order_of(positives: int) -> int:
    """The largest k with P(Bin(positives, 1 - FLOOR) <= k - 1) <= 1 - CONFIDENCE, by scipy."""
    if positives not in _ORDERS:
        chances = binom.cdf(np.arange(positives), positives, 1.0 - FLOOR)
        _ORDERS[positives] = int((chances <= 1.0 - CONFIDENCE).sum())
    return _ORDERS[positives]


_ORDERS: dict[int, int] = {}


def _promised(positive: Scores, negative: Scores) -> float | None:
    rows = ScoredRows.of(
        np.concatenate([positive, negative]),
        np.repeat([True, False], [len(positive), len(negative)]),
        is_probability=False,
    )
    cuts = rows.cuts()
    try:
        return float(cuts.thresholds[recall_cut(cuts, FLOOR, CONFIDENCE)])
    except RuleNotMetError:
        return None


def oracle_differences(
    population: Population, share: float, positives: int, draws: int, random: np.random.Generator
) -> int:
    """Count draws, of all rows, whose alerts differ from those of sorted scores alone."""
    differ = 0
    for _ in range(draws):
        scores, y = drawn(population, share, round(positives / share), random)
        found = np.sort(scores[y])
        k = order_of(len(found))
        threshold = _promised(found, scores[~y])
        expected = None if k == 0 else int((scores >= found[k - 1]).sum())
        alerts = None if threshold is None else int((scores > threshold).sum())
        differ += alerts != expected
    return differ


def drawn(
    population: Population, share: float, n: int, random: np.random.Generator
) -> tuple[Scores, np.ndarray]:
    """Return scores and labels of rows that are independent of each other."""
    y = random.random(n) < share
    scores = np.empty(n)
    scores[y] = random.choice(population.positive, size=int(y.sum()))
    scores[~y] = random.choice(population.negative, size=int((~y).sum()))
    return scores, y


# --------------------------------------------------------------------- precision, alerts and cost


def other_tallies(
    population: Population, share: float, n: int, draws: int, random: np.random.Generator
) -> Iterator[Tally]:
    """Draw rows, promise a precision and a number of alerts on each draw, on a tenth a cost."""
    held: dict[str, list[bool]] = {"precision": [], "alerts": [], "cost": []}
    alerts: dict[str, list[float]] = {name: [] for name in held}
    for number in range(draws):
        scores, y = drawn(population, share, n, random)
        if not 0 < y.sum() < n:
            continue
        cuts = ScoredRows.of(scores, y).cuts()
        try:
            threshold = float(cuts.just_above(precision_cut(cuts, PRECISION_FLOOR, CONFIDENCE)))
            held["precision"].append(population.precision(threshold, share) >= PRECISION_FLOOR)
            alerts["precision"].append(float(population.alerts(threshold, share)))
        except RuleNotMetError:
            pass
        try:
            threshold = float(cuts.thresholds[budget_cut(cuts, PER_1000 / 1000.0, CONFIDENCE)])
            share_alerted = float(population.alerts(threshold, share))
            held["alerts"].append(share_alerted <= PER_1000 / 1000.0)
            alerts["alerts"].append(share_alerted)
        except RuleNotMetError:
            pass
        if number % 10 == 0:
            held["cost"].append(_cost_held(population, share, scores, y, number))
            alerts["cost"].append(float(population.alerts(COST_FP / (COST_FP + COST_FN), share)))
    for what, found in held.items():
        trials = -(-draws // 10) if what == "cost" else draws
        mean = 1000.0 * float(np.mean(alerts[what])) if found else float("nan")
        best = PER_1000 if what == "alerts" else float("nan")
        yield Tally(
            what, share, n, population.name, trials, len(found), int(sum(found)), mean, best
        )


def _cost_held(
    population: Population, share: float, scores: Scores, y: np.ndarray, seed: int
) -> bool:
    cut = COST_FP / (COST_FP + COST_FN)
    cost = np.where(scores > cut, COST_FP * ~y, COST_FN * y) / COST_FN
    bound = COST_FN * mean_bound(cost, CONFIDENCE, seed)
    false = float(population.alerts(cut, share)) - share * float(population.recall(cut))
    return bool(bound >= COST_FP * false + COST_FN * share * (1.0 - population.recall(cut)))


# ----------------------------------------------------------------- confidence sets of thresholds

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
