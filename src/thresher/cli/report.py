"""`thresher report`: the report of a model on a table of rows that it has not seen."""

from pathlib import Path
from typing import Any

import click

from thresher.cli.options import MODEL, cost_options, json_option, seed_option
from thresher.tables.source import PLACE, source_options, taken_source


@click.command()
@click.argument("model", type=MODEL)
@click.argument("place", metavar="TABLE", type=PLACE)
@click.option(
    "--out",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="HTML file to write.",
)
@click.option("--target", metavar="COLUMN", help="Column of TABLE with the classes [as trained].")
@click.option("--time", metavar="COLUMN", help="When a row was made.")
@click.option("--title", default="Which parts will be scrapped?", help="Heading of the report.")
@cost_options
@seed_option
@source_options
@json_option
def report(model: Path, place: str, **options: Any) -> None:
    """Write a report of how MODEL does on TABLE, whose rows had no part in the training.

    `thresher train` writes the report of the training itself.
    """
    source = taken_source(place, options)
    source.check()
    from thresher.cli.reporting import run_report

    run_report(model, source, options)
