"""Train a model for each reason code of a table, and deal one budget of alerts to them."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from thresher.errors import ParameterError
from thresher.judging.recipe import Recipe
from thresher.judging.verdict import terms_of
from thresher.plant.coded.dealing import Budget, Dealt, deal, with_thresholds
from thresher.plant.coded.facts import CodedFacts
from thresher.plant.coded.model import CodedModel
from thresher.plant.coded.pareto import Pareto
from thresher.plant.gates import check_gates
from thresher.plant.model import PlantModel
from thresher.plant.table_training import JudgedRows, Wishes, judge_rows, make_model
from thresher.plant.training_table import Roles, training_table
from thresher.tables.codes import ReasonCodes, read_codes
from thresher.tables.reading import read_table
from thresher.tables.table import Table
from thresher.tables.times import read_times

logger = logging.getLogger("thresher.plant")


class Asked(NamedTuple):
    """What is asked of reason codes.

    Attributes
    ----------
    codes : names, or "all".
    good : the value of good rows, None for the most frequent one.
    costs : of a missed row by code, None where all count alike.
    """

    codes: str | Sequence[str]
    good: str | None = None
    costs: Mapping[str, float] | None = None


def train_coded(
    place: Any, roles: Roles, recipe: Recipe, wishes: Wishes, asked: Asked
) -> CodedModel:
    """Train and judge a model for each code; see `thresher.plant.train`."""
    refuse(recipe)
    table, codes = _read(place, roles, asked)
    costs = _costs_of(asked.costs, codes.codes)
    for note in table.notes:
        logger.warning(note)
    found = [
        _judged(table, roles, _own_recipe(recipe, costs, code), wishes, codes, code)
        for code in codes.codes
    ]
    dealt = deal(found, codes, _budget(recipe, costs, codes))
    pareto = Pareto.of(codes.labels[dealt.rows], dealt.is_alert, codes.codes, codes.good, costs)
    facts = CodedFacts(
        target=roles.target,
        good=codes.good,
        pareto=pareto,
        how=found[0].training.hold_out.words,
        never_judged=len(codes.labels) - len(np.unique(dealt.rows)),
        terms=terms_of(wishes.unit, wishes.event, roles.target, ""),
        per_1000=recipe.per_1000,
        remarks=_remarks(found, codes.codes),
        title=wishes.title,
        description=wishes.description,
    )
    check_gates(facts.judgement, wishes.min_precision, wishes.min_recall)
    models = {
        code: _model(one, roles, recipe, wishes, dealt, place)
        for place, (code, one) in enumerate(zip(codes.codes, found, strict=True))
    }
    return CodedModel(models, facts)


def refuse(recipe: Recipe) -> None:
    """Raise for choices that several codes cannot have."""
    taken = {
        "rule='refer'": recipe.rule == "refer",
        "threshold_by=": recipe.threshold_by is not None,
        "cost_fp_column= and cost_fn_column=": recipe.cost_columns != (None, None),
        "confidence=": recipe.confidence is not None,
    }
    for name, is_given in taken.items():
        if is_given:
            raise ParameterError(
                f"{name} is for one class to find, and does not go with codes=; leave one of the "
                "two out, or find one code with positive=."
            )


def _read(place: Any, roles: Roles, asked: Asked) -> tuple[Table, ReasonCodes]:
    """Read the table, in the order of time where there is one, and its reason codes."""
    table = read_table(place, texts=roles.texts)
    table.need(roles.not_learnt)
    if table.plan is not None:
        logger.info(table.plan.as_table().as_text() + "\n")
    table, codes = read_codes(table, roles.target, asked.codes, asked.good)
    if roles.time is None:
        return table, codes
    order = np.argsort(read_times(table, roles.time), kind="stable")
    return table.take(order), replace(codes, labels=codes.labels[order])


def _costs_of(costs: Mapping[str, float] | None, codes: Sequence[str]) -> dict[str, float] | None:
    """Return the cost of a missed row by code; each code needs one."""
    if costs is None:
        return None
    lacking = [code for code in codes if code not in costs]
    if lacking:
        raise ParameterError(
            f"Costs are given by code, and the code {lacking[0]!r} has none; give it one."
        )
    return {code: float(costs[code]) for code in codes}


def _own_recipe(recipe: Recipe, costs: Mapping[str, float] | None, code: str) -> Recipe:
    """Return the recipe of one code: under a shared budget models compete by F1."""
    if recipe.rule == "budget":
        recipe = replace(recipe, rule="f1", per_1000=None)
    if costs is not None and recipe.cost_fp is not None:
        recipe = replace(recipe, cost_fn=costs[code])
    recipe.check()
    return recipe


def _judged(
    table: Table, roles: Roles, recipe: Recipe, wishes: Wishes, codes: ReasonCodes, code: str
) -> JudgedRows:
    """Choose and judge a model of one code against all other rows."""
    target = {roles.target: codes.one_against_others(code)}
    own = replace(table, columns={**table.columns, **target})
    rows = training_table(own, roles._replace(positive=code))
    for remark in rows.remarks[len(table.notes) :]:
        logger.warning(f"Code {code!r}: {remark}")
    return judge_rows(rows, recipe, wishes, strata=codes.labels)


def _budget(recipe: Recipe, costs: Mapping[str, float] | None, codes: ReasonCodes) -> Budget | None:
    if recipe.rule != "budget" or recipe.per_1000 is None:
        return None
    values = [1.0 if costs is None else costs[code] for code in codes.codes]
    return Budget(recipe.per_1000, tuple(values))


def _model(
    found: JudgedRows, roles: Roles, recipe: Recipe, wishes: Wishes, dealt: Dealt, place: int
) -> PlantModel:
    """Return the model of one code, with its share of the budget."""
    code = found.rows.positive
    roles = roles._replace(positive=code)
    wishes = wishes._replace(title=None, description=None, event=code)
    if recipe.rule != "budget":
        return make_model(found, roles, wishes)
    by_fold = {key: float(thresholds[place]) for key, thresholds in dealt.by_fold.items()}
    found = with_thresholds(found, float(dealt.thresholds[place]), by_fold)
    model = make_model(found, roles, wishes)
    # A code that gets nothing has a share of less than one row.
    share = max(float(dealt.alerts_per_1000[place]), 500.0 / len(found.rows))
    own = replace(model.facts.recipe, rule="budget", per_1000=min(share, 1000.0))
    return replace(model, facts=replace(model.facts, recipe=own, threshold_interval=None))


def _remarks(found: Sequence[JudgedRows], codes: Sequence[str]) -> tuple[str, ...]:
    """Return what is to be said of the table, once; what holds for one code names it."""
    every = [one.rows.remarks for one in found]
    common = [remark for remark in every[0] if all(remark in others for others in every)]
    own = [
        f"Code {code!r}: {remark}"
        for code, remarks in zip(codes, every, strict=True)
        for remark in remarks
        if remark not in common
    ]
    return (*common, *own)
