"""`thresher conditions`: what leads to the rare class, from a model and on new rows."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

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
from thresher.cli.printing import print_as

if TYPE_CHECKING:
    from thresher.plant import CodedModel
    from thresher.tables.source import Source
    from thresher.threshold.rules import Costs

FORMATS = ("text", "csv", "json", "sql")


@click.command()
@click.argument("model", type=MODEL)
@click.argument("place", metavar="[TABLE]", type=PLACE, required=False)
@click.option("--target", metavar="COLUMN", help="Column of TABLE with the classes [as trained].")
@click.option("--code", metavar="CODE", help="Of several reason codes this one [all].")
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
    from thresher.plant import CodedModel
    from thresher.plant.loading import load_plant
    from thresher.plant.quiet import without_warnings

    with told(), without_warnings():
        plant = load_plant(model)
        if isinstance(plant, CodedModel):
            return _print_codes(plant, None if place is None else source, costs, options, form)
        if options["code"] is not None:
            raise click.UsageError("--code is for a model of several reason codes.")
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
    print_as(str(getattr(table, f"to_{form}")(*words)).rstrip("\n"), form)


def _print_codes(
    plant: "CodedModel",
    source: "Source | None",
    costs: "Costs | None",
    options: dict[str, Any],
    form: str,
) -> None:
    """Print the conditions of several codes, or of one of them."""
    from thresher.plant.coded.conditions import codes_csv, codes_json, codes_text

    code, allowed = options["code"], options["allow_training_rows"]
    if code is not None and code not in plant.codes:
        known = ", ".join(map(repr, plant.codes))
        raise click.UsageError(f"--code {code!r} is not a code of this model; they are {known}.")
    if code is None and form == "sql":
        raise click.UsageError("SQL is of one code; name it with --code.")
    tables = plant.conditions
    if source is not None:
        tables = plant.test_conditions(source, allow_training_rows=allowed)
    if costs is not None:
        tables = {one: found.with_costs(costs.fp, costs.fn) for one, found in tables.items()}
    tables = tables if code is None else {code: tables[code]}
    if form == "sql":
        print_as(tables[code].to_sql(), form)
    elif form == "text":
        print_as(codes_text(tables, plant.facts.terms), form)
    else:
        print_as((codes_csv if form == "csv" else codes_json)(tables).rstrip("\n"), form)
