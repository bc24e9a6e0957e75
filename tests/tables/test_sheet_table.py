"""What stands above the rows of a sheet is told as it is of a CSV file."""

from thresher.tables.excel import Sheet
from thresher.tables.sheet_table import sheet_table

ROWS = [[float(place), 2.0 * place, "ok" if place % 3 else "scrap"] for place in range(9)]


def notes_of(*first):
    return sheet_table(Sheet("Parts", [*first, *ROWS], 1), "'a.xlsx'", []).notes


def test_a_line_of_units_is_told():
    assert notes_of(["speed", "force", "state"], ["m/s", "kN", None]) == (
        "The line below the header holds units.",
    )


def test_what_is_above_the_header_or_a_missing_one_is_told():
    assert notes_of(["Line 3", None, None], ["speed", "force", "state"]) == (
        "The first 1 row is no part of the table; skip_lines= says otherwise.",
    )
    assert notes_of()[0].startswith("The first line holds data, so the columns are called")
