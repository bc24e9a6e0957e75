"""The report of a trained model: its data, the page to look at and to save, and its short form."""

from dataclasses import replace
from html import escape
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from jinja2 import TemplateError

from thresher.condition.table import TRAINING_ROWS
from thresher.condition.words import readable
from thresher.errors import DamagedModelError
from thresher.figures.condition import draw_picture
from thresher.figures.figure import html_table, in_notebook
from thresher.figures.svg import element
from thresher.judging.judgement import TRAINED_ON
from thresher.judging.recipe import MAX_LEAVES
from thresher.plant.prediction import UnseenRows, cuts_in, on_one_scale, row_cuts_of
from thresher.report import render, summarize
from thresher.report.summary.case import Judged, Scored
from thresher.threshold.counts import Costs
from thresher.threshold.unseen import positive_scores
from thresher.whole_file import new_file
from thresher.wording import MAX_TEXT_LENGTH, name

if TYPE_CHECKING:
    from thresher.plant.model import PlantModel
    from thresher.plant.training import Origin

MOST = 3
"""Conditions that a notebook shows."""


class Report:
    """The report of a model: one page of HTML that needs nothing from outside.

    Attributes
    ----------
    summary : all that the page shows, as plain data.
    """

    def __init__(self, summary: dict[str, Any]) -> None:
        self.summary = summary

    @property
    def html(self) -> str:
        """The page."""
        return render(self.summary)

    def with_watch(self, section: dict[str, Any]) -> "Report":
        """Return the report with the section of a watch."""
        return Report(self.summary | {"watch": section})

    def save(self, path: str | PathLike[str]) -> None:
        """Write the page to a file, as a whole or not at all."""
        with new_file(Path(path)) as temporary:
            temporary.write_text(self.html, encoding="utf-8", newline="\n")

    def _repr_html_(self) -> str:
        # A frame of its own: the page's style must not reach the notebook, nor the other way.
        return (
            f'<iframe srcdoc="{escape(self.html, quote=True)}" width="100%" height="820" '
            'style="border: 1px solid #ccc"></iframe>'
        )

    def __repr__(self) -> str:
        return f"<Report: {self.summary['verdict']['heading']}>"


def checked(found: Report) -> Report:
    """Return the report in a model's file, of which a page can be made."""
    try:
        _ = repr(found), found.html
    except (ArithmeticError, AttributeError, LookupError, TemplateError, TypeError, ValueError):
        raise DamagedModelError(
            "The report in the model's file is damaged; take another copy of the file, or give "
            "rows that the model has not seen: report(table)."
        ) from None
    return found


def summarize_training(model: "PlantModel", origin: "Origin") -> dict[str, Any]:
    """Return the report of a training: its figures are those of its judgement."""
    training, rows, judged, _ = origin
    unseen, facts = judged.unseen, model.facts
    scored = Scored(
        unseen.rows, unseen.scores, training.is_positive[unseen.rows], training.hold_out.words
    )
    hold_out = training.hold_out
    summary = summarize(
        model.estimator,
        training.features.X,
        training.labels,
        stages=rows.stages,
        times=rows.dates,
        costs=training.recipe.costs,
        cv=hold_out.splits() if hold_out.is_bound else hold_out.count,
        judged=Judged(scored, model.judgement, facts.folds),
        conditions=model.conditions,
        notes=rows.remarks,
        reading=None if rows.plan is None else rows.plan.as_table(),
        candidates=facts.candidates_table,
        **_words(model),
    )
    if facts.settings:  # each confirmed condition says what may be done about it
        table = model.actions()
        for row in summary["conditions"]["rows"]:
            words = table.short(row["number"]) if row["is_confirmed"] else None
            row["action"] = None if words is None else name(words, MAX_TEXT_LENGTH)
    return summary


def summarize_unseen(
    model: "PlantModel",
    rows: UnseenRows,
    times: Any,
    costs: Costs | None,
) -> dict[str, Any]:
    """Return the report of how a model does on rows that had no part in its training."""
    money = costs or model.facts.recipe.costs
    is_seen = rows.evidence == TRAINING_ROWS
    conditions = model.conditions if is_seen else model.tested_on(rows)
    if money is not None:
        conditions = conditions.with_costs(money.fp, money.fn)
    summary = summarize(
        model.estimator,
        rows.features.X,
        rows.labels,
        stages=model.facts.stages,
        times=times if times is not None and times.dtype.kind == "M" else None,
        costs=money,
        held_out=TRAINED_ON if is_seen else True,
        judged=_judged(model, rows),
        conditions=conditions,
        **_words(model),
    )
    if is_seen:
        summary["verdict"]["heading"] = "Judged on rows of its training: figures are too high."
    return summary


def _judged(model: "PlantModel", rows: UnseenRows) -> Judged | None:
    """Judge unseen rows by their own cuts; None where one threshold is for all."""
    estimator = model.estimator
    if row_cuts_of(estimator) is None:
        return None
    truth = rows.labels == str(estimator.pos_label_)
    probability = positive_scores(estimator, rows.features.X, model.place)
    cuts = cuts_in(estimator, rows.table)
    judgement = model.judge_decisions(rows.table, probability > cuts)
    assert judgement is not None
    shown = on_one_scale(estimator, probability, cuts)
    source = TRAINED_ON if rows.evidence == TRAINING_ROWS else "kept apart from its training"
    judgement = replace(judgement, how=source)
    return Judged(Scored(np.arange(len(truth)), shown, truth, source), judgement, ())


def _words(model: "PlantModel") -> dict[str, Any]:
    recipe = model.facts.recipe
    return {
        "setting": model.setting,
        "name_of_model": model.facts.model,
        "max_leaf_nodes": MAX_LEAVES,
        "seed": recipe.seed,
        "n_jobs": recipe.jobs,
    }


def model_html(model: "PlantModel") -> str:
    """Return a model as HTML; pictures are those of its report, where one was made."""
    if model.facts.judgement is None:
        return f"<pre>{escape(repr(model))}</pre>"
    verdict = model.verdict.as_data()
    figures = [[one["label"], one["value"], one["interval"] or "-"] for one in verdict["figures"]]
    heading = f"{verdict['heading']} ({model.facts.model})"
    table = html_table(["On unseen rows", "", "95 % interval"], figures)
    rows: Any = ((model.summary or {}).get("conditions") or {}).get("rows", [])
    conditions, cards = model.conditions, []
    for place, condition in enumerate(conditions.conditions[:MOST]):
        words = element("p", element("b", f"{place + 1}. {readable(condition, ())}"))
        data = rows[place].get("picture") if place < len(rows) else None
        picture = draw_picture(data, model.facts.class_name) if data else ""
        cards.append(element("div", words, element("p", conditions.states[place]), picture))
    return in_notebook(heading, table, element("div", *cards, class_="cards"))
