"""`thresher predict`: probability, decision and condition for each row of a table."""

from pathlib import Path
from typing import Any

import click

from thresher.cli.options import MODEL, gate_options, json_option, many
from thresher.tables.source import PLACE, source_options, taken_source


@click.command()
@click.argument("model", type=MODEL)
@click.argument("place", metavar="TABLE", type=PLACE)
@many("--id", "ids", text="Columns to keep beside the result [all columns].")
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="CSV or .parquet file [standard output].",
)
@gate_options
@source_options
@json_option
def predict(model: Path, place: str, **options: Any) -> None:
    """Apply MODEL (a file, or the folder of `thresher train`) to TABLE.

    Adds the columns probability, decision and condition. Columns are matched by name; further ones
    are kept. Where the table has the target, precision and recall are told.
    """
    source = taken_source(place, options)
    source.check()
    from thresher.cli.prediction import run_prediction

    run_prediction(model, source, options)
