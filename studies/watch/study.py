"""What a watch promises and how soon it tells: `make study NAME=watch`."""

from argparse import ArgumentParser
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binomtest

from studies.page import markdown_table, new_figure, percent, save_figure, say, show
from thresher.judging.watch.e_process import log_e_values
from thresher.judging.watch.look import control_limits
from thresher.statistics import clopper_pearson, holm_adjusted

HERE = Path(__file__).parent
YEARS, DAYS, PARTS, RATE, ALPHA = 10_000, 365, 300, 0.01, 0.05
BLOCK = 500
"""Years that are worked on at a time, for memory."""
FOUND, FALSE = 0.7, 0.01
"""Share of scrap that alerts find, and of good parts that they stop."""
FACTORS = (1.5, 2.0, 3.0)
VARIATIONS = (0.0, 0.1, 0.2, 0.3, 0.5)
REFERENCES: dict[str, int | None] = {"known": None, "10,000 rows": 10_000, "1,000 rows": 1_000}
WATCHES = {"the rate alone": 1, "one of four questions": 4}
NEVER = DAYS + 1
"""The delay of a change that was not found."""

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]


class Level(NamedTuple):
    """What a question of a watch spends on its reference, and on the days again."""

    spent: float

    @classmethod
    def of(cls, watch: str) -> "Level":
        return cls(ALPHA / (2 * WATCHES[watch]))

    @property
    def log_line(self) -> float:
        return float(np.log(1.0 / self.spent))

    def limits(self, hits: Counts | None, rows: int | None) -> Floats:
        """Return the upper limits of references; the rate itself where it is known."""
        if hits is None or rows is None:
            return np.array(RATE)
        return clopper_pearson(hits, rows, 1.0 - 2.0 * self.spent)[1]

    def promised(self, rows: int | None) -> float:
        return self.spent * (1 if rows is None else 2)


# ------------------------------------------------------------------------------------ made years


def seeded(*names: Any) -> np.random.Generator:
    """Return random numbers that belong to a cell, and to a block of its years."""
    return np.random.default_rng(list(" ".join(map(str, names)).encode()))


def blocks(years: int) -> Iterator[tuple[int, int]]:
    for first in range(0, years, BLOCK):
        yield first, min(BLOCK, years - first)


def reference_hits(random: np.random.Generator, rows: int | None, years: int) -> Counts | None:
    return None if rows is None else random.binomial(rows, RATE, years)


def daily_rates(random: np.random.Generator, variation: float, shape: tuple[int, int]) -> Any:
    """Return the rate of each day; its coefficient of variation is given."""
    if variation == 0.0:
        return RATE
    precision = (1.0 - RATE) / (RATE * variation**2) - 1.0
    return random.beta(RATE * precision, (1.0 - RATE) * precision, shape)


class Changed(NamedTuple):
    """Years with a change: scrap of each day, and the first day (from 0) of the new rate."""

    scrap: Counts
    first: Counts


def changed_years(
    random: np.random.Generator, factor: float, years: int, at_start: bool
) -> Changed:
    first = np.zeros(years, dtype=np.int64) if at_start else random.integers(0, DAYS, years)
    days = np.arange(DAYS + (0 if at_start else DAYS))
    rates = np.where(days < first[:, None], RATE, factor * RATE)
    return Changed(random.binomial(PARTS, rates), first)


# --------------------------------------------------------------------------------------- detectors


def watch_alarms(scrap: Counts, limits: Floats, level: Level) -> NDArray[np.bool_]:
    """Return whether the evidence is at the line or above it, day by day."""
    rows = np.full(scrap.shape[-1], PARTS)
    return log_e_values(scrap, rows, limits) >= level.log_line


def chart_alarms(scrap: Counts, center: Any) -> NDArray[np.bool_]:
    """Return whether the day is out of the control limits around a rate, one for each year."""
    rates = np.broadcast_to(np.asarray(center, dtype=np.float64), scrap.shape[:1])
    limits = [control_limits(float(rate), np.array(PARTS)) for rate in rates]
    low, high = (np.array(ends)[:, np.newaxis] for ends in zip(*limits, strict=True))
    share = scrap / PARTS
    return (share > high) | (share < low)


def cusum(scrap: Counts, factor: float) -> Floats:
    """Return Page's statistic for a known rate that becomes `factor` times as large."""
    new = factor * RATE
    steps = scrap * np.log(new / RATE) + (PARTS - scrap) * np.log((1 - new) / (1 - RATE))
    total = np.cumsum(steps, axis=1)
    lowest = np.minimum(
        np.minimum.accumulate(np.c_[np.zeros(len(total)), total[:, :-1]], axis=1), 0
    )
    found: Floats = total - lowest
    return found


def cusum_threshold(factor: float, rate: float, years: int) -> float:
    """Return the threshold that this share of stable years reaches."""
    highest = [
        cusum(seeded("tuning", factor, first).binomial(PARTS, RATE, (n, DAYS)), factor).max(axis=1)
        for first, n in blocks(years)
    ]
    return float(np.quantile(np.concatenate(highest), 1.0 - rate, method="higher"))


# ------------------------------------------------------------------------------------ stable years


class FalseAlarms(NamedTuple):
    """Stable years of a cell, and those with an alarm; curves by day for the figure."""

    what: str
    reference: str
    variation: float
    promised: float | None
    alarms: int
    years: int
    by_day: Floats

    @property
    def share(self) -> float:
        return self.alarms / self.years

    @property
    def p_value(self) -> float:
        """Of the hypothesis that the promise holds."""
        if self.promised is None:
            return 1.0
        return float(binomtest(self.alarms, self.years, self.promised, "greater").pvalue)


def stable(reference: str, variation: float, years: int) -> Iterator[FalseAlarms]:
    """Yield the false alarms of both watches and of p-charts, on the same years."""
    rows = REFERENCES[reference]
    found: dict[str, list[NDArray[np.bool_]]] = {}
    for first, n in blocks(years):
        random = seeded("stable", reference, variation, first)
        hits = reference_hits(random, rows, n)
        scrap = random.binomial(PARTS, daily_rates(random, variation, (n, DAYS)), (n, DAYS))
        for watch in WATCHES:
            level = Level.of(watch)
            alarms = watch_alarms(scrap, level.limits(hits, rows), level)
            found.setdefault(watch, []).append(alarms)
        center = RATE if hits is None else hits / rows
        found.setdefault("p-chart", []).append(chart_alarms(scrap, center))
    for name, parts in found.items():
        ever = np.logical_or.accumulate(np.concatenate(parts), axis=1)
        promised = Level.of(name).promised(rows) if name in WATCHES else None
        alarms = int(ever[:, -1].sum())
        yield FalseAlarms(name, reference, variation, promised, alarms, years, ever.mean(axis=0))


def all_questions(rows: int, years: int) -> FalseAlarms:
    """Return the stable years in which any of the four questions has an alarm."""
    level, alarms = Level.of("one of four questions"), 0
    curves = []
    for first, n in blocks(years):
        random = seeded("all", rows, first)
        limits = question_limits(random, rows, n, level)
        scrap = random.binomial(PARTS, RATE, (n, DAYS))
        hits = random.binomial(scrap, FOUND)
        alerts = hits + random.binomial(PARTS - scrap, FALSE)
        parts = np.full((n, DAYS), PARTS)
        asked = {
            "rate": (scrap, parts),
            "misses": (scrap - hits, scrap),
            "alerts": (alerts, parts),
            "fewer alerts": (parts - alerts, parts),
        }
        is_over = [
            log_e_values(*counts, limits[name]) >= level.log_line for name, counts in asked.items()
        ]
        ever = np.logical_or.accumulate(np.any(is_over, axis=0), axis=1)
        alarms += int(ever[:, -1].sum())
        curves.append(ever)
    by_day = np.concatenate(curves).mean(axis=0)
    return FalseAlarms("any of four questions", f"{rows:,} rows", 0.0, ALPHA, alarms, years, by_day)


def question_limits(
    random: np.random.Generator, rows: int, years: int, level: Level
) -> dict[str, Floats]:
    """Return the limits of the four questions, from rows that train and judge."""
    scrap = random.binomial(rows, RATE, years)
    hits = random.binomial(scrap, FOUND)
    alerts = hits + random.binomial(rows - scrap, FALSE)
    confidence = 1.0 - 2.0 * level.spent
    lowest, highest = clopper_pearson(alerts, rows, confidence)
    return {
        "rate": clopper_pearson(scrap, rows, confidence)[1],
        "misses": clopper_pearson(scrap - hits, scrap, confidence)[1],
        "alerts": highest,
        "fewer alerts": 1.0 - lowest,
    }


# ------------------------------------------------------------------------------------------- delay


class Delay(NamedTuple):
    """How long a detector took: days of each year, NEVER included; years that it spoilt before."""

    what: str
    reference: str
    factor: float
    at_start: bool
    days: Counts
    before: int

    def quantile(self, share: float) -> int:
        return int(np.quantile(self.days, share, method="higher"))

    @property
    def found(self) -> float:
        return float((self.days < NEVER).mean())


def delay_of(alarms: NDArray[np.bool_], first: Counts) -> tuple[Counts, NDArray[np.bool_]]:
    """Return days with the new rate up to the alarm, and which years had one before."""
    at = np.where(alarms.any(axis=1), alarms.argmax(axis=1), alarms.shape[1])
    days = np.where(at < alarms.shape[1], at - first + 1, NEVER)
    return np.minimum(days, NEVER), at < first


def delays(factor: float, at_start: bool, thresholds: dict[str, float], years: int) -> list[Delay]:
    """Return the delays of watches and rivals, on the same years."""
    days: dict[tuple[str, str], list[Counts]] = {}
    before: dict[tuple[str, str], int] = {}
    for start, n in blocks(years):
        random = seeded("change", factor, at_start, start)
        scrap, first = changed_years(random, factor, n, at_start)
        hits = {name: reference_hits(random, rows, n) for name, rows in REFERENCES.items()}
        for name, alarms in _detected(scrap, hits, factor, thresholds):
            delay, is_before = delay_of(alarms, first)
            days.setdefault(name, []).append(delay[~is_before])
            before[name] = before.get(name, 0) + int(is_before.sum())
    return [
        Delay(*name, factor, at_start, np.concatenate(parts), before[name])
        for name, parts in days.items()
    ]


def _detected(
    scrap: Counts, hits: dict[str, Counts | None], factor: float, thresholds: dict[str, float]
) -> Iterator[tuple[tuple[str, str], NDArray[np.bool_]]]:
    for watch in WATCHES:
        level = Level.of(watch)
        for name, rows in REFERENCES.items():
            yield (watch, name), watch_alarms(scrap, level.limits(hits[name], rows), level)
    statistic = cusum(scrap, factor)
    for name, threshold in thresholds.items():
        yield (name, "known"), statistic >= threshold
    yield ("p-chart", "known"), chart_alarms(scrap, RATE)


# ------------------------------------------------------------------------------------- the tables


def stable_table(cells: list[FalseAlarms]) -> list[str]:
    p_values = holm_adjusted([one.p_value for one in cells])
    rows = [
        [
            *(one.what, one.reference, percent(one.promised), percent(one.share)),
            "-" if one.promised is None else f"{p:.2f}",
        ]
        for one, p in zip(cells, p_values, strict=True)
    ]
    columns = ("detector", "reference", "promised", "stable years with a false alarm")
    return markdown_table([*columns, "above the promise (p, Holm)"], rows)


def of_detectors(cells: Iterable[Any]) -> Iterator[tuple[tuple[str, str], list[Any]]]:
    """Yield the cells of each detector with each reference."""
    cells = list(cells)
    for key in dict.fromkeys((one.what, one.reference) for one in cells):
        yield key, [one for one in cells if (one.what, one.reference) == key]


def variation_table(cells: list[FalseAlarms]) -> list[str]:
    rows = [
        [*key, percent(row[0].promised), *(percent(one.share) for one in row)]
        for key, row in of_detectors(cells)
    ]
    columns = ("detector", "reference", "promised", *(f"{one:g}" for one in VARIATIONS))
    return markdown_table(columns, rows)


def delay_table(found: list[Delay], at_start: bool) -> list[str]:
    rows = []
    for key, row in of_detectors(one for one in found if one.at_start == at_start):
        rows.append([*key])
        for one in row:
            days = f"{_days(one.quantile(0.5))}, {_days(one.quantile(0.9))}"
            rows[-1] += [days, percent(one.found)]
    columns = ("detector", "reference", "x 1.5: median, 90 %", "found", "x 2", "found")
    return markdown_table([*columns, "x 3", "found"], rows)


def before_table(found: list[Delay]) -> list[str]:
    """Say how many years each detector spoilt before the change."""
    rows = [
        [*key, *(f"{one.before:,}" for one in row)]
        for key, row in of_detectors(one for one in found if not one.at_start)
    ]
    return markdown_table(("detector", "reference", "x 1.5", "x 2", "x 3"), rows)


def _days(days: int) -> str:
    return f"> {DAYS}" if days >= NEVER else str(days)


# ------------------------------------------------------------------------------------- the figure


def draw(stable_cells: list[FalseAlarms], found: list[Delay], target: Path) -> None:
    """Draw false alarms along a stable year, and how soon a doubled rate is found."""
    figure, (left, right) = new_figure(9.2, 3.4, columns=2)
    lines = {
        ("the rate alone", "10,000 rows"): ("#0072b2", "-", "watch, rate from 10,000 rows"),
        ("the rate alone", "known"): ("#56b4e9", "--", "watch, rate known"),
        ("p-chart", "known"): ("#cc3311", "-", "p-chart"),
    }
    for one in stable_cells:
        if (one.what, one.reference) in lines and one.variation == 0.0:
            color, dash, name = lines[one.what, one.reference]
            left.plot(np.arange(1, DAYS + 1), 100 * one.by_day, dash, color=color, label=name)
    left.axhline(100 * ALPHA, color="#888888", linestyle=":", label="alpha")
    left.set_xlabel("day of a stable year")
    left.set_ylabel("years with a false alarm, %")
    lines |= {
        ("CUSUM, as many false alarms", "known"): ("#009e73", "-.", "CUSUM that knows both rates"),
    }
    for one in found:
        if (one.what, one.reference) in lines and (one.factor, one.at_start) == (2.0, False):
            color, dash, name = lines[one.what, one.reference]
            share = [float((one.days <= day).mean()) for day in range(41)]
            right.plot(range(41), np.multiply(100.0, share), dash, color=color, label=name)
    right.set_xlabel("days since the rate doubled")
    right.set_ylabel("changes found, %")
    for ax in (left, right):
        ax.grid(True, color="#dddddd", linewidth=0.6)
        ax.set_ylim(0, 102)
        ax.legend(edgecolor="none", fontsize="small")
    save_figure(figure, target)


# --------------------------------------------------------------------------------- the programme


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--years", type=int, default=YEARS, help="fewer fill no page")
    years = parser.parse_args().years
    cells: list[FalseAlarms] = []
    for reference in REFERENCES:
        cells += stable(reference, 0.0, years)
        say(f"stable years, {reference}")
    cells += [all_questions(rows, years) for rows in (10_000, 1_000)]
    varied = [
        one
        for reference in ("known", "10,000 rows")
        for variation in VARIATIONS
        for one in stable(reference, variation, years)
    ]
    varied.sort(
        key=lambda one: ([*WATCHES, "p-chart"].index(one.what), one.reference, one.variation)
    )
    say("day-to-day variation")
    alike = next(one for one in cells if one[:2] == ("the rate alone", "known"))
    found: list[Delay] = []
    for factor in FACTORS:
        rates = {
            "CUSUM, as many false alarms": max(alike.share, 1.0 / years),
            f"CUSUM, {percent(alike.promised)} a year": alike.promised or ALPHA,
        }
        thresholds = {name: cusum_threshold(factor, rate, years) for name, rate in rates.items()}
        for at_start in (False, True):
            found += delays(factor, at_start, thresholds, years)
        say(f"x {factor:g}")
    parts = {
        "stable": stable_table(cells),
        "variation": variation_table(varied),
        "delay": delay_table(found, at_start=False),
        "start": delay_table(found, at_start=True),
        "before": before_table(found),
    }
    show(parts, HERE / "README.md" if years == YEARS else None)
    if years == YEARS:
        draw(cells, found, HERE / "watch.svg")


if __name__ == "__main__":
    main()
