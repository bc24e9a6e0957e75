"""Dates in the usual ways of writing: which order of day, month and year a column has."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

YEAR_FIRST, DAY_FIRST, MONTH_FIRST, UNCLEAR = "ymd", "dmy", "mdy", "day or month first"
TIME_OF_DAY = "time of day"
ORDERS = (YEAR_FIRST, DAY_FIRST, MONTH_FIRST, UNCLEAR, TIME_OF_DAY)
FIRST_YEAR, LAST_YEAR = 1950, 2150
"""Eight digits are a date within these years alone."""
FIRST_SHORT_YEAR = 69
"""Of years of two digits, this one and later ones are of the last century, as POSIX has it."""

_MONTHS = (
    "jan gen|feb fév fev|mar mär mrz|apr avr abr|may mai mag maj|jun juin giu|jul juil lug"
    "|aug aoû ago|sep set|oct okt ott|nov|dec dez déc dic"
)
MONTHS = {
    short: number
    for number, names in enumerate(_MONTHS.split("|"), start=1)
    for short in names.split()
}
"""How names of months begin, in English, German, French, Italian, Spanish and Swedish."""

_TIME = (
    r"(?:(?:[T ]|,\s?|\s+-\s+)\s*(?P<hour>\d{1,2}):(?P<minute>\d{2})"
    r"(?::(?P<second>\d{2})(?:[.,](?P<fraction>\d{1,9}))?)?"
    r"\s*(?P<half>[AaPp]\.?[Mm]\.?)?\s*(?P<zone>Z|UTC|[+-]\d{2}:?\d{2}|[+-]\d{2})?)?"
)
_NAME = r"(?P<name>[A-Za-zäéûÄ]{3,9})\.?"
SHAPES = tuple(
    re.compile(day + _TIME)
    for day in (
        r"(?P<year>\d{4})(?P<mark>[-/.])(?P<month>\d{1,2})(?P=mark)(?P<day>\d{1,2})",
        r"(?P<one>\d{1,2})(?P<mark>[-/.])(?P<two>\d{1,2})(?P=mark)(?P<year>\d{4}|\d{2})",
        rf"(?P<day>\d{{1,2}})\.?[-/ ]?{_NAME}[-/ ,]*(?P<year>\d{{4}}|\d{{2}})",
        rf"{_NAME}\s(?P<day>\d{{1,2}}),?\s(?P<year>\d{{4}})",
        r"(?P<year>\d{4})(?P<month>\d{2})(?P<day>\d{2})",
    )
)
_DIGITS = re.compile(
    r"(?P<year>\d{4})(?P<month>\d{2})(?P<day>\d{2})"
    r"(?:[T_ -]?(?P<hour>\d{2})(?P<minute>\d{2})(?P<second>\d{2})?)?"
)
_CLOCK = re.compile(r"(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,]\d+)?)?")


class Written(NamedTuple):
    """A date as it is written; `one` and `two` are day and month in an order that others tell."""

    fields: dict[str, str | None]

    @property
    def pair(self) -> tuple[int, int] | None:
        """The two numbers whose order is not told by the text itself."""
        one, two = self.fields.get("one"), self.fields.get("two")
        return None if one is None or two is None else (int(one), int(two))

    def moment(self, order: str) -> datetime | None:
        """Return the moment in UTC where a zone is told; None for a day that there is not."""
        try:
            return _moment(self.fields, order)
        except ValueError:
            return None


def written(text: str) -> Written | None:
    """Take apart a date, None for other texts.

    >>> written("31.12.2024 08:00").moment(DAY_FIRST)
    datetime.datetime(2024, 12, 31, 8, 0)
    """
    text = text.strip()
    if not text[:1].isalnum() or not any(letter.isdigit() for letter in text[:12]):
        return None
    for shape in (*SHAPES, _DIGITS):
        found = shape.fullmatch(text)
        if found is not None and _is_date(found.groupdict(), shape in (SHAPES[-1], _DIGITS)):
            return Written(found.groupdict())
    return None


def _is_date(fields: dict[str, str | None], has_digits_alone: bool) -> bool:
    if has_digits_alone and not FIRST_YEAR <= int(fields["year"] or 0) <= LAST_YEAR:
        return False
    if fields.get("mark") == "-" and len(fields["year"] or "") == 2:
        return False  # 10-11-12 is rather a code
    return fields.get("name") is None or _month_named(fields["name"] or "") is not None


def _month_named(name: str) -> int | None:
    word = name.lower()
    return MONTHS.get(word[:4]) or MONTHS.get(word[:3])


def is_clock(text: str) -> bool:
    """Whether a text is a time without a day.

    >>> is_clock("08:15"), is_clock("8 h")
    (True, False)
    """
    found = _CLOCK.fullmatch(text.strip())
    return found is not None and int(found["hour"]) < 25 and int(found["minute"]) < 60


def _moment(fields: dict[str, str | None], order: str) -> datetime:
    def number(name: str) -> int:
        return int(fields.get(name) or 0)

    year = number("year")
    if len(fields["year"] or "") == 2:
        year += 1900 if year >= FIRST_SHORT_YEAR else 2000
    month, day = number("month"), number("day")
    if fields.get("name"):
        month = _month_named(fields["name"] or "") or 0
    if fields.get("one"):
        day, month = number("one"), number("two")
        if order == MONTH_FIRST:
            day, month = month, day
    hour, half = number("hour"), (fields.get("half") or "")[:1].lower()
    if half:
        hour = hour % 12 + (12 if half == "p" else 0)
    micro = int((fields.get("fraction") or "").ljust(6, "0")[:6] or 0)
    moment = datetime(year, month, day, hour % 24, number("minute"), number("second"), micro)
    moment += timedelta(days=hour // 24)
    zone = fields.get("zone")
    if not zone or zone in ("Z", "UTC"):
        return moment
    hours, minutes = int(zone[1:3]), int(zone[-2:]) if len(zone) > 3 else 0
    offset = timedelta(hours=hours, minutes=minutes) * (-1 if zone[0] == "-" else 1)
    return moment.replace(tzinfo=timezone(offset)).astimezone(UTC).replace(tzinfo=None)


def is_serial(number: float) -> bool:
    """Whether a number may be a date as Excel counts them, in days from 1990 to 2060."""
    return 32_874.0 <= number < 58_440.0


def of_serial(number: float) -> datetime:
    """Return the moment of a date that Excel counts, to the second.

    >>> of_serial(45657.5)
    datetime.datetime(2024, 12, 31, 12, 0)
    """
    return datetime(1899, 12, 30) + timedelta(seconds=round(number * 86_400))


def find_order(dates: Sequence[Written], codes: "NDArray[Any]") -> str:
    """Return the order of day and month of a column's levels; `codes`: the level of each row.

    >>> import numpy as np
    >>> find_order([written("03/04/2024"), written("13/04/2024")], np.array([0, 1]))
    'dmy'
    """
    pairs = [pair for date in dates if (pair := date.pair) is not None]
    if not pairs:
        return YEAR_FIRST
    is_day_first, is_month_first = (any(pair[place] > 12 for pair in pairs) for place in (0, 1))
    if is_day_first != is_month_first:
        return DAY_FIRST if is_day_first else MONTH_FIRST
    if dates[0].fields.get("mark") == ".":
        return DAY_FIRST
    if any(date.fields.get("half") for date in dates):
        return MONTH_FIRST  # as in the countries that write AM or PM behind the time
    # The order in which the rows were made one after the other, if there is one.
    rising = []
    for order in (DAY_FIRST, MONTH_FIRST):
        moments = moments_of(dates, order)
        if moments is not None:
            moments = moments[codes]
            if (moments[1:] >= moments[:-1]).all() and moments[0] < moments[-1]:
                rising.append(order)
    return rising[0] if len(rising) == 1 else UNCLEAR


def moments_of(dates: Sequence[Written], order: str) -> "NDArray[np.datetime64] | None":
    """Return all moments, None where one of them does not exist."""
    import numpy as np

    moments = [date.moment(order) for date in dates]
    if None in moments:
        return None
    return np.array(moments, dtype="datetime64[us]")
