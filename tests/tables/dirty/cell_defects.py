"""Defects of other cells: dates, truth, labels, spaces."""

from collections.abc import Callable
from datetime import date, datetime, timedelta

from tests.tables.dirty.draft import Draft

SPELLINGS = {"true": ("true", "TRUE", "1", "yes"), "false": ("false", "FALSE", "0", "no")}
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def date_iso_with_zone(draft: Draft) -> None:
    """Moments are 2024-12-31T08:00:00+01:00."""
    _write_dates(draft, lambda moment: f"{moment.isoformat()}+01:00")


def date_german(draft: Draft) -> None:
    """Moments are 31.12.2024 08:00."""
    _write_dates(draft, lambda moment: f"{moment:%d.%m.%Y %H:%M}")


def date_day_first(draft: Draft) -> None:
    """Days are 31/12/2024."""
    _write_days(draft, lambda moment: f"{moment:%d/%m/%Y}")


def date_month_first(draft: Draft) -> None:
    """Moments are 12/31/2024 08:00 PM."""
    half = ("AM", "PM")
    _write_dates(draft, lambda moment: f"{moment:%m/%d/%Y %I:%M} {half[moment.hour // 12]}")


def date_with_slashes(draft: Draft) -> None:
    """Days are 2024/12/31."""
    _write_days(draft, lambda moment: f"{moment:%Y/%m/%d}")


def date_with_month_name(draft: Draft) -> None:
    """Days are 31-Dec-2024."""
    _write_days(draft, lambda moment: f"{moment:%d}-{MONTHS[moment.month - 1]}-{moment:%Y}")


def date_compact(draft: Draft) -> None:
    """Days are 20241231."""
    _write_days(draft, lambda moment: f"{moment:%Y%m%d}")


def date_day_or_month(draft: Draft) -> None:
    """Days are 03/12/2024, and none is above the 12th."""
    # A year in 144 steps: twelve days of each month.
    steps = [144 * row // len(draft) for row in range(len(draft))]
    draft.date.values = [datetime(2024, 1 + n // 12, 1 + n % 12).isoformat() for n in steps]
    _write_days(draft, lambda moment: f"{moment:%d/%m/%Y}")
    draft.why_ambiguous = "03/12/2024 is a day in March or in December, and no day is above 12"


def date_excel_serial(draft: Draft) -> None:
    """Moments are days since 1899-12-30, as a spreadsheet without formats shows them."""
    _write_dates(draft, lambda moment: f"{_serial(moment):.5f}")
    draft.why_ambiguous = "45657.33 is a number unless somebody knows that it was a date"


def mixed_booleans(draft: Draft) -> None:
    """Truth is spelled true, TRUE, 1 or yes, as it comes."""
    column = next(one for one in draft.columns if set(one.values) == {"true", "false"})
    column.spelled = {
        row: draft.random.choice(SPELLINGS[str(value)]) for row, value in enumerate(column.values)
    }


def labels_in_german(draft: Draft) -> None:
    """Labels are i.O. and n.i.O."""
    _relabel(draft, {"ok": "i.O.", "nok": "n.i.O."})


def labels_pass_fail(draft: Draft) -> None:
    """Labels are PASS and FAIL."""
    _relabel(draft, {"ok": "PASS", "nok": "FAIL"})


def labels_0_1(draft: Draft) -> None:
    """Labels are 0 and 1."""
    _relabel(draft, {"ok": "0", "nok": "1"})


def quoted_newlines(draft: Draft) -> None:
    """Remarks have several lines."""
    column = draft.first("text")
    column.values = [value and str(value).replace(" ", "\n", 1) for value in column.values]


def leading_zeros(draft: Draft) -> None:
    """Ids are 0010471: digits, but no numbers."""
    column = draft.first("id")
    column.values = [f"00{10_471 + 3 * row}" for row in range(len(draft))]


def spaces_around_cells(draft: Draft) -> None:
    """Cells are padded with spaces on both sides."""
    draft.padding = True


def empty_rows(draft: Draft) -> None:
    """Blank lines and lines of empty cells stand between rows."""
    kinds = ("", "cells")
    draft.blank_rows = {row: kinds[place % 2] for place, row in enumerate(draft.draw_rows(6))}


def _write_dates(draft: Draft, text: Callable[[datetime], str]) -> None:
    draft.date.date_text = text


def _write_days(draft: Draft, text: Callable[[datetime], str]) -> None:
    """Write days alone: the time is lost to any reader."""
    days = [date.fromisoformat(str(value)[:10]) for value in draft.date.values]
    draft.date.values = [datetime(day.year, day.month, day.day).isoformat() for day in days]
    _write_dates(draft, text)


def _serial(moment: datetime) -> float:
    return (moment - datetime(1899, 12, 30)) / timedelta(days=1)


def _relabel(draft: Draft, words: dict[str, str]) -> None:
    column = draft.first("label")
    column.values = [words[str(value)] for value in column.values]
