"""Readers on a corpus of dirty plant tables: `readers_study.py --out FILE`.

Prints tables in Markdown: what each reader makes of text files, of workbooks and of tables that a
person could not read for sure either, then its cells and silent errors by defect. The tables are
made by tests/tables/dirty/corpus.py, the rules are those of tests/tables/dirty/scoring.py, and how
readers are called is said in readers.py. `--faults` lists what is wrong, table by table.
"""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[1]))

from readers import READERS, WORKBOOK, score_reader

from tests.tables.dirty.corpus import write_corpus
from tests.tables.dirty.defects import DEFECTS
from tests.tables.dirty.scoring import Score
from thresher.text_table import Cell, TextTable, Value

Scores = dict[str, list[Score]]
OUTCOMES = ("right", "told", "asked", "silent")
HEADINGS = (
    *("reader", "tables", *OUTCOMES, "cells right, %", "columns right, %"),
    *("rows lost", "rows extra", "wrong cells, silently"),
)
PACKAGES = ("pandas", "polars", "duckdb", "skrub", "openpyxl", "thresher")


def main(arguments: Sequence[str] | None = None) -> None:
    chosen = parse(arguments)
    with TemporaryDirectory() as folder:
        tables = write_corpus(Path(folder))
        scores = {name: score_reader(name, tables) for name in chosen.only}
    text = fault_list(scores) if chosen.faults else report(scores)
    print(text)
    if chosen.out:
        chosen.out.parent.mkdir(parents=True, exist_ok=True)
        chosen.out.write_text(text + "\n", encoding="utf-8")


def parse(arguments: Sequence[str] | None) -> Namespace:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", choices=READERS, default=READERS, metavar="READER")
    parser.add_argument("--out", type=Path, help="a file for the same text")
    parser.add_argument("--faults", action="store_true", help="what is wrong, table by table")
    return parser.parse_args(arguments)


def report(scores: Scores) -> str:
    """Return all tables of the study."""
    clear = _only(scores, lambda one: not one.table.is_ambiguous)
    versions = ", ".join(f"{name} {version(name)}" for name in PACKAGES if find_spec(name))
    parts = [
        totals("Text files", _only(clear, lambda one: one.table.path.suffix != WORKBOOK)),
        totals("Workbooks", _only(clear, lambda one: one.table.path.suffix == WORKBOOK)),
        totals("Ambiguous tables", _only(scores, lambda one: bool(one.table.is_ambiguous))),
        by_defect("Cells right by defect, %", clear, right_share),
        by_defect("Tables with a silent error by defect", clear, silent_tables),
    ]
    return "\n\n".join([*(part.as_markdown() for part in parts), f"Versions: {versions}."])


def _only(scores: Scores, is_wanted: Callable[[Score], bool]) -> Scores:
    kept = {name: [one for one in many if is_wanted(one)] for name, many in scores.items()}
    return {name: many for name, many in kept.items() if many}


def totals(title: str, scores: Scores) -> TextTable:
    """One line for each reader."""
    return TextTable(title, HEADINGS, [[name, *_line(many)] for name, many in scores.items()])


def _line(scores: list[Score]) -> list[Cell | Value]:
    outcomes = [one.outcome for one in scores]
    columns = sum(one.right_columns for one in scores) / sum(one.columns for one in scores)
    return [
        len(scores),
        *(outcomes.count(outcome) for outcome in OUTCOMES),
        right_share(scores),
        Cell(100 * columns, 1),
        sum(one.lost_rows for one in scores),
        sum(one.extra_rows for one in scores),
        sum(one.silent_cells for one in scores),
    ]


def right_share(scores: list[Score]) -> Cell:
    """The share of cells that are right, in percent."""
    return Cell(100 * sum(one.right_cells for one in scores) / sum(one.cells for one in scores), 1)


def silent_tables(scores: list[Score]) -> int:
    """How many tables have a silent error."""
    return sum(one.outcome == "silent" for one in scores)


def by_defect(
    title: str, scores: Scores, figure: Callable[[list[Score]], Cell | Value]
) -> TextTable:
    """One line for each defect; a table with two defects counts for both."""
    lines: list[list[Cell | Value]] = []
    for defect in ("none", *DEFECTS):
        has = _only(scores, lambda one, defect=defect: defect in (one.table.defects or ("none",)))
        if has:
            n_tables = max(map(len, has.values()))
            cells = [figure(has[name]) if name in has else None for name in scores]
            lines.append([defect.replace("_", " "), n_tables, *cells])
    return TextTable(title, ("defect", "tables", *scores), lines)


def fault_list(scores: Scores) -> str:
    """What is wrong, table by table."""
    return "\n".join(
        f"{name}: {one.table.name}: {one.outcome}: {one.raised or '; '.join(one.faults)}"
        for name, many in scores.items()
        for one in many
        if one.outcome != "right"
    )


if __name__ == "__main__":
    main()
