"""How often `thresher predict` warns of columns that have changed: `make drift-study`.

The plan, written down before the first run on these tables:

- Tables: every data set that is at hand (the paper's, manufacturing, and whatever else is below the
  folder THRESHER_DATA), each content once; indicator columns of one text become that text again.
- Splits: random, so that new and training rows come from one source. New rows: 1, 5, 50, 200 and
  1,000. Training rows: all others, of which there must be 200 or more; and exactly 200.
- Undrifted (20 splits): the share of columns with a message, in tables of their own number of
  columns, and as if each column were a table of its own, where the level is highest. Aim: at most
  1 % in each cell of the table.
- Drifted (3 splits; 50, 200 and 1,000 new rows; training: all others): one column at a time x 10,
  x 100, x 1000, x 25.4, plus 2 standard deviations, the second half of the rows stuck at the last
  value before it, a new level in every tenth row of a text. The level is that of the whole table.
  Found: any message about the column. Aim: 95 % or more for each drift at 1,000 rows. How often the
  message names the right unit is told as well; no aim.
- Left out: drifts that change fewer than 15 % of the rows of a number. Ten times zero is zero, a
  constant has no standard deviation, and a sensor stuck at a value that 70 % of the rows have
  anyway changes at most 15 % of them. The figures with these columns are told beside.
- Means are over columns; since two tables have most of the columns, also over tables.
- The curve: found at 0 to 2 standard deviations, same splits.
- In the order of time (SECOM, AI4I): first half of the rows as training, the second as new ones.
  Nothing is known of the truth here; it is what a plant would see.
"""

import csv
import sys
from argparse import ArgumentParser, Namespace
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from drift_trials import (
    NUMBER_DRIFTS,
    TEXT_DRIFTS,
    RealTable,
    Split,
    changed_share,
    drifted,
    real_tables,
    shifted,
)
from filled_page import fill

from thresher.texts import Texts

FALSE_SPLITS, DRIFT_SPLITS = 20, 3
FALSE_SIZES, DRIFT_SIZES = (1, 5, 50, 200, 1000), (50, 200, 1000)
LEAST_TRAINING = 200
LEAST_CHANGED = 0.15
SHIFTS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0, 1.25, 1.5, 2.0)
IN_TIME = ("secom", "ai4i2020")
FACTORS = {"x 10": 10.0, "x 100": 100.0, "x 1000": 1000.0, "x 25.4": 25.4}


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
    factor: float

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
    kind, factor = ("", 0.0) if said is None else (said.kind, said.figures.get("factor", 0.0))
    of = "the others" if training is None else f"{training}"
    return Outcome(part, drift, size, of, table.name, column.name, seed, changed, kind, factor)


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


def percent(share: float) -> str:
    return "-" if np.isnan(share) else f"{100 * share:.2f} %"


def false_table(outcomes: list[Outcome]) -> list[str]:
    lines = [
        "| new rows | training rows | trials | columns with a message | mean over tables | "
        "tables with a message | each column a table of its own |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for size in FALSE_SIZES:
        for training in ("the others", str(LEAST_TRAINING)):
            cell = [one for one in outcomes if (one.size, one.training) == (size, training)]
            whole = mean_found(one for one in cell if one.part == "table")
            alone = mean_found(one for one in cell if one.part == "alone")
            lines.append(
                f"| {size:,} | {training} | {whole[2]:,} | {percent(whole[0])} | "
                f"{percent(whole[1])} | {percent(any_found(cell))} | {percent(alone[0])} |"
            )
    return lines


def drift_table(outcomes: list[Outcome]) -> list[str]:
    lines = [
        "| drift | columns | found at 50 rows | at 200 | at 1,000 | at 1,000, mean over tables | "
        "at 1,000, none left out | unit named at 1,000 |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for name in (*NUMBER_DRIFTS, *TEXT_DRIFTS):
        of_drift = [one for one in outcomes if (one.part, one.drift) == ("drift", name)]
        kept = [one for one in of_drift if one.changed >= LEAST_CHANGED or name in TEXT_DRIFTS]
        large = [one for one in kept if one.size == max(DRIFT_SIZES)]
        columns = len({(one.table, one.column) for one in large})
        found = [mean_found(one for one in kept if one.size == size)[0] for size in DRIFT_SIZES]
        whole = mean_found(one for one in of_drift if one.size == max(DRIFT_SIZES))
        right = [np.isclose(one.factor, FACTORS[name]) for one in large] if name in FACTORS else []
        named = percent(float(np.mean(right))) if right else "-"
        cells = [*map(percent, found), percent(mean_found(large)[1]), percent(whole[0]), named]
        lines.append(f"| {name} | {columns:,} | {' | '.join(cells)} |")
    return lines


def time_lines(outcomes: list[Outcome]) -> list[str]:
    lines = [
        "| table | new rows | columns | with a message | kinds |",
        "| --- | --- | --- | --- | --- |",
    ]
    for name in IN_TIME:
        found = [one for one in outcomes if (one.part, one.table) == ("time", name)]
        if found:
            kinds: dict[str, int] = defaultdict(int)
            for one in found:
                kinds[one.kind] += one.is_found
            told = ", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items()) if count)
            lines.append(
                f"| {name} | {found[0].size:,} | {len(found)} | {sum(kinds.values())} | {told} |"
            )
    return lines


def draw(outcomes: list[Outcome], target: Path) -> None:
    """Draw the share found along the shift, a line for each number of new rows."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    # Without a date and with fixed ids the file changes only if the figure does.
    mpl.rcParams["svg.hashsalt"] = "thresher"
    figure, ax = pyplot.subplots(figsize=(6.4, 3.2), layout="constrained")
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
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    figure.savefig(target, metadata={"Date": None})


# --------------------------------------------------------------------------------- the programme


def main() -> None:
    options = _options()
    outcomes: list[Outcome] = []
    for table in real_tables(options.datasets):
        if fits(table, min(FALSE_SIZES)):
            _say(f"{table.name}: {len(table):,} rows, {len(table.columns)} columns")
            outcomes += undrifted(table, options.false_splits)
            outcomes += with_drift(table, options.drift_splits)
            outcomes += curve(table, 1)
            outcomes += in_time(table)
    options.out.mkdir(parents=True, exist_ok=True)
    with (options.out / "drift_study.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(Outcome._fields)
        writer.writerows(one for one in outcomes if one.part != "curve")
    parts = {
        "undrifted": false_table(outcomes),
        "drifted": drift_table(outcomes),
        "time": time_lines(outcomes),
    }
    for name, lines in parts.items():
        print("\n".join([f"{name}:", *lines, ""]))
    if options.page is not None:
        fill(options.page, parts)
        draw(outcomes, options.page.parent / "images" / "drift.svg")


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _options() -> Namespace:
    parser = ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("--datasets", nargs="+", metavar="NAME", help="some of them [all]")
    parser.add_argument("--false-splits", type=int, default=FALSE_SPLITS)
    parser.add_argument("--drift-splits", type=int, default=DRIFT_SPLITS)
    parser.add_argument("--out", type=Path, default=Path("build"), help="folder of the CSV file")
    parser.add_argument("--page", type=Path, help="page to fill, with its figure")
    return parser.parse_args()


if __name__ == "__main__":
    main()
