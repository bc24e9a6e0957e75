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
from thresher.drawing.svg import for_both
from thresher.report.drawing.calibration import draw_calibration
from thresher.report.drawing.comparison import draw_comparison
from thresher.report.drawing.daily import draw_daily
from thresher.report.drawing.early import draw_early
from thresher.report.drawing.line import WIDE, draw_line
from thresher.report.drawing.pareto import draw_pareto
from thresher.report.drawing.threshold import draw_threshold
from thresher.report.drawing.watch import draw_watch

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
    style, script = _asset("style.css"), _asset("script.js")
    return (
        _environment()
        .get_template("report.html.j2")
        .render(
            report=summary,
            policy=content_policy(style, script),
            style=Markup(style),
            script=Markup(script),
            slider=embedded(summary["slider"]),
            drawings=_drawings(summary),
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


def _asset(file: str) -> str:
    return (files("thresher.report") / "template" / file).read_text(encoding="utf-8")


def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("thresher.report", "template"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=True,
    )
    for name in ("percent", "number", "fixed", "threshold", "p_words"):
        environment.filters[name] = getattr(wording, name)
    return environment


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


def _is_empty(part: Any) -> bool:
    return isinstance(part, dict) and "rows" in part and not part["rows"]
