"""`thresher conditions`: what leads to the rare class, from a model and on new rows."""

import json
from pathlib import Path
from typing import Any

import click

from thresher.cli.messages import tell, told
from thresher.cli.options import (
    MODEL,
    PLACE,
    cost_options,
    json_option,
    pop_source,
    read_costs,
    source_options,
    training_rows_option,
)
from thresher.cli.printing import DataOutput, print_json, say

FORMATS = ("text", "csv", "json", "sql")


@click.command()
@click.argument("model", type=MODEL)
@click.argument("place", metavar="[TABLE]", type=PLACE, required=False)
@click.option("--target", metavar="COLUMN", help="Column of TABLE with the classes [as trained].")
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default="text",
    show_default=True,
    help="How to print them; sql makes a WHERE of each.",
)
@training_rows_option
@cost_options
@source_options
@json_option
def conditions(model: Path, place: str | None, **options: Any) -> None:
    """Print the conditions of MODEL (a file, or the folder of `thresher train`).

    Those of the training without TABLE. With a TABLE of rows that had no part in the training, each
    condition of the tree is tested on them: rate, interval and adjusted p-value.
    """
    needed = [options["target"]]
    source, costs = pop_source(place or "", options, needed=needed), read_costs(options)
    form = "json" if options["as_json"] else options["form"]
    from thresher.plant import PlantModel
    from thresher.plant.quiet import without_warnings

    with told(), without_warnings():
        plant = PlantModel.load(model)
        if plant.is_imitated:
            tell("These are the conditions of the tree that imitates the model.")
        table = plant.conditions
        if place is not None:
            table = plant.test_conditions(
                source, options["target"], allow_training_rows=options["allow_training_rows"]
            )
    if costs is not None:
        table = table.with_costs(costs.fp, costs.fn)
    words = plant.facts.terms if form == "text" else ()
    text = str(getattr(table, f"to_{form}")(*words)).rstrip("\n")
    if form == "text":
        say(text)
    elif form == "json":
        print_json(json.loads(text))
    else:
        DataOutput().write(f"{text}\n")
