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
from thresher.cli.source import PLACE, source_options, taken_source


@click.command()
@click.argument("place", metavar="TABLE", type=PLACE)
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
@seed_option
@jobs_option
@source_options
@json_option
def train(place: str, **options: Any) -> None:
    """Train on TABLE: CSV, Parquet, '-' for standard input, or the URL of a database.

    Writes model.thresher, conditions.csv, conditions.json and report.html, and prints the verdict.
    """
    check_jobs(options["jobs"])
    source = taken_source(place, options)
    source.check()
    from thresher.cli.parts import Request
    from thresher.cli.plant_model import run_training

    run_training(Request(source=source, **options))
