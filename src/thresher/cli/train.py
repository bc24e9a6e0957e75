"""`thresher train`: a table in; a model, its conditions and a report out."""

from pathlib import Path
from typing import Any

import click

from thresher.cli.options import (
    check_jobs,
    gate_options,
    jobs_option,
    json_option,
    many,
    rule_options,
    seed_option,
)
from thresher.tables.source import PLACE, source_options, taken_source


@click.command()
@click.argument("places", metavar="TABLE...", type=PLACE, nargs=-1, required=True)
@click.option("--target", required=True, metavar="COLUMN", help="Column with the two classes.")
@click.option(
    "--out",
    required=True,
    type=click.Path(path_type=Path),
    help="Folder for model, conditions and report.",
)
@click.option("--model", type=click.Choice(["tree", "forest"]), default="tree", show_default=True)
@click.option(
    "--trees", type=click.IntRange(1), default=200, show_default=True, help="Of --model forest."
)
@rule_options
@gate_options
@click.option("--positive", metavar="CLASS", help="The class to find [the rarer one].")
@many("--id", "ids", text="Columns that name a row; not learnt from.")
@click.option("--time", metavar="COLUMN", help="When a row was made: later rows judge the model.")
@click.option("--group", metavar="COLUMN", help="Rows of one group are held out together.")
@many("--ignore", text="Columns to leave out.")
@click.option("--stations", type=PLACE, metavar="TABLE", help="Columns 'column' and 'station'.")
@click.option("--folds", type=click.IntRange(2), default=5, show_default=True)
@click.option("--no-report", is_flag=True, help="Write model and conditions only.")
@click.option("--title", default="Which parts will be scrapped?", help="Heading of the report.")
@click.option("--unit", default="parts", show_default=True, help="What a row is, in the plural.")
@click.option("--event", metavar="WORD", help="Word for the class to find, such as scrap.")
@click.option(
    "--stream/--no-stream",
    default=None,
    help="Read Parquet batch by batch [where several files exceed 2 GB in memory]: the last files "
    "judge the model, and there is no report.",
)
@seed_option
@jobs_option
@source_options
@json_option
def train(places: tuple[str, ...], **options: Any) -> None:
    """Train on TABLE: CSV, Parquet (several files, too), '-' for standard input, or a database URL.

    Writes model.thresher, conditions.csv, conditions.json and report.html, and prints the verdict.
    """
    check_jobs(options["jobs"])
    source = taken_source(places[0], options, places[1:])
    source.check()
    from thresher.cli.parts import Request
    from thresher.cli.plant_model import run_training

    run_training(Request(source=source, **options))
