"""`thresher conditions` and `thresher actions`: conditions of a model, and what may be done."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from thresher.cli.options import (
    MODEL,
    PLACE,
    Decorated,
    cost_options,
    json_option,
    limit_option,
    many,
    pop_source,
    read_costs,
    source_options,
)
from thresher.cli.output import DataOutput, print_json, say, tell, told

if TYPE_CHECKING:
    from thresher.plant import PlantModel

target_option = click.option(
    "--target", metavar="COLUMN", help="Column of TABLE with the classes [as trained]."
)


def _form_option(*forms: str, text: str) -> Callable[[Decorated], Decorated]:
    choice = click.Choice(forms)
    return click.option(
        "--format", "form", type=choice, default="text", show_default=True, help=text
    )


@click.command()
@click.argument("model", type=MODEL)
@click.argument("place", metavar="[TABLE]", type=PLACE, required=False)
@target_option
@_form_option("text", "csv", "json", "sql", text="How to print them; sql makes a WHERE of each.")
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
    from thresher.plant.quiet import without_warnings

    with told(), without_warnings():
        plant = _model(model)
        table = plant.conditions
        if place is not None:
            table = plant.test_conditions(source, options["target"])
    if costs is not None:
        table = table.with_costs(costs.fp, costs.fn)
    _print(table, options)


@click.command()
@click.argument("model", type=MODEL)
@click.argument("place", metavar="TABLE", type=PLACE)
@many("--settings", text="Columns that can be set on the line [as trained].")
@limit_option
@click.option("--cost", type=click.FloatRange(0.0), help="Of a positive row [as trained].")
@target_option
@_form_option("text", "csv", "json", text="How to print them.")
@source_options
@json_option
def actions(model: Path, place: str, **options: Any) -> None:
    """Say what may be done about the conditions of MODEL, by TABLE.

    For each condition: which setting to hold where, how much would be avoided on rows that had no
    part in the training, with an interval, and which columns could be the reason instead. These are
    associations, not proofs of cause.
    """
    source = pop_source(place, options, needed=[options["target"]])
    from thresher.plant.quiet import without_warnings

    with told(), without_warnings():
        plant = _model(model)
        table = plant.actions(
            source,
            settings=options["settings"] or None,
            limits=options["limits"],
            costs=options["cost"],
            target=options["target"],
        )
    _print(table, options)


def _model(path: Path) -> "PlantModel":
    from thresher.plant import PlantModel

    plant = PlantModel.load(path)
    if plant.is_imitated:
        tell("These are the conditions of the tree that imitates the model.")
    return plant


def _print(table: Any, options: dict[str, Any]) -> None:
    form = "json" if options["as_json"] else options["form"]
    text = str(getattr(table, f"to_{form}")()).rstrip("\n")
    if form == "text":
        say(text)
    elif form == "json":
        print_json(json.loads(text))
    else:
        DataOutput().write(f"{text}\n")
