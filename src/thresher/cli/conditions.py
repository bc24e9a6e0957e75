"""`thresher conditions`: what leads to the rare class, from a model and on new rows."""

from pathlib import Path
from typing import Any

import click

from thresher.cli.options import MODEL, cost_options, json_option
from thresher.tables.source import PLACE, source_options, taken_source

FORMATS = ("text", "csv", "json", "sql")


@click.command()
@click.argument("model", type=MODEL)
@click.argument("place", metavar="[TABLE]", type=PLACE, required=False)
@click.option("--target", metavar="COLUMN", help="Column of TABLE with the classes [as trained].")
@click.option("--format", "form", type=click.Choice(FORMATS), default="text", show_default=True)
@cost_options
@source_options
@json_option
def conditions(model: Path, place: str | None, **options: Any) -> None:
    """Print the conditions of MODEL (a file, or the folder of `thresher train`).

    Those of the training without TABLE. With a TABLE of rows that had no part in the training, each
    condition of the tree is tested on them: rate, interval and adjusted p-value.
    """
    source = taken_source(place or "", options)
    if options["as_json"]:
        options["form"] = "json"
    if (options["cost_fp"] is None) != (options["cost_fn"] is None):
        raise click.UsageError("--cost-fp and --cost-fn belong together.")
    from thresher.cli.condition_listing import list_conditions

    list_conditions(model, source if place else None, options)
