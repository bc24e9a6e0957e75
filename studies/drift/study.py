"""How often `thresher predict` warns of columns that have changed: `make study NAME=drift`."""

from argparse import ArgumentParser
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from studies.drift.trials import (
    NUMBER_DRIFTS,
    TEXT_DRIFTS,
    RealTable,
    Split,
    changed_share,
    drifted,
    real_tables,
    shifted,
)
from studies.page import markdown_table, new_figure, percent, save_figure, say, show
from thresher.column import Texts

HERE = Path(__file__).parent
FALSE_SPLITS, DRIFT_SPLITS = 20, 3
FALSE_SIZES, DRIFT_SIZES = (1, 5, 50, 200, 1000), (50, 200, 1000)
LEAST_TRAINING = 200
LEAST_CHANGED = 0.15
SHIFTS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0, 1.25, 1.5, 2.0)
IN_TIME = ("secom", "ai4i2020")


class Outcome(NamedTuple):
    """What was said of one column in one split."""

    part: str
    drift: str
    size: int
    training: str
    table: str
    column: str
    seed: int
    changed: float
    kind: str

    @property
    def is_found(self) -> bool:
        return bool(self.kind)


def fits(table: RealTable, size: int) -> bool:
    return len(table) >= size + LEAST_TRAINING


def undrifted(table: RealTable, splits: int) -> Iterator[Outcome]:
    for size in (size for size in FALSE_SIZES if fits(table, size)):
        for training in (None, LEAST_TRAINING):
            for seed in range(splits):
                for column in Split.of(table, size, training, seed).columns():
                    for part, columns in (("table", len(table.columns)), ("alone", 1)):
                        said = column.drift(column.new, columns)
                        yield outcome(part, "none", size, training, table, column, seed, 0.0, said)


def with_drift(table: RealTable, splits: int) -> Iterator[Outcome]:
    for size in (size for size in DRIFT_SIZES if fits(table, size)):
        for seed in range(splits):
            for column in Split.of(table, size, None, 100 + seed).columns():
                for name, new in drifted(column.new).items():
                    said = column.drift(new, len(table.columns))
                    changed = changed_share(column.new, new)
                    yield outcome("drift", name, size, None, table, column, seed, changed, said)


def curve(table: RealTable, splits: int) -> Iterator[Outcome]:
    for size in (size for size in DRIFT_SIZES if fits(table, size)):
        for seed in range(splits):
            for column in Split.of(table, size, None, 100 + seed).columns():
                if isinstance(column.new, Texts):
                    continue
                for shift in SHIFTS:
                    said = column.drift(shifted(shift)(column.new), len(table.columns))
                    name = f"{shift:g}"
                    changed = changed_share(column.new, shifted(1.0)(column.new))
                    yield outcome("curve", name, size, None, table, column, seed, changed, said)


def in_time(table: RealTable) -> Iterator[Outcome]:
    if table.name not in IN_TIME:
        return
    rows = np.arange(len(table))
    half = len(rows) // 2
    for column in Split(table, rows[:half], rows[half:]).columns():
        said = column.drift(column.new, len(table.columns))
        yield outcome("time", "later", len(rows) - half, None, table, column, 0, 0.0, said)


def outcome(
    part: str,
    drift: str,
    size: int,
    training: int | None,
    table: RealTable,
    column: Any,
    seed: int,
    changed: float,
    said: Any,
) -> Outcome:
    kind = "" if said is None else said.kind
    of = "the others" if training is None else f"{training}"
    return Outcome(part, drift, size, of, table.name, column.name, seed, changed, kind)


# ------------------------------------------------------------------------------------ the tables


def mean_found(outcomes: Iterable[Outcome]) -> tuple[float, float, int]:
    """Return the share of columns found, its mean over tables, and the number of trials."""
    by_table: dict[str, list[bool]] = defaultdict(list)
    for one in outcomes:
        by_table[one.table].append(one.is_found)
    every = [found for of_table in by_table.values() for found in of_table]
    if not every:
        return np.nan, np.nan, 0
    over_tables = float(np.mean([np.mean(of_table) for of_table in by_table.values()]))
    return float(np.mean(every)), over_tables, len(every)


def any_found(outcomes: Iterable[Outcome]) -> float:
    """Return the share of new tables with a message about any of their columns."""
    by_split: dict[tuple[str, int], bool] = defaultdict(bool)
    for one in outcomes:
        if one.part == "table":
            by_split[one.table, one.seed] |= one.is_found
    return float(np.mean([*by_split.values()])) if by_split else np.nan


def false_table(outcomes: list[Outcome]) -> list[str]:
    rows = []
    for size in FALSE_SIZES:
        for training in ("the others", str(LEAST_TRAINING)):
            cell = [one for one in outcomes if (one.size, one.training) == (size, training)]
            whole = mean_found(one for one in cell if one.part == "table")
            alone = mean_found(one for one in cell if one.part == "alone")
            shares = (*whole[:2], any_found(cell), alone[0])
            rows.append([f"{size:,}", training, f"{whole[2]:,}", *map(percent, shares)])
    columns = ("new rows", "training rows", "trials", "columns with a message", "mean over tables")
    columns += ("tables with a message", "each column a table of its own")
    return markdown_table(columns, rows)


def drift_table(outcomes: list[Outcome]) -> list[str]:
    rows = []
    for name in (*NUMBER_DRIFTS, *TEXT_DRIFTS):
        of_drift = [one for one in outcomes if (one.part, one.drift) == ("drift", name)]
        kept = [one for one in of_drift if one.changed >= LEAST_CHANGED or name in TEXT_DRIFTS]
        large = [one for one in kept if one.size == max(DRIFT_SIZES)]
        columns = len({(one.table, one.column) for one in large})
        found = [mean_found(one for one in kept if one.size == size)[0] for size in DRIFT_SIZES]
        whole = mean_found(one for one in of_drift if one.size == max(DRIFT_SIZES))
        shares = (*found, mean_found(large)[1], whole[0])
        rows.append([name, f"{columns:,}", *map(percent, shares)])
    heads = ("drift", "columns", "found at 50 rows", "at 200", "at 1,000")
    return markdown_table([*heads, "at 1,000, mean over tables", "at 1,000, none left out"], rows)


def time_table(outcomes: list[Outcome]) -> list[str]:
    rows = []
    for name in IN_TIME:
        found = [one for one in outcomes if (one.part, one.table) == ("time", name)]
        if found:
            kinds: dict[str, int] = defaultdict(int)
            for one in found:
                kinds[one.kind] += one.is_found
            told = ", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items()) if count)
            rows.append([name, f"{found[0].size:,}", len(found), sum(kinds.values()), told])
    return markdown_table(("table", "new rows", "columns", "with a message", "kinds"), rows)


def draw(outcomes: list[Outcome], target: Path) -> None:
    """Draw the share found along the shift, a line for each number of new rows."""
    figure, (ax,) = new_figure(6.4, 3.2)
    for size, color in zip(DRIFT_SIZES, ("#cc79a7", "#d55e00", "#009e73"), strict=True):
        shares = [
            mean_found(
                one
                for one in outcomes
                if (one.part, one.drift, one.size) == ("curve", f"{shift:g}", size)
                and one.changed >= LEAST_CHANGED
            )[0]
            for shift in SHIFTS
        ]
        ax.plot(SHIFTS, np.multiply(shares, 100.0), color=color, label=f"{size:,} new rows")
    ax.set_xlabel("shift of a column, standard deviations")
    ax.set_ylabel("columns with a message, %")
    ax.grid(True, color="#dddddd", linewidth=0.6)
    ax.legend(loc="lower right", edgecolor="none")
    save_figure(figure, target)


# --------------------------------------------------------------------------------- the programme


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--datasets", nargs="+", metavar="NAME", help="some of them fill no page")
    parser.add_argument("--splits", type=int, nargs=2, default=(FALSE_SPLITS, DRIFT_SPLITS))
    options = parser.parse_args()
    outcomes: list[Outcome] = []
    for table in real_tables(options.datasets):
        if fits(table, min(FALSE_SIZES)):
            say(f"{table.name}: {len(table):,} rows, {len(table.columns)} columns")
            outcomes += undrifted(table, options.splits[0])
            outcomes += with_drift(table, options.splits[1])
            outcomes += curve(table, 1)
            outcomes += in_time(table)
    parts = {
        "undrifted": false_table(outcomes),
        "drifted": drift_table(outcomes),
        "time": time_table(outcomes),
    }
    show(parts, None if options.datasets else HERE / "README.md")
    if not options.datasets:
        draw(outcomes, HERE / "drift.svg")


if __name__ == "__main__":
    main()
