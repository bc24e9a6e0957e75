"""A watch over a model as plain data: evidence after each batch, the p-chart, words."""

from math import log
from typing import Any

from thresher.judging.watch.look import Look


def watch_data(look: Look, alpha: float) -> dict[str, Any]:
    """Return the section of a report."""
    lines = [one.question.line for one in look.standings]
    entries = look.standings[0].entries
    return {
        "words": look.words,
        "is_alarm": look.is_alarm,
        "alpha": alpha,
        "line": log(lines[0]),
        "days": [entry.day or f"batch {place + 1}" for place, entry in enumerate(entries)],
        "series": [
            {"name": one.question.name, "values": one.log_e.tolist()} for one in look.standings
        ],
        "questions": [{**one.as_data(), "e_words": one.e_words} for one in look.standings],
        "chart": look.chart,
    }
