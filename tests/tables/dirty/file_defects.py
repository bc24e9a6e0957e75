"""Defects of text files: what stands around the table, its names, its delimiters and bytes."""

from tests.tables.dirty.draft import Draft, DraftColumn


def preamble(draft: Draft) -> None:
    """An export of a manufacturing execution system says what it is before the header."""
    draft.above = [
        ["MES export, line 4"],
        ["created: 2025-01-07 06:00"],
        ["user: QA-12"],
        [f"rows: {len(draft)}"],
        [],
    ]


def long_preamble(draft: Draft) -> None:
    """A preamble of keys and values in cells of their own, with a blank line in its midst."""
    draft.above = [
        ["Prüfbericht Halle 7"],
        [],
        ["Linie", "4"],
        ["Auftrag", "4500012345"],
        ["Zeitraum", "2024-11-03", "2025-01-07"],
        ["Sollwert", "12.5", "Nm"],
        [],
    ]


def units_line(draft: Draft) -> None:
    """The line below the header holds units."""
    draft.has_units = True


def footer(draft: Draft) -> None:
    """Below the rows stand blank lines, a total and the end of the report."""
    total = [""] * len(draft.columns)
    total[0] = "Total"
    place = draft.columns.index(draft.numbers[1])
    total[place] = str(round(sum(value or 0.0 for value in draft.numbers[1].values), 1))
    draft.below = [[], total, [], ["End of report"]]


def no_header(draft: Draft) -> None:
    """The first line is a row."""
    draft.has_header = False
    for column in draft.columns:
        column.expected_name = None


def byte_order_mark(draft: Draft) -> None:
    """The file starts with the mark of UTF-8."""
    draft.encoding = "utf-8-sig"


def utf_16(draft: Draft) -> None:
    """The file is UTF-16 with its mark, as Windows calls Unicode."""
    draft.encoding = "utf-16"


def latin_1(draft: Draft) -> None:
    """The file is Latin-1."""
    draft.encoding = "latin-1"


def semicolons(draft: Draft) -> None:
    """Semicolons separate cells."""
    draft.delimiter = ";"


def tabs(draft: Draft) -> None:
    """Tabs separate cells."""
    draft.delimiter = "\t"


def pipes(draft: Draft) -> None:
    """Pipes separate cells."""
    draft.delimiter = "|"


def everything_quoted(draft: Draft) -> None:
    """Every cell is in quotes."""
    draft.quotes_all = True


def crlf(draft: Draft) -> None:
    """Lines end as on Windows."""
    draft.line_end = "\r\n"


def gzip_packed(draft: Draft) -> None:
    """The file is packed."""
    draft.is_packed = True


def trailing_delimiters(draft: Draft) -> None:
    """Every line ends with a delimiter."""
    draft.extra_delimiter = "all"
    draft.columns.append(_empty_column(draft, ""))


def trailing_delimiters_of_rows(draft: Draft) -> None:
    """Every line but the header ends with a delimiter."""
    draft.extra_delimiter = "rows"
    draft.columns.append(_empty_column(draft, ""))


def duplicate_names(draft: Draft) -> None:
    """Two columns of numbers have one name."""
    first, second = draft.random.sample(draft.numbers, 2)
    second.name = first.name
    first.expected_name = second.expected_name = None


def empty_names(draft: Draft) -> None:
    """A column of numbers and the id have no name."""
    for column in (draft.first("id"), draft.random.choice(draft.numbers)):
        column.name, column.expected_name = "", None


def empty_columns(draft: Draft) -> None:
    """One column with a name and one without hold nothing."""
    draft.columns.insert(6, _empty_column(draft, "Reserve 1"))
    draft.columns.insert(3, _empty_column(draft, ""))


def _empty_column(draft: Draft, name: str) -> DraftColumn:
    values: list[str | None] = [None] * len(draft)
    return DraftColumn(name, "constant", values, expected_name=name or None, is_optional=True)
