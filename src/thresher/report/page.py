"""A summary as one page of HTML that needs nothing from outside and allows nothing."""

import json
from base64 import b64encode
from collections.abc import Callable
from functools import partial
from hashlib import sha256
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from thresher import wording
from thresher.condition.table import found_again
from thresher.figures.condition import draw_over_time, draw_picture
from thresher.figures.figure import figure_style
from thresher.figures.svg import for_both
from thresher.figures.threshold import draw_slider
from thresher.report.curves import draw_calibration, draw_pareto
from thresher.report.influence import draw_curve, draw_importance
from thresher.report.summary.curves import table_places
from thresher.report.watch import draw_watch

DRAWINGS: dict[str, tuple[str, Callable[[Any, int], Markup]]] = {
    "pareto": ("conditions", draw_pareto),
    "threshold": ("slider", draw_slider),
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
    template = files("thresher.report") / "template"
    style = (template / "style.css").read_text(encoding="utf-8") + figure_style()
    script = (template / "script.js").read_text(encoding="utf-8")
    conditions = (summary["conditions"] or {"rows": []})["rows"]
    class_name = summary["class_name"]
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
            pictures={
                row["number"]: draw_picture(row["picture"], class_name)
                for row in conditions
                if row.get("picture")
            },
            over_time={
                row["number"]: draw_over_time(row["over_time"], class_name)
                for row in conditions
                if row.get("over_time")
            },
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
    """Draw what the summary has data for, for a wide page and for a phone."""
    found = {
        name: for_both(partial(draw, summary[part]))
        for name, (part, draw) in DRAWINGS.items()
        if summary[part] and summary[part].get("rows") != []
    }
    watch = summary.get("watch")
    if watch and watch["days"]:
        found["watch"] = for_both(partial(draw_watch, watch))
    return found


def _influence(summary: dict[str, Any]) -> list[Markup]:
    """Draw what the score depends on, where it is known."""
    data = summary.get("influence")
    if not data or not data["columns"]:
        return []
    return [draw_importance(data), *(draw_curve(curve) for curve in data["curves"])]
