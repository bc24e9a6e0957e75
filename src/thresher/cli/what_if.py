"""`thresher what-if`: the smallest change of settings with which a row would pass."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from thresher.cli.limit_option import limit_option
from thresher.cli.messages import tell, told
from thresher.cli.options import MODEL, PLACE, json_option, many, pop_source, source_options
from thresher.cli.printing import print_json, say

if TYPE_CHECKING:
    from thresher.action import WhatIf
    from thresher.plant import PlantModel
    from thresher.tables.table import Table

MOST = 10
"""Rows that are looked at unless some are named."""


@click.command()
@click.argument("model", type=MODEL)
@click.argument("place", metavar="TABLE", type=PLACE)
@many("--settings", text="Columns that may be changed [as trained].")
@limit_option
@click.option(
    "--row",
    "rows",
    type=click.IntRange(1),
    multiple=True,
    help=f"Number of a row of TABLE, from 1. Several times [the first {MOST} that alert].",
)
@source_options
@json_option
def what_if(model: Path, place: str, **options: Any) -> None:
    """Say for rows of TABLE with which smallest change of settings MODEL would pass them.

    The size of a change is the sum of the changes over the standard deviations of their columns.
    It is what the model would answer, not what would become of the part; for trees and forests.
    """
    source = pop_source(place, options)
    from thresher.plant import PlantModel
    from thresher.plant.quiet import without_warnings

    with told(), without_warnings():
        plant = PlantModel.load(model)
        table = plant.read(source)
        asked = list(options["rows"]) or _first_alerts(plant, table)
        found = {row: _found(plant, table, row, options) for row in asked}
    if options["as_json"]:
        print_json([{"row": row, **one.as_data()} for row, one in found.items()])
    else:
        say("\n".join(f"Row {row}. {one}" for row, one in found.items()) or "No row alerts.")


def _first_alerts(plant: "PlantModel", table: "Table") -> Sequence[int]:
    """Return the numbers of the first rows that alert."""
    from thresher.tables.table import texts_of

    found, _, _ = plant.predict_columns(table, 0)
    positive = str(plant.estimator.pos_label_)
    alerts = [row for row, text in enumerate(texts_of(found["decision"]), 1) if text == positive]
    if len(alerts) > MOST:
        tell(f"The first {MOST} of {len(alerts):,} alerts; name others with --row.")
    return alerts[:MOST]


def _found(plant: "PlantModel", table: "Table", row: int, options: dict[str, Any]) -> "WhatIf":
    import numpy as np

    from thresher.errors import ParameterError

    if row > len(table):
        raise ParameterError(f"--row {row} is not in the table, which has {len(table):,} rows.")
    return plant.what_if(
        table.take(np.array([row - 1])),
        settings=options["settings"] or None,
        limits=options["limits"],
    )
