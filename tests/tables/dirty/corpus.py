"""The corpus: clean tables with defects, alone and in pairs, written to a folder.

Nothing here was chosen by what a reader can or cannot do: each table has defects that occur in
exports of plants, and says what a person would take from it.
"""

from dataclasses import dataclass
from pathlib import Path

from tests.tables.dirty.clean import clean_tables
from tests.tables.dirty.defects import DEFECTS
from tests.tables.dirty.draft import Draft, DraftColumn
from tests.tables.dirty.text_file import file_ending, records, text_bytes
from tests.tables.dirty.workbook_file import workbook_bytes

PLAIN = ("pump_line", "inspection", "glass_melts", "motor_bench", "press_shop")
"""Tables that are written without any defect: a reader must not harm them."""

ALONE = {
    "pump_line": (
        *("typo_cells", "thousands_commas", "units_in_cells", "sentinel_minus_9999"),
        *("date_month_first", "preamble", "trailing_delimiters_of_rows", "empty_names"),
        *("mixed_booleans", "workbook", "formulas", "hidden_sheet", "sentinel_excel_error"),
    ),
    "inspection": (
        *("thousands_dots", "date_german", "latin_1", "labels_in_german", "decimal_commas"),
        *("duplicate_names", "sentinel_not_available", "mixed_notation", "merged_header"),
        *("text_dates", "everything_quoted", "long_preamble", "thousands_alone"),
    ),
    "glass_melts": (
        *("percent_cells", "units_line", "date_compact", "empty_columns", "sentinel_null"),
        *("tabs", "no_header", "labels_0_1", "title_row", "notes_sheet", "gzip_packed"),
        *("sentinel_in_range", "date_iso_with_zone"),
    ),
    "motor_bench": (
        *("thousands_narrow_spaces", "utf_16", "semicolons", "sentinel_dashes", "footer"),
        *("decimal_commas_in_quotes", "date_day_first", "numbers_as_text", "cover_sheet"),
        *("quoted_newlines", "byte_order_mark", "date_excel_serial", "plus_signs"),
        "leading_zeros",
    ),
    "press_shop": (
        *("thousands_apostrophes", "pipes", "spaces_around_cells", "date_with_month_name"),
        *("date_with_slashes", "crlf", "labels_pass_fail", "empty_rows", "sentinel_999_9"),
        *("trailing_delimiters", "units_without_space", "shifted_corner", "thousands_spaces"),
        "date_day_or_month",
    ),
}
"""Each defect alone, in the table where it is most likely met."""

TOGETHER = {
    "pump_line": (
        ("thousands_commas", "units_in_cells"),
        ("preamble", "footer"),
        ("typo_cells", "sentinel_minus_9999"),
        ("no_header", "typo_cells"),
        ("date_month_first", "labels_pass_fail"),
        ("title_row", "typo_cells"),
    ),
    "inspection": (
        ("decimal_commas", "latin_1"),
        ("decimal_commas", "typo_cells"),
        ("thousands_dots", "preamble"),
        ("thousands_dots", "date_german", "labels_in_german"),
        ("decimal_commas", "utf_16", "crlf"),
        ("merged_header", "title_row"),
        ("decimal_commas", "units_line"),
    ),
    "glass_melts": (
        ("units_line", "empty_columns"),
        ("percent_cells", "sentinel_dashes"),
        ("tabs", "decimal_commas_in_quotes"),
        ("no_header", "gzip_packed"),
        ("duplicate_names", "units_in_cells"),
        ("sentinel_excel_error", "notes_sheet"),
    ),
    "motor_bench": (
        ("decimal_commas", "trailing_delimiters"),
        ("decimal_commas", "no_header"),
        ("decimal_commas", "date_german", "sentinel_not_available"),
        ("thousands_dots", "units_in_cells"),
        ("decimal_commas", "footer", "byte_order_mark"),
        ("decimal_commas", "numbers_as_text"),
        ("decimal_commas", "quoted_newlines", "long_preamble"),
    ),
    "press_shop": (
        ("pipes", "spaces_around_cells"),
        ("empty_rows", "footer"),
        ("plus_signs", "units_without_space"),
        ("mixed_booleans", "labels_pass_fail"),
        ("hidden_sheet", "shifted_corner"),
        ("tabs", "preamble", "sentinel_null"),
    ),
}
"""Defects that come together."""


@dataclass(frozen=True)
class ExpectedColumn:
    """What a reader should get.

    Attributes
    ----------
    name : None where the file leaves it open; compare by position.
    meaning : one of `clean.MEANINGS`.
    values : floats (a number) or texts; None is missing. A date is written 2024-12-31T08:00:00.
    written : the cells of the file, "" where nothing is written; a date or a truth that is kept as
        it is written is right as well.
    is_percent : whether a hundredth of each value is right as well.
    is_optional : whether it is empty and may be left out.
    """

    name: str | None
    meaning: str
    values: tuple[float | None, ...] | tuple[str | None, ...]
    written: tuple[str, ...]
    is_percent: bool = False
    is_optional: bool = False

    @property
    def is_number(self) -> bool:
        """Whether the values are floats."""
        return any(isinstance(value, float) for value in self.values)

    @classmethod
    def of(cls, column: DraftColumn) -> "ExpectedColumn":
        """Take a column of a finished draft."""
        return cls(
            column.expected_name,
            column.meaning,
            tuple(column.values),
            tuple(text.strip() for text in column.written()),
            column.is_percent,
            column.is_optional,
        )


@dataclass(frozen=True)
class Layout:
    """How a text file is written; `records` counts its lines, quoted newlines apart."""

    delimiter: str
    encoding: str
    records: int


@dataclass(frozen=True)
class DirtyTable:
    """A file and what a reader should get from it.

    Attributes
    ----------
    columns : in the order of the file.
    target : the name of the label's column, which is `columns[target_place]` also where the file
        has no names.
    layout : None for a workbook.
    is_ambiguous : why a person could not tell either; "" if they can.
    """

    name: str
    path: Path
    defects: tuple[str, ...]
    columns: tuple[ExpectedColumn, ...]
    target: str
    layout: Layout | None
    is_ambiguous: str

    @property
    def target_place(self) -> int:
        """Where the label is."""
        return next(n for n, column in enumerate(self.columns) if column.meaning == "label")

    def __len__(self) -> int:
        return len(self.columns[0].values)


def recipes() -> list[tuple[str, tuple[str, ...]]]:
    """Return every table of the corpus: the clean one, and its defects in turn."""
    alone = [(table, (defect,)) for table, defects in ALONE.items() for defect in defects]
    together = [(table, defects) for table, many in TOGETHER.items() for defects in many]
    return [*((table, ()) for table in PLAIN), *alone, *together]


def make_draft(table: str, defects: tuple[str, ...]) -> Draft:
    """Put the defects into a clean table."""
    draft = Draft.of(clean_tables()[table], "-".join([table, *(defects or ["plain"])]))
    for defect in defects:
        DEFECTS[defect](draft)
    return draft


def write_corpus(folder: Path) -> list[DirtyTable]:
    """Write every table into a folder, and return what a reader should get."""
    return [_written(folder, table, defects) for table, defects in recipes()]


def _written(folder: Path, table: str, defects: tuple[str, ...]) -> DirtyTable:
    draft = make_draft(table, defects)
    ending = ".xlsx" if draft.is_workbook else file_ending(draft)
    path = folder / f"{draft.name}{ending}"
    path.write_bytes(workbook_bytes(draft) if draft.is_workbook else text_bytes(draft))
    return DirtyTable(
        draft.name,
        path,
        defects,
        tuple(map(ExpectedColumn.of, draft.columns)),
        draft.target,
        None if draft.is_workbook else Layout(draft.delimiter, draft.encoding, len(records(draft))),
        draft.why_ambiguous,
    )
