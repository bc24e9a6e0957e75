"""The steps of `thresher threshold`."""

import json
from pathlib import Path
from typing import Any

import click

from thresher.benchmark.tables import Cell, Table
from thresher.cli.errors import GateMissedError, said
from thresher.cli.model_store import TrainedModel, load, save
from thresher.cli.options import check_gates, model_file
from thresher.cli.output import new_file
from thresher.cli.prediction import write_csv
from thresher.cli.printing import print_table
from thresher.cli.recipe import Recipe
from thresher.cli.scores import Scores, measures
from thresher.threshold.rules import RuleNotMetError

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
        click.echo(json.dumps({"rule": recipe.rule if chosen else None, **found}, indent=2))
    else:
        print_table(_table(found, recipe))


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
    """Return the model with another threshold; conditions of leaves below it go."""
    model.estimator.threshold_ = threshold
    if not model.is_forest:
        positive = model.reader.tree_.probability > threshold
        kept = [one for one in model.facts["conditions"] if positive[one["leaves"]].any()]
        model.facts["conditions"] = kept + _further(model, positive, kept)
    model.facts["threshold_interval"] = None
    return model


def _further(model: TrainedModel, positive: Any, kept: list[Any]) -> list[dict[str, Any]]:
    """Return conditions for leaves that raise alerts only now, as the tree words them."""
    from thresher.condition.finding import conditions

    named = {leaf for one in kept for leaf in one["leaves"]}
    table = conditions(model.estimator, output="table")
    pairs = zip(table.texts, table.conditions, strict=True)
    return [
        {"text": text, "leaves": list(condition.leaves), "station": None}
        for text, condition in pairs
        if not named & set(condition.leaves) and positive[list(condition.leaves)].all()
    ]


def _table(found: dict[str, dict[str, float]], recipe: Recipe) -> Table:
    names = list(next(iter(found.values())))
    heads = [name.replace("_", " ").replace("per 1000", "/ 1000") for name in names]
    rows = [[name, *(Cell(row[one], _decimals(one)) for one in names)] for name, row in found.items()]
    notes = ["On training rows, each scored by a model that had not seen it."]
    if "new" in found:
        notes.append(f"new: rule {recipe.rule}, or the value of --set.")
    return Table("Threshold", ["", *heads], rows, notes)


def _decimals(name: str) -> int:
    return 4 if name == "threshold" else 1 if name.endswith("per_1000") else 3
