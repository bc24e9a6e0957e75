"""A summary as one page of HTML that needs nothing from outside and allows nothing."""

import json
from base64 import b64encode
from collections.abc import Callable
from functools import partial
from hashlib import sha256
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from thresher import wording
from thresher.condition.table import found_again
from thresher.drawing.assets import picture_style, read_asset
from thresher.drawing.condition_picture import draw_picture
from thresher.drawing.over_time import draw_over_time
from thresher.drawing.svg import for_both
from thresher.report.drawing.calibration import draw_calibration
from thresher.report.drawing.comparison import draw_comparison
from thresher.report.drawing.daily import draw_daily
from thresher.report.drawing.early import draw_early
from thresher.report.drawing.influence import draw_curve, draw_importance
from thresher.report.drawing.line import WIDE, draw_line
from thresher.report.drawing.pareto import draw_pareto
from thresher.report.drawing.threshold import draw_threshold
from thresher.report.drawing.watch import draw_watch
from thresher.report.summary.slider import table_places

DRAWINGS: dict[str, tuple[str, Callable[[Any, int], Markup]]] = {
    "pareto": ("conditions", draw_pareto),
    "threshold": ("slider", draw_threshold),
    "early": ("early", draw_early),
    "daily": ("daily", draw_daily),
    "comparison": ("comparison", draw_comparison),
    "calibration": ("calibration", draw_calibration),
}
"""The drawings by name: the part of the summary that each shows, and who draws it."""


def render(summary: dict[str, Any]) -> str:
    """Return the report of a summary as HTML.

    The page is one file. Its content security policy forbids every request, and every style and
    script but its own two, which it knows by their hashes. All names are escaped.

    Parameters
    ----------
    summary : dict
        What `summarize` returned, as it is or read back from JSON.

    Returns
    -------
    str
    """
    style = read_asset("thresher.report", "template/style.css") + picture_style()
    script = read_asset("thresher.report", "template/script.js")
    return (
        environment()
        .get_template("report.html.j2")
        .render(
            report=summary,
            policy=content_policy(style, script),
            style=Markup(style),
            script=Markup(script),
            slider=embedded(summary["slider"]),
            table_places=table_places(summary["slider"]),
            drawings=_drawings(summary),
            pictures=_pictures(summary),
            over_time=_over_time(summary),
            influence=_influence(summary),
        )
    )


def content_policy(style: str, script: str) -> str:
    """Return the policy under which one style and one script may work, and nothing else.

    >>> content_policy("", "").split("; ")[0]
    "default-src 'none'"
    """
    rules = {
        "default-src": "'none'",
        "style-src": _hash(style),
        "script-src": _hash(script),
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    return "; ".join(f"{key} {value}" for key, value in rules.items())


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def embedded(data: Any) -> Markup:
    r"""Return data as JSON that cannot end the element it stands in.

    >>> embedded({"name": "</script>"})
    Markup('{"name":"\\u003c/script\\u003e"}')
    """
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    for letter in "<>&":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return Markup(text)


def environment() -> Environment:
    """Return what turns templates into pages; all names are escaped."""
    made = Environment(
        loader=PackageLoader("thresher.report", "template"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=True,
    )
    for name in ("percent", "number", "fixed", "threshold", "p_words"):
        made.filters[name] = getattr(wording, name)
    made.filters["found_again"] = found_again
    return made


def _drawings(summary: dict[str, Any]) -> dict[str, Markup]:
    """Draw what the summary has data for."""
    found = {
        name: for_both(partial(draw, summary[part]))
        for name, (part, draw) in DRAWINGS.items()
        if summary[part] and not _is_empty(summary[part])
    }
    if summary["line"]:
        found["line"] = for_both(partial(draw_line, summary["line"]), wide=WIDE)
    watch = summary.get("watch")
    if watch and watch["days"]:
        found["watch"] = for_both(partial(draw_watch, watch))
        if watch["chart"]["rows"]:
            found["watch_chart"] = for_both(partial(draw_daily, watch["chart"]))
    return found


def _pictures(summary: dict[str, Any]) -> dict[int, Markup]:
    """Draw the data behind each condition, where they are known, by its number."""
    return {
        row["number"]: draw_picture(row["picture"], summary["event"], summary["unit"])
        for row in _conditions(summary)
        if row.get("picture")
    }


def _over_time(summary: dict[str, Any]) -> dict[int, Markup]:
    """Draw the rates under each condition over time, where times are known, by its number."""
    return {
        row["number"]: draw_over_time(row["over_time"], summary["event"], summary["unit"])
        for row in _conditions(summary)
        if row.get("over_time")
    }


def _influence(summary: dict[str, Any]) -> list[Markup]:
    """Draw what the score depends on, where it is known."""
    data = summary.get("influence")
    if not data or not data["columns"]:
        return []
    return [draw_importance(data), *(draw_curve(curve) for curve in data["curves"])]


def _conditions(summary: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (summary["conditions"] or {"rows": []})["rows"]
    return found


def _is_empty(part: Any) -> bool:
    return isinstance(part, dict) and "rows" in part and not part["rows"]
