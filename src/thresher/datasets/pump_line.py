"""How the pump line of `make_assembly_line` works: its stages, its states, what causes scrap."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from thresher.condition.clause import Clause, Interval, LevelSet

Vector = NDArray[np.float64]
Rows = NDArray[np.bool_]
Values = dict[str, NDArray[np.float64]]
"""Measurements by column; categories as codes of their levels."""

SUPPLIERS = ("A", "B", "C", "D", "E")
SEALS, SHIFTS = ("FKM", "NBR", "PTFE"), ("early", "late", "night")
TOOL_LIFE = 60
"""Parts that a press tool makes before it is changed."""
CAUGHT = 0.85
"""Probability that a part under a planted condition is scrapped for it."""
BACKGROUND = 0.02
"""Scrap without a planted cause (less where the lowest rate asked for is small)."""
DROPOUT, DROPOUT_RUN = 0.015, 20
"""Share of values that a failing sensor loses, and parts that it fails for in a row."""

STAGES = {
    "shift": "S1 housing",
    "supplier": "S1 housing",
    "hardness": "S1 housing",
    "tool_age": "S2 bearing press",
    "press_force": "S2 bearing press",
    "press_depth": "S2 bearing press",
    "torque_3": "S3 shaft",
    "runout_3": "S3 shaft",
    "seal": "S4 seal",
    "oven_temperature": "S4 seal",
    "humidity": "S4 seal",
    "torque_5": "S5 cover",
    "glue_weight": "S5 cover",
    "flow": "EOL flow test",
    "leak_rate": "EOL leak test",
    "noise_level": "EOL noise test",
}
"""The stage of each factor, in the order of the line; end-of-line tests come last."""

CATEGORIES = {"shift": SHIFTS, "supplier": SUPPLIERS, "seal": SEALS}
FAILING = ("hardness", "torque_3", "runout_3", "oven_temperature", "humidity", "leak_rate")
"""Factors whose sensor drops out now and then."""


class Trigger(NamedTuple):
    """A normal measurement and the cut beyond which it does harm under a planted condition."""

    column: str
    mean: float
    spread: float
    cut: float
    is_low: bool

    @property
    def clause(self) -> Interval:
        """The harmful side."""
        if self.is_low:
            return Interval(self.column, high=self.cut)
        return Interval(self.column, low=self.cut)

    def draw(self, is_out: Rows, random: np.random.Generator) -> Vector:
        """Draw values: beyond the cut where `is_out`, on the good side elsewhere."""
        u = 1.0 - random.random(len(is_out))
        at_cut = ndtr((self.cut - self.mean) / self.spread)
        below = is_out == self.is_low
        share = np.where(below, u * at_cut, at_cut + u * (1.0 - at_cut))
        # Never 1, whose quantile is infinite.
        value: Vector = self.mean + self.spread * ndtri(np.minimum(share, 1.0 - 1e-12))
        return np.where(below, np.minimum(value, self.cut), value)


PLANTED: tuple[tuple[Clause, Trigger], ...] = (
    (Interval("tool_age", low=38.5), Trigger("press_force", 55.0, 5.0, 61.5, is_low=False)),
    (
        LevelSet("supplier", ("B", "D"), known=SUPPLIERS),
        Trigger("torque_3", 12.5, 1.0, 11.2, is_low=True),
    ),
    (
        LevelSet("shift", ("night",), known=SHIFTS),
        Trigger("oven_temperature", 155.0, 5.0, 148.0, is_low=True),
    ),
    (Interval("flow", high=31.0), Trigger("leak_rate", 3.0, 0.8, 4.1, is_low=False)),
)
"""What causes scrap: a state of the line, and a measurement out of its range at the same time."""

MIN_FACTORS = 2 * len(PLANTED)


def line_state(hours: Vector, days: int, random: np.random.Generator) -> Values:
    """Draw what does not depend on the scrap rate: shift, material, tools, surroundings."""
    n_parts = len(hours)
    hour, day = hours % 24.0, (hours // 24.0).astype(np.intp)
    # Two feeders, each with a batch of material of its own; a batch lasts ten hours.
    batch = (hours / 10.0).astype(np.intp) * 2 + random.integers(2, size=n_parts)
    n_batches = int(batch.max()) + 2
    supplier = random.integers(len(SUPPLIERS), size=n_batches)
    drift = np.cumsum(random.normal(0.0, 0.6, n_batches)) + 1.5 * random.normal(size=n_batches)
    weather = np.cumsum(random.normal(0.0, 2.0, days))
    age = (np.arange(n_parts) + random.integers(TOOL_LIFE)) % TOOL_LIFE + 1.0
    return {
        "shift": np.select(
            [(hour >= 6) & (hour < 14), (hour >= 14) & (hour < 22)], [0.0, 1.0], 2.0
        ),
        "supplier": supplier[batch].astype(np.float64),
        "hardness": 180.0 + drift[batch] + random.normal(0.0, 2.0, n_parts),
        "tool_age": age,
        "runout_3": random.gamma(4.0, 2.0, n_parts) + 0.02 * age,
        "seal": random.choice(3, size=n_parts, p=(0.5, 0.3, 0.2)).astype(np.float64),
        "humidity": 45.0 + weather[day] + random.normal(0.0, 3.0, n_parts),
        "torque_5": random.normal(8.0, 0.4, n_parts),
        "glue_weight": 2.5 + 0.002 * day + random.normal(0.0, 0.1, n_parts),
        "flow": random.normal(32.0, 2.0, n_parts),
        "noise_level": random.normal(61.0, 2.5, n_parts) + 0.03 * age,
    }


def daily_rate(days: int, low: float, high: float, random: np.random.Generator) -> Vector:
    """Draw a path of the expected scrap rate that touches both ends (their middle for one day)."""
    walk = np.cumsum(random.normal(size=days)) + 0.5 * random.normal(size=days)
    span = np.ptp(walk)
    share = (walk - walk.min()) / span if span > 0 else np.full(days, 0.5)
    return low + (high - low) * share


def solve_rates(
    likely: Rows, day: NDArray[np.intp], rate: Vector, background: float
) -> tuple[Vector, Vector]:
    """Find how often measurements leave their range each day, so that the expected rate comes out.

    `likely` tells for each planted condition whether its state of the line holds. Where even
    measurements that are always out of range would not do, scrap without a cause fills up.
    """

    def spared(x: Vector) -> Vector:
        """Return the mean probability, by day, of escaping all planted conditions."""
        escape = np.prod(1.0 - CAUGHT * likely * x[day], axis=0)
        parts = np.bincount(day, minlength=len(rate))
        return np.bincount(day, escape, minlength=len(rate)) / np.maximum(parts, 1)

    low, high = np.zeros(len(rate)), np.ones(len(rate))
    for _ in range(50):
        middle = 0.5 * (low + high)
        too_few = 1.0 - (1.0 - background) * spared(middle) < rate
        low, high = np.where(too_few, middle, low), np.where(too_few, high, middle)
    escape = np.maximum(spared(high), 1.0 - rate)
    return high, np.maximum(background, 1.0 - (1.0 - rate) / escape)


def lose_values(values: Vector, random: np.random.Generator) -> Vector:
    """Put NaN where a sensor drops out, for some parts in a row."""
    begins = random.random(len(values)) < DROPOUT / DROPOUT_RUN
    running = np.cumsum(begins)
    lost = running - np.concatenate([np.zeros(DROPOUT_RUN), running])[: len(values)] > 0
    return np.where(lost, np.nan, values)


def chosen_stages(n_factors: int) -> dict[str, str]:
    """Return the stage of each of some factors: the planted ones first, then more of them."""
    needed = [name for state, trigger in PLANTED for name in (state.column, trigger.column)]
    further = [name for name in STAGES if name not in needed]
    kept = {*needed, *further[: n_factors - len(needed)]}
    chosen = {name: stage for name, stage in STAGES.items() if name in kept}
    places = list(dict.fromkeys(STAGES.values()))
    production = [place for place in places if not place.startswith("EOL")]
    for number in range(len(STAGES) + 1, n_factors + 1):
        chosen[f"sensor_{number}"] = production[number % len(production)]
    return dict(sorted(chosen.items(), key=lambda item: places.index(item[1])))
