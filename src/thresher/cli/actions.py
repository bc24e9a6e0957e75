"""`thresher actions`: which setting to hold where, and what that would bring."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from thresher.cli.limit_option import limit_option
from thresher.cli.messages import tell, told
from thresher.cli.options import (
    MODEL,
    PLACE,
    json_option,
    many,
    pop_source,
    source_options,
    training_rows_option,
)
from thresher.cli.printing import print_as

if TYPE_CHECKING:
    from thresher.plant import CodedModel
    from thresher.tables.source import Source

FORMATS = ("text", "csv", "json")


@click.command()
@click.argument("model", type=MODEL)
@click.argument("place", metavar="TABLE", type=PLACE)
@many("--settings", text="Columns that can be set on the line [as trained].")
@limit_option
@click.option("--cost", type=click.FloatRange(0.0), help="Of a positive row [as trained].")
@click.option("--target", metavar="COLUMN", help="Column of TABLE with the classes [as trained].")
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default="text",
    show_default=True,
    help="How to print them.",
)
@training_rows_option
@source_options
@json_option
def actions(model: Path, place: str, **options: Any) -> None:
    """Say what may be done about the conditions of MODEL, by TABLE.

    For each condition: which setting to hold where, how much would be avoided on rows that had no
    part in the training, with an interval, and which columns could be the reason instead. These are
    associations, not proofs of cause.
    """
    source = pop_source(place, options, needed=[options["target"]])
    form = "json" if options["as_json"] else options["form"]
    from thresher.plant import CodedModel
    from thresher.plant.loading import load_plant
    from thresher.plant.quiet import without_warnings

    with told(), without_warnings():
        plant = load_plant(model)
        if isinstance(plant, CodedModel):
            return _print_codes(plant, source, options, form)
        if plant.is_imitated:
            tell("These are the conditions of the tree that imitates the model.")
        table = plant.actions(
            source,
            settings=options["settings"] or None,
            limits=options["limits"],
            costs=options["cost"],
            target=options["target"],
            allow_training_rows=options["allow_training_rows"],
        )
    words = plant.facts.terms if form == "text" else ()
    print_as(str(getattr(table, f"to_{form}")(*words)).rstrip("\n"), form)


def _print_codes(plant: "CodedModel", source: "Source", options: dict[str, Any], form: str) -> None:
    """Print what may be done about each of several codes."""
    from thresher.plant.coded.conditions import codes_csv, codes_json, codes_text

    if options["target"] is not None or options["cost"] is not None:
        raise click.UsageError(
            "--target and --cost are for a model of one class, not of several codes; leave them "
            "out."
        )
    tables = plant.actions(
        source,
        settings=options["settings"] or None,
        limits=options["limits"],
        allow_training_rows=options["allow_training_rows"],
    )
    if form == "text":
        print_as(codes_text(tables, plant.facts.terms), form)
    else:
        print_as((codes_csv if form == "csv" else codes_json)(tables).rstrip("\n"), form)
