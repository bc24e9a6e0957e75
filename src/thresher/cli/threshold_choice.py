"""The steps of `thresher threshold`."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from thresher.cli.condition_file import from_data
from thresher.cli.model_store import TrainedModel, load, save
from thresher.cli.options import check_gates, model_file
from thresher.cli.output import new_file
from thresher.cli.prediction import write_csv
from thresher.cli.printing import print_table
from thresher.condition.finding import conditions
from thresher.condition.table import ConditionTable
from thresher.judging.recipe import Recipe
from thresher.tables.errors import GateMissedError, said
from thresher.text_table import Cell, TextTable, Value
from thresher.threshold.rules import RuleNotMetError
from thresher.threshold.score_counts import Scores, measures

RULE_OPTIONS = ("rule", "cost_fp", "cost_fn", "beta", "floor", "per_1000")


def run_threshold(path: Path, options: dict[str, Any]) -> None:
    """Do all that `thresher threshold` does."""
    model = load(model_file(path))
    scores = Scores.from_data(model.facts.get("scores"))
    recipe = _recipe(model, options)
    rows = {"now": float(model.estimator.threshold_)}
    chosen = _chosen(options, recipe, scores)
    if chosen is not None:
        rows["new"] = chosen
    found = {
        name: {"threshold": value, **measures(scores.counts_at(value), recipe.costs)}
        for name, value in rows.items()
    }
    check_gates(found["new" if chosen is not None else "now"], options)
    _write(model, scores, recipe, chosen, options)
    if options["as_json"]:
        click.echo(json.dumps({"rule": _rule(options, recipe, chosen), **found}, indent=2))
    else:
        how = f"rule {recipe.rule}" if options["value"] is None else "as given by --set"
        print_table(_table(found, how))


def _rule(options: dict[str, Any], recipe: Recipe, chosen: float | None) -> str | None:
    """Return the rule that chose the new threshold, if one did."""
    return None if chosen is None or options["value"] is not None else recipe.rule


def _recipe(model: TrainedModel, options: dict[str, Any]) -> Recipe:
    """Return the rule that is asked for, with the costs of the training where none are given."""
    trained = model.facts.get("recipe", {})
    given = {name: options[name] for name in RULE_OPTIONS}
    if given["cost_fp"] is None and given["cost_fn"] is None:
        given |= {name: trained.get(name) for name in ("cost_fp", "cost_fn")}
    costs_given = options["cost_fp"] is not None
    given["rule"] = given["rule"] or ("cost" if costs_given else "f1")
    recipe = Recipe(**given)
    recipe.checked_rule()
    return recipe


def _chosen(options: dict[str, Any], recipe: Recipe, scores: Scores) -> float | None:
    """Return the new threshold, None where the present one is only looked at."""
    if options["value"] is not None:
        return float(options["value"])
    if options["rule"] is None and options["cost_fp"] is None:
        return None
    try:
        return recipe.checked_rule().choose(scores.cuts(), scores.share)
    except RuleNotMetError as error:
        raise GateMissedError(str(error)) from None


def _write(
    model: TrainedModel,
    scores: Scores,
    recipe: Recipe,
    chosen: float | None,
    options: dict[str, Any],
) -> None:
    if options["out"] is not None and chosen is None:
        raise click.UsageError("--out needs a new threshold: give --rule or --set.")
    if options["curve"] is not None:
        with new_file(options["curve"]) as path, path.open("w", encoding="utf-8") as file:
            write_csv(scores.curve(recipe.costs), file)
        said(f"Written: {options['curve']}")
    if options["out"] is not None and chosen is not None:
        with new_file(options["out"]) as path:
            save(_moved(model, chosen), path)
        said(f"Written: {options['out']}")


def _moved(model: TrainedModel, threshold: float) -> TrainedModel:
    """Return the model with another threshold, and the conditions of its alerts."""
    model.estimator.threshold_ = threshold
    facts = {**model.facts, "threshold_interval": None}
    if model.is_forest:
        return replace(model, facts=facts)
    return replace(model, facts=facts, conditions=_conditions_above(model, threshold))


def _conditions_above(model: TrainedModel, threshold: float) -> ConditionTable:
    """Keep the conditions that still raise alerts; new ones are worded as the tree has them."""
    is_positive = model.reader.tree_.probability > threshold
    content = json.loads(model.conditions.to_json())
    kept = [row for row in content["conditions"] if is_positive[row["leaves"]].any()]
    named = {leaf for row in kept for leaf in row["leaves"]}
    plain = json.loads(conditions(model.reader, output="json"))["conditions"]
    new = [row for row in plain if not named & set(row["leaves"])]
    rows = sorted([*kept, *new], key=lambda row: -row["scrap"])
    return from_data({**content, "conditions": rows}, model.reader.columns_)


def _table(found: dict[str, dict[str, float]], how: str) -> TextTable:
    names = list(next(iter(found.values())))
    heads = [name.replace("_", " ").replace("per 1000", "/ 1000") for name in names]
    rows: list[list[Value | Cell]] = [
        [name, *(Cell(row[one], _decimals(one)) for one in names)] for name, row in found.items()
    ]
    notes = ["On training rows, each scored by a model that had not seen it."]
    if "new" in found:
        notes.append(f"new: {how}.")
    return TextTable("Threshold", ["", *heads], rows, notes)


def _decimals(name: str) -> int:
    return 4 if name == "threshold" else 1 if name.endswith("per_1000") else 3
