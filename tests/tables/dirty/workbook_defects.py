"""Defects of Excel files; each of them makes the table a workbook."""

from tests.tables.dirty.draft import Draft, Excel

NOTES: list[list[Excel]] = [
    ["Notes of the quality department"],
    ["Author", "QA-12"],
    ["Torque wrench calibrated on", "2024-10-30"],
    ["Samples", 25],
]


def workbook(draft: Draft) -> None:
    """The table is the only sheet, with real dates and numbers: nothing is wrong with it."""
    draft.is_workbook = True


def merged_header(draft: Draft) -> None:
    """Above the names, merged cells name the stations that columns belong to."""
    draft.is_workbook = True
    draft.groups = {0: "Part", 5: "Station 3", 9: "Station 5", len(draft.columns) - 2: "Result"}


def title_row(draft: Draft) -> None:
    """A title and an empty row stand above the header."""
    draft.is_workbook = True
    draft.above = [["Quality report, November and December"], []]


def formulas(draft: Draft) -> None:
    """Two columns are formulas, with the values that Excel has computed."""
    draft.is_workbook = True
    exact = [column for column in draft.numbers if column.decimals]
    for column in draft.random.sample(exact, 2):
        column.is_formula = True


def text_dates(draft: Draft) -> None:
    """Dates are texts such as 31.12.2024 08:00."""
    draft.is_workbook = True
    draft.date.date_text = lambda moment: f"{moment:%d.%m.%Y %H:%M}"
    draft.date.is_text_in_excel = True


def hidden_sheet(draft: Draft) -> None:
    """A hidden sheet of other columns comes first."""
    draft.is_workbook = True
    old: list[list[Excel]] = [["Old number", "Old value"], *([row, 0.5 * row] for row in range(30))]
    draft.sheets_before = [("Archive", old, True)]


def notes_sheet(draft: Draft) -> None:
    """A sheet of notes follows."""
    draft.is_workbook = True
    draft.sheets_after = [("Notes", NOTES, False)]


def cover_sheet(draft: Draft) -> None:
    """A sheet of notes comes first."""
    draft.is_workbook = True
    draft.sheets_before = [("Cover", NOTES, False)]


def numbers_as_text(draft: Draft) -> None:
    """Three columns of numbers are texts."""
    draft.is_workbook = True
    for column in draft.random.sample(draft.numbers, 3):
        column.is_text_in_excel = True


def shifted_corner(draft: Draft) -> None:
    """The table starts at C4."""
    draft.is_workbook = True
    draft.corner = (3, 2)
