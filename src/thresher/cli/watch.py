"""`thresher watch`: whether rates have changed since a model was judged, valid at every look."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from thresher.cli.options import (
    MODEL,
    PLACE,
    drift_option,
    json_option,
    many,
    pop_source,
    source_options,
)
from thresher.cli.output import GATE_MISSED, as_options, print_json, say, tell, told

if TYPE_CHECKING:
    from thresher.judging.watch.look import Look
    from thresher.plant import PlantModel, Watch

WRITTEN = click.Path(dir_okay=False, path_type=Path)


@click.command()
@click.argument("model", type=MODEL)
@click.argument("place", metavar="TABLE", type=PLACE)
@click.option(
    "--state", required=True, type=WRITTEN, help="JSON file that goes on from look to look."
)
@click.option(
    "--time",
    metavar="COLUMN",
    help="Column that tells when a row was made; each day is a batch [the table is one].",
)
@click.option(
    "--alpha",
    type=click.FloatRange(1e-6, 0.5),
    help="Probability of a false alarm over the life of a new state [0.05].",
)
@many("--watched", text="What a new state watches [rate,misses,alerts].")
@click.option("--report", type=WRITTEN, help="HTML file: the report of MODEL with the watch.")
@drift_option
@source_options
@json_option
def watch(model: Path, place: str, **options: Any) -> None:
    """Add the rows of TABLE to a watch over MODEL, and exit with 4 on an alarm.

    Watched are the rate of positives and the share of them that is missed, where labels are known,
    and the alert rate, which needs none. Looking often costs nothing: alpha holds for all looks
    together. Rows that were seen before count once; their labels may come later.
    """
    source = pop_source(place, options, needed=[options["time"]])
    from thresher.plant import PlantModel
    from thresher.plant.quiet import without_warnings

    with told(), without_warnings():
        plant = PlantModel.load(model)
        if options["report"] is not None:
            _need_report(plant)
        found = _opened(plant, options)
        look = found.look(
            source,
            time=options["time"],
            state=options["state"],
            allow_drift=options["allow_drift"],
        )
        if not look.outside:
            tell(f"Written: {options['state']}")
        if options["report"] is not None:
            plant.report(watch=found).save(options["report"])
            tell(f"Written: {options['report']}")
    _print(look, options)
    if look.is_alarm:
        click.get_current_context().exit(GATE_MISSED)


def _need_report(plant: "PlantModel") -> None:
    from thresher.errors import ModelFileError

    if plant.summary is None:
        raise ModelFileError(
            "The file of this model has no report to which the watch could be added; train it "
            "with one, or leave out --report."
        )


def _opened(plant: "PlantModel", options: dict[str, Any]) -> "Watch":
    """Return a watch with the options of the state file where there is one; given ones win."""
    from thresher.judging.watch.question import WATCHED
    from thresher.plant import Watch

    alpha, watched = 0.05, tuple(WATCHED)
    if options["state"].exists():
        begun = Watch.load(options["state"], plant)
        alpha, watched = begun.alpha, begun.watched
    return Watch(plant, options["alpha"] or alpha, watched=options["watched"] or watched)


def _print(look: "Look", options: dict[str, Any]) -> None:
    if options["as_json"]:
        print_json({**look.as_data(), "state": str(options["state"])})
    else:
        say(as_options("\n".join(look.words)))
