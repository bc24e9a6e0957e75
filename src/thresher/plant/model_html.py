"""A trained model in a notebook: the verdict, its figures, the first conditions with pictures."""

from html import escape
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from thresher.condition.words import readable
from thresher.drawing.condition_picture import draw_picture
from thresher.drawing.notebook import html_table, in_notebook
from thresher.drawing.svg import element

if TYPE_CHECKING:
    from thresher.plant.model import PlantModel

MOST = 3
"""Conditions that are shown."""


def model_html(model: "PlantModel") -> str:
    """Return a model as HTML; pictures are those of its report, where one was made."""
    if model.facts.judgement is None:
        return f"<pre>{escape(repr(model))}</pre>"
    verdict = model.verdict.as_data()
    figures = [[one["label"], one["value"], one["interval"] or "-"] for one in verdict["figures"]]
    heading = f"{verdict['heading']} ({model.facts.model})"
    table = html_table(["On unseen rows", "", "95 % interval"], figures)
    cards = [_card(model, place) for place in range(min(MOST, len(model.conditions)))]
    return in_notebook(heading, table, element("div", *cards, class_="cards"))


def _card(model: "PlantModel", place: int) -> Markup:
    words = f"{place + 1}. {readable(model.conditions.conditions[place], ())}"
    state = element("p", model.conditions.states[place])
    return element("div", element("p", element("b", words)), state, _picture(model, place))


def _picture(model: "PlantModel", place: int) -> Markup:
    found: Any = ((model.summary or {}).get("conditions") or {}).get("rows", [])
    data = found[place].get("picture") if place < len(found) else None
    terms = model.facts.terms
    return draw_picture(data, terms.event, terms.unit) if data else Markup("")
