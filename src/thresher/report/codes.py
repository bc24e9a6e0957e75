"""The report of several reason codes: a summary as one page of HTML."""

from functools import partial
from typing import Any

from markupsafe import Markup

from thresher.drawing.assets import picture_style, read_asset
from thresher.drawing.condition_picture import draw_picture
from thresher.drawing.svg import for_both
from thresher.report.drawing.codes import SEGMENTS, draw_codes
from thresher.report.drawing.pareto import draw_pareto
from thresher.report.render import content_policy, environment


def render_codes(summary: dict[str, Any]) -> str:
    """Return the report of several codes as HTML: one file that asks nothing of the network.

    Parameters
    ----------
    summary : dict
        What `thresher.plant.coded.summary` made, as it is or read back from JSON.
    """
    style = read_asset("thresher.report", "template/style.css") + picture_style()
    return (
        environment()
        .get_template("codes.html.j2")
        .render(
            report=summary,
            policy=content_policy(style, ""),
            style=Markup(style),
            segments=SEGMENTS,
            pareto=for_both(partial(draw_codes, summary["pareto"])),
            drawings=[_conditions(one["conditions"]) for one in summary["codes"]],
            pictures=[_pictures(one["conditions"]) for one in summary["codes"]],
        )
    )


def _pictures(data: dict[str, Any]) -> dict[int, Markup]:
    """Draw the rows behind conditions, by the number of the condition."""
    return {
        row["number"]: draw_picture(row["picture"], data["event"], data["unit"])
        for row in data["rows"]
        if row.get("picture")
    }


def _conditions(data: dict[str, Any]) -> Markup | None:
    return for_both(partial(draw_pareto, data)) if data["rows"] else None
