"""`thresher report`: the report of a model on a table of rows that it has not seen."""

from pathlib import Path
from typing import Any

import click

from thresher.cli.options import (
    MODEL,
    PLACE,
    cost_options,
    drift_option,
    json_option,
    pop_source,
    read_costs,
    source_options,
)
from thresher.cli.output import print_json, say, tell, told


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
@click.option("--time", metavar="COLUMN", help="Column that tells when a row was made.")
@drift_option
@cost_options
@source_options
@json_option
def report(model: Path, place: str, **options: Any) -> None:
    """Write a report of how MODEL does on TABLE, whose rows had no part in the training.

    `thresher train` writes the report of the training itself.
    """
    needed = [options["target"], options["time"]]
    source, costs = pop_source(place, options, needed=needed), read_costs(options)
    from thresher.plant import PlantModel
    from thresher.plant.quiet import without_warnings

    out, as_json = options.pop("out"), options.pop("as_json")
    with told(), without_warnings():
        page = PlantModel.load(model).report(source, costs=costs, **options)
        page.save(out)
    tell(f"Written: {out}")
    verdict = page.summary["verdict"]
    if as_json:
        content = {"verdict": verdict, "out": str(out)}
        print_json(content)
    else:
        say("\n".join([verdict["heading"], *verdict["sentences"]]))
