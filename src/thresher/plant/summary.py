"""The report of a plant's model as data: of its training, and of rows that it has not seen."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from thresher.action.table import ActionTable
from thresher.judging.recipe import MAX_LEAVES
from thresher.plant.row_cuts import cuts_in, on_one_scale, row_cuts_of
from thresher.report import summarize
from thresher.report.summary.case import Judged, Scored
from thresher.threshold.rules import Costs
from thresher.threshold.unseen import positive_scores
from thresher.wording import MAX_TEXT_LENGTH, name

if TYPE_CHECKING:
    from thresher.plant.model import PlantModel
    from thresher.plant.origin import TableOrigin
    from thresher.plant.rows import UnseenRows

MAX_ROWS_TO_RESAMPLE = 100_000


def summarize_training(model: "PlantModel", origin: "TableOrigin") -> dict[str, Any]:
    """Return the report of a training: its figures are those of its judgement."""
    training, rows, judged, title, description, _ = origin
    unseen, facts = judged.unseen, model.facts
    scored = Scored(
        unseen.rows, unseen.scores, training.is_positive[unseen.rows], training.hold_out.words
    )
    hold_out = training.hold_out
    summary = summarize(
        model.estimator,
        training.features.X,
        training.labels,
        stations=rows.stations,
        times=rows.dates,
        costs=training.recipe.costs,
        cv=hold_out.splits() if hold_out.is_bound else hold_out.count,
        judged=Judged(scored, model.judgement, facts.folds),
        conditions=model.conditions,
        resampling=len(rows) <= MAX_ROWS_TO_RESAMPLE,
        title=title or f"What leads to {facts.target} = {facts.positive}?",
        description=description,
        notes=rows.remarks,
        reading=None if rows.plan is None else rows.plan.as_table(),
        candidates=facts.candidates_table,
        **_words(model),
    )
    return with_actions(summary, model.actions()) if facts.settings else summary


def with_actions(summary: dict[str, Any], table: ActionTable) -> dict[str, Any]:
    """Return a report in which each confirmed condition says what may be done about it."""
    for row in summary["conditions"]["rows"]:
        words = table.short(row["number"], summary["event"]) if row["is_confirmed"] else None
        row["action"] = None if words is None else name(words, MAX_TEXT_LENGTH)
    return summary


def summarize_unseen(
    model: "PlantModel",
    rows: "UnseenRows",
    times: Any,
    title: str | None,
    costs: Costs | None,
) -> dict[str, Any]:
    """Return the report of how a model does on rows that had no part in its training."""
    facts = model.facts
    money = costs or facts.recipe.costs
    conditions = model.tested_on(rows)
    if money is not None:
        conditions = conditions.with_costs(money.fp, money.fn)
    if not rows.features.is_named:
        model.estimator.set_params(categorical_features=rows.features.categorical)
    return summarize(
        model.estimator,
        rows.features.X,
        rows.labels,
        stations=facts.stations,
        times=times if times is not None and times.dtype.kind == "M" else None,
        costs=money,
        held_out=True,
        judged=_judged(model, rows),
        conditions=conditions,
        resampling=False,
        title=title or f"What leads to {facts.target} = {facts.positive}?",
        description=f"{len(rows.labels):,} rows that had no part in the training.",
        **_words(model),
    )


def _judged(model: "PlantModel", rows: "UnseenRows") -> Judged | None:
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
    source = "kept apart from its training"
    judgement = replace(judgement, how=source)
    return Judged(Scored(np.arange(len(truth)), shown, truth, source), judgement, ())


def _words(model: "PlantModel") -> dict[str, Any]:
    facts = model.facts
    recipe = facts.recipe
    return {
        **facts.terms._asdict(),
        "setting": model.setting,
        "name_of_model": facts.model,
        "max_leaf_nodes": MAX_LEAVES,
        "seed": recipe.seed,
        "n_jobs": recipe.jobs,
    }
