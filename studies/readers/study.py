"""Readers on a corpus of dirty plant tables: `make study NAME=readers`.

Prints tables in Markdown: what each reader makes of text files, of workbooks and of tables that a
person could not read for sure either, then its cells and silent errors by defect. The tables are
made by tests/tables/dirty/corpus.py, the rules are those of tests/tables/dirty/scoring.py, and
readers are called as most people call them: with a path, and their defaults. `--faults` lists what
is wrong, table by table.

- polars looks at all rows for its types (`infer_schema_length=None`), since its default gives up on
  many files; workbooks are read by openpyxl, which needs no further package.
- DuckDB reads workbooks with an extension that it downloads, so it reads text files only here.
- pandas is there with its default, the comma, and with `sep=None`, which looks for the delimiter.
- skrub cleans what pandas has read (the comma). With `parse_numbers` it gives 32-bit floats; their
  shortest decimal text is taken, so that they may be right.
"""

import warnings
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.tables.dirty.corpus import DirtyTable, write_corpus
from tests.tables.dirty.defects import DEFECTS
from tests.tables.dirty.reading import Reading, warned
from tests.tables.dirty.scoring import Score, score_failure, score_reading, score_thresher
from thresher.text_table import Cell, TextTable, Value

WORKBOOK = ".xlsx"


def read_pandas(path: Path, **options: Any) -> Any:
    import pandas as pd

    return pd.read_excel(path) if path.suffix == WORKBOOK else pd.read_csv(path, **options)


def pandas_default(path: Path) -> Reading:
    return of_pandas(read_pandas(path))


def pandas_sniffing(path: Path) -> Reading:
    return of_pandas(read_pandas(path, sep=None, engine="python"))


def skrub_default(path: Path) -> Reading:
    from skrub import Cleaner

    return of_pandas(Cleaner().fit_transform(read_pandas(path)))


def skrub_numbers(path: Path) -> Reading:
    from skrub import Cleaner

    return of_pandas(Cleaner(parse_numbers=True).fit_transform(read_pandas(path)))


def polars_default(path: Path) -> Reading:
    import polars as pl

    if path.suffix == WORKBOOK:
        frame = pl.read_excel(path, engine="openpyxl", infer_schema_length=None)
    else:
        frame = pl.read_csv(path, infer_schema_length=None)
    return Reading(frame.columns, [column.to_list() for column in frame])


def duckdb_sniffer(path: Path) -> Reading:
    import duckdb

    with duckdb.connect() as connection:
        relation = connection.sql("SELECT * FROM read_csv($path)", params={"path": str(path)})
        table = relation.to_arrow_table()
    return Reading(table.column_names, [column.to_pylist() for column in table.columns])


def of_pandas(frame: Any) -> Reading:
    """Take the columns of a data frame; its index is none of them."""
    columns = [_values(frame.iloc[:, place]) for place in range(frame.shape[1])]
    return Reading([str(name) for name in frame.columns], columns)


def _values(column: Any) -> list[Any]:
    if str(column.dtype).lower() == "float32":
        return [None if value != value else float(str(value)) for value in column.to_numpy()]
    return column.tolist()


def score_rival(read: Callable[[Path], Reading], table: DirtyTable) -> Score:
    """Score what a rival reads; whatever it raises is an error that it tells."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            reading = read(table.path)
        except Exception as error:
            return score_failure(table, error)
    return score_reading(table, replace(reading, warnings=warned(caught)))


RIVALS: dict[str, Callable[[Path], Reading]] = {
    "pandas": pandas_default,
    "pandas, sep=None": pandas_sniffing,
    "polars": polars_default,
    "DuckDB": duckdb_sniffer,
    "skrub": skrub_default,
    "skrub, parse_numbers": skrub_numbers,
}
OURS = "thresher"
READERS = (*RIVALS, OURS)


def score_reader(name: str, tables: list[DirtyTable]) -> list[Score]:
    """Score a reader on the tables that it is meant for."""
    if name == OURS:
        return [score_thresher(table) for table in tables]
    meant = [table for table in tables if name != "DuckDB" or table.path.suffix != WORKBOOK]
    return [score_rival(RIVALS[name], table) for table in meant]


# ------------------------------------------------------------------------------------- the report

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
