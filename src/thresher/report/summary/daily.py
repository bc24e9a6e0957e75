"""Scrap by day, predicted and real, as plain data."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.frames import read_vector, take_rows
from thresher.judging.monitoring import Monitoring, daily_monitoring
from thresher.report.summary.case import Case, Scored
from thresher.wording import finite, fixed, percent

NUMBERS = ("rate", "predicted", "low", "high", "estimated", "threshold")


def daily_data(days: Monitoring) -> dict[str, Any]:
    """Return one row a day, and what they say in words."""
    columns = days.columns()
    rows = [
        {
            "day": str(days.day[place]),
            "parts": int(days.parts[place]),
            "scrap": int(days.scrap[place]),
            "out": bool(days.is_out[place]),
            **{key: finite(columns[key][place]) for key in NUMBERS},
        }
        for place in range(len(days.day))
    ]
    return {"rows": rows, "center": days.center, "words": _words(days)}


def read_times(times: Any, count: int) -> NDArray[Any]:
    """Return the time of each of so many rows."""
    given = np.asarray(read_vector(times, "times"))
    if given.shape != (count,):
        raise ValueError(
            f"times must have one entry for each of the {count} rows, got the shape {given.shape}."
        )
    try:
        return given.astype("datetime64[s]")
    except ValueError as error:
        raise ValueError(f"times must be dates or times: {error}.") from error


def follow_days(case: Case, scored: Scored, times: Any) -> Monitoring:
    """Compare predicted and real rates by day, on probabilities that no row had a part in."""
    given = read_times(times, len(case.labels))
    return daily_monitoring(
        case.model,
        take_rows(case.X, scored.rows),
        case.labels[scored.rows],
        given[scored.rows],
        probability=scored.probability,
    )


def _words(days: Monitoring) -> str:
    out, count = int(days.is_out.sum()), len(days.day)
    state = f"{out} of {count} days are" if out != 1 else f"1 of {count} days is"
    gap = float(np.mean(np.abs(days.rate - days.predicted)))
    return (
        f"{state} out of control: further from the mean of {percent(days.center)} than chance "
        f"explains. Predicted and real rates of a day differ by {fixed(100.0 * gap, 1)} "
        "percentage points on average."
    )
