"""The report of several codes as data: of their training, and of rows that they have not seen."""

from datetime import date
from typing import TYPE_CHECKING, Any

import numpy as np

from thresher.condition.table import ConditionTable
from thresher.judging.judgement import Judgement
from thresher.judging.verdict import Verdict
from thresher.judging.verdict import make_verdict as verdict_of_one
from thresher.plant.coded.pareto import NOTE, Pareto
from thresher.plant.coded.verdict import make_verdict
from thresher.plant.origin import TableOrigin
from thresher.plant.summary import with_actions
from thresher.report.summary.conditions import condition_data
from thresher.wording import name, number, threshold

if TYPE_CHECKING:
    from thresher.plant.coded.model import CodedModel
    from thresher.plant.model import PlantModel

FORMAT = 1
MOST_CONDITIONS, MOST_PICTURES = 12, 3
"""Of a code; the page shows several codes."""
UNSEEN = "kept apart from its training"
LIMITS = (
    "A code is found against all other rows, good ones and those of other codes: its conditions "
    "tell what leads to this code and not to others.",
    "What leads to a code here goes along with it; that it is the cause is to be tested on the "
    "line.",
)


def summarize_codes(model: "CodedModel") -> dict[str, Any]:
    """Return the report of a training: its figures are those of its judgement."""
    parts = []
    for code, one in model.models.items():
        origin = one.origin
        assert isinstance(origin, TableOrigin), "Codes are trained on tables in memory."
        X, truth = origin.training.features.X, origin.training.is_positive
        found = _code_data(code, one, one.verdict, one.conditions, X, truth)
        parts.append(with_actions(found, one.actions()) if one.facts.settings else found)
    facts = model.facts
    heading = facts.title, facts.description
    return _put_together(model, heading, model.verdict, facts.pareto, model.judgement, parts)


def summarize_unseen_codes(
    model: "CodedModel",
    table: Any,
    time: str | None,
    title: str | None,
    *,
    allow_training_rows: bool,
) -> dict[str, Any]:
    """Return the report of how models do on rows that had no part in their training."""
    labels, tables = model.one_by_one(table, time)
    parts, alerts = [], []
    for code, one in model.models.items():
        rows = one.read_unseen(tables[code], time=time, allow_training_rows=allow_training_rows)
        is_alert = one.decided(rows.table).is_alert
        judged = one.judge_decisions(rows.table, is_alert)
        assert judged is not None, "The target of all rows is known."
        found = one.tested_on(rows)
        verdict = verdict_of_one(judged, (), one.setting, found, one.facts.terms)
        parts.append(_code_data(code, one, verdict, found, rows.features.X, labels == code))
        alerts.append(is_alert)
    facts, is_alert = model.facts, np.column_stack(alerts)
    pareto = Pareto.of(labels, is_alert, model.codes, facts.good, facts.pareto.costs)
    judgement = pareto.judgement(UNSEEN)
    verdict = make_verdict(judgement, pareto, facts.terms, facts.per_1000, model.models)
    heading = title or facts.title, f"{judgement.rows:,} rows that had no part in the training."
    return _put_together(model, heading, verdict, pareto, judgement, parts)


def _code_data(
    code: str,
    model: "PlantModel",
    verdict: Verdict,
    conditions: ConditionTable,
    X: Any,
    truth: Any,
) -> dict[str, Any]:
    columns = model.reader.columns_
    matrix = columns.matrix(X, "summarize")
    shown = conditions.take(list(range(min(MOST_CONDITIONS, len(conditions)))))
    found = condition_data(shown, matrix, columns, truth)
    found["hidden"] = len(conditions) - len(shown)
    for row in found["rows"][MOST_PICTURES:]:
        row["picture"] = None
    return {
        "code": name(code),
        "threshold": threshold(model.threshold),
        "verdict": verdict.as_data(),
        "conditions": found | model.facts.terms._asdict(),
        "event": model.facts.terms.event,
    }


def _put_together(
    model: "CodedModel",
    heading: tuple[str | None, str | None],
    verdict: Verdict,
    pareto: Pareto,
    judgement: Judgement,
    parts: list[dict[str, Any]],
) -> dict[str, Any]:
    """Return the page as data; the heading is a title and a sentence about the rows."""
    from thresher import __version__

    facts, (title, description) = model.facts, heading
    table = pareto.as_table(facts.terms.unit)
    rows = [{**one._asdict(), "code": name(one.code), "missed": one.missed} for one in pareto.codes]
    return {
        "format": FORMAT,
        "title": name(title or f"What leads to the codes of {facts.target}?", 120),
        "description": None if description is None else name(description, 400),
        **facts.terms._asdict(),
        "verdict": verdict.as_data(),
        "pareto": {
            "rows": rows,
            "headings": list(table.columns),
            "cells": [[cell.text for cell in row] for row in table.cells],
            "note": NOTE,
            **facts.terms._asdict(),
        },
        "codes": parts,
        "card": _card(model, judgement),
        "remarks": list(facts.remarks),
        "limits": list(LIMITS),
        "library": __version__,
    }


def _card(model: "CodedModel", judgement: Judgement) -> dict[str, str]:
    facts = model.facts
    budget = "a rule for each code" if facts.per_1000 is None else f"{facts.per_1000:g} per 1000"
    models = [f"{name(code)}: {one.facts.model}" for code, one in model.models.items()]
    return {
        "Target": name(facts.target),
        "Value of good rows": name(facts.good),
        "Models": "; ".join(models),
        "Alerts": f"{budget}, for all codes together" if facts.per_1000 else budget,
        "Judged on": f"{number(judgement.rows)} rows: {judgement.how}",
        "Report made": date.today().isoformat(),
    }
