"""The steps of `thresher report`."""

import json
from pathlib import Path
from typing import Any

import click

from thresher.cli.condition_listing import LabelledRows, read_rows, tested
from thresher.cli.model_store import TrainedModel, load
from thresher.cli.options import model_file
from thresher.cli.output import new_file
from thresher.judging.recipe import MOST_LEAVES
from thresher.tables.errors import quiet, said
from thresher.tables.source import Source
from thresher.tables.times import read_times
from thresher.threshold.rules import Costs


def run_report(path: Path, source: Source, options: dict[str, Any]) -> None:
    """Do all that `thresher report` does."""
    from thresher.report import render

    model = load(model_file(path))
    rows = read_rows(model, source, options["target"], options["time"])
    with quiet():
        summary = _summary(model, rows, options)
    with new_file(options["out"]) as temporary:
        temporary.write_text(render(summary), encoding="utf-8")
    said(f"Written: {options['out']}")
    verdict = summary["verdict"]
    if options["as_json"]:
        content = {"verdict": verdict, "out": str(options["out"])}
        click.echo(json.dumps(content, indent=2, ensure_ascii=False))
    else:
        click.echo("\n".join([verdict["heading"], *verdict["sentences"]]))


def _summary(model: TrainedModel, rows: LabelledRows, options: dict[str, Any]) -> dict[str, Any]:
    from thresher.report import summarize

    costs = _costs(model, options)
    if not rows.features.is_named:
        model.estimator.set_params(categorical_features=rows.features.categorical)
    times = None
    if options["time"] is not None:
        found = read_times(rows.table, options["time"])
        times = found if found.dtype.kind == "M" else None
    return summarize(
        model.estimator,
        rows.features.X,
        rows.labels,
        stations=model.facts.get("stations"),
        times=times,
        costs=costs,
        held_out=True,
        conditions=tested(model, rows, costs),
        resampling=len(rows.labels) <= 100_000,
        title=options["title"],
        description=f"{len(rows.labels):,} rows that had no part in the training.",
        unit=str(model.facts.get("unit", "parts")),
        event=str(model.facts.get("event", model.estimator.pos_label_)),
        max_leaf_nodes=MOST_LEAVES,
        seed=options["seed"],
    )


def _costs(model: TrainedModel, options: dict[str, Any]) -> Costs | None:
    """Return the costs that are given, or those of the training."""
    given = options["cost_fp"], options["cost_fn"]
    if (given[0] is None) != (given[1] is None):
        raise click.UsageError("--cost-fp and --cost-fn belong together.")
    if given[0] is None:
        recipe = model.facts.get("recipe", {})
        given = recipe.get("cost_fp"), recipe.get("cost_fn")
    return None if None in given else Costs(float(given[0]), float(given[1]))
