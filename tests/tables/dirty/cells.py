"""Whether a cell is read right, and of what kind a column is."""

import math
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

from tests.tables.dirty.corpus import ExpectedColumn

TOLERANCE = 1e-9
TRUTH = {"true": True, "false": False}
ZONE = timezone(timedelta(hours=1))
"""That of the dates which have one."""


def is_right(expected: ExpectedColumn, row: int, got: Any) -> bool:
    """Whether a cell is read right."""
    value = expected.values[row]
    if value is None or is_missing(got):
        return value is None and is_missing(got)
    if isinstance(value, float):
        return _is_number(got) and math.isclose(got, value, rel_tol=TOLERANCE)
    if expected.meaning == "date":
        return _is_moment(datetime.fromisoformat(value), expected.written[row], got)
    if value in TRUTH:
        return _is_truth(value, expected.written[row], got)
    return _is_text(value, got)


def is_missing(value: Any) -> bool:
    """Whether a cell of a reader holds nothing."""
    if isinstance(value, str):
        return not value.strip()
    return value is None or type(value).__name__ in ("NAType", "NaTType") or value != value


def kind_of(values: Sequence[Any]) -> str:
    """Return "number", "date", "truth", "nothing" or "text"."""
    kinds = {_kind(value) for value in values if not is_missing(value)}
    return "nothing" if not kinds else kinds.pop() if len(kinds) == 1 else "text"


def is_kind(expected: ExpectedColumn, values: Sequence[Any]) -> bool:
    """Whether a column is of a kind that can be worked with."""
    kind = kind_of(values)
    if expected.is_number:
        return kind == "number"
    if expected.meaning != "date":
        return True
    if kind == "number":
        # Seconds since 1970; not 20241231, which no clock counts.
        return all(is_missing(value) or 1e9 < value < 2e9 for value in values)
    return kind in ("date", "text")


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "truth"
    if _is_number(value):
        return "number"
    return "date" if isinstance(value, date) else "text"


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_text(text: str, got: Any) -> bool:
    if isinstance(got, str):
        return "\n".join(got.strip().splitlines()) == text.strip()
    return _is_number(got) and math.isfinite(got) and got == int(got) and str(int(got)) == text


def _is_truth(value: str, written: str, got: Any) -> bool:
    if isinstance(got, str):
        return got.strip().lower() in (value, written.lower())
    return isinstance(got, (bool, int, float)) and got == TRUTH[value]


def _iso(text: str) -> datetime | None:
    """Return the moment of a text in ISO form, None for other texts."""
    try:
        return datetime.fromisoformat(text.strip())
    except ValueError:
        return None


def _is_moment(moment: datetime, written: str, got: Any) -> bool:
    if isinstance(got, datetime) and got.tzinfo is not None:
        return got == moment.replace(tzinfo=ZONE if "+01:00" in written else UTC)
    if isinstance(got, datetime):
        return got == moment or ("+01:00" in written and got == moment - timedelta(hours=1))
    if isinstance(got, date):
        return datetime(got.year, got.month, got.day) == moment
    if isinstance(got, str):
        return got.strip() == written or _iso(got) == moment
    return got == moment.replace(tzinfo=UTC).timestamp() or _is_text(written, got)
