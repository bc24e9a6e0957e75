"""`thresher train`: a table in; a model, its conditions and a report out."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from thresher.cli.candidate_options import candidate_options
from thresher.cli.code_options import code_options, pop_codes
from thresher.cli.messages import tell, told
from thresher.cli.options import (
    PLACE,
    check_jobs,
    gate_options,
    jobs_option,
    json_option,
    many,
    pop_source,
    rule_options,
    seed_option,
    source_options,
)
from thresher.cli.printing import print_json, say
from thresher.errors import GateMissedError
from thresher.whole_file import check_folder

if TYPE_CHECKING:
    from thresher.plant import CodedModel, PlantModel
    from thresher.tables.source import Source

MAX_SHOWN = 5
"""Conditions that a terminal shows."""


@click.command()
@click.argument("places", metavar="TABLE...", type=PLACE, nargs=-1, required=True)
@click.option("--target", required=True, metavar="COLUMN", help="Column with the classes.")
@click.option(
    "--out",
    required=True,
    type=click.Path(path_type=Path),
    help="Folder for model, conditions and report.",
)
@candidate_options
@rule_options
@gate_options
@click.option("--positive", metavar="CLASS", help="The class to find [the rarer one].")
@code_options
@many("--id", "id", text="Columns that name a row and are not learnt from.")
@click.option(
    "--time",
    metavar="COLUMN",
    help="Column that tells when a row was made; later rows judge the model.",
)
@click.option(
    "--group", metavar="COLUMN", help="Column whose rows of one value are held out together."
)
@many("--ignore", text="Columns to leave out.")
@many("--settings", text="Columns that can be set on the line: where to hold them is told.")
@click.option(
    "--stations",
    type=PLACE,
    metavar="TABLE",
    help="Table that tells the 'station' of each 'column'.",
)
@click.option(
    "--cost-fn-column", metavar="COLUMN", help="Column with what a miss costs in each row."
)
@click.option(
    "--cost-fp-column", metavar="COLUMN", help="Column with what a false alarm costs in each row."
)
@click.option("--learn-costs", is_flag=True, help="Learn from the columns with costs, too.")
@click.option(
    "--threshold-by",
    metavar="COLUMN",
    help="Column such as a machine, product or site: each gets its cut, by one rule for all.",
)
@click.option(
    "--folds",
    type=click.IntRange(2),
    default=5,
    show_default=True,
    help="Parts of the table that judge the model in turn.",
)
@click.option("--no-report", is_flag=True, help="Write model and conditions only.")
@click.option("--title", help="Heading of the report.")
@click.option("--unit", metavar="WORD", help="What a row is, in the plural [rows].")
@click.option(
    "--event", metavar="WORD", help="What is looked for, such as failures or scrap [rare cases]."
)
@click.option(
    "--stream/--no-stream",
    default=None,
    help="Read Parquet batch by batch [where its values exceed 2 GB in memory]: trees and a forest "
    "compete, and the last files judge.",
)
@click.option(
    "--memory",
    type=click.FloatRange(0.001),
    metavar="GB",
    help="Memory for binned rows and counts with --stream [half of the machine's].",
)
@seed_option
@jobs_option
@source_options
@json_option
def train(places: tuple[str, ...], **options: Any) -> None:
    """Train on TABLE: CSV, Excel, Parquet (several files, too), '-' for standard input, or a URL.

    Writes model.thresher, conditions.csv, conditions.json and report.html, and prints the verdict.
    """
    check_jobs(options["jobs"])
    special = [options["target"], *options["id"], options["time"], options["group"]]
    special += [options[name] for name in ("cost_fp_column", "cost_fn_column", "threshold_by")]
    source = pop_source(places[0], options, places[1:], [*special, *options["ignore"]])
    as_json, out, no_report = (options.pop(name) for name in ("as_json", "out", "no_report"))
    check_folder(out)
    with told():
        try:
            model = train_source(source, options)
        except GateMissedError as error:
            sentence = str(error).rstrip(".")
            raise GateMissedError(f"{sentence}; nothing was written to '{out}'.") from None
        files = write_folder(model, out, report=not no_report and model.is_at_hand)
    if as_json:
        print_json(outcome(model, files))
    else:
        say(told_of(model))


def train_source(source: "Source", options: dict[str, Any]) -> "PlantModel | CodedModel":
    """Train on a table at once, or batch by batch where that was asked for or it is large.

    The library's `train` takes the options of this command by their own names.
    """
    from thresher.plant import train as train_table

    renamed = {"random_state": options.pop("seed"), "n_jobs": options.pop("jobs")}
    options = {**options, **renamed}
    pop_codes(options)
    if options["memory"] is not None:
        options["memory"] = int(options["memory"] * 1e9)
    model: PlantModel | CodedModel = train_table(source, verbose=True, **options)
    return model


def write_folder(model: "PlantModel | CodedModel", out: Path, *, report: bool) -> dict[str, str]:
    """Write all files, and return where they are."""
    from thresher.plant.store import MODEL_FILE
    from thresher.whole_file import new_folder

    page = None
    if report:
        tell("Writing the report ...")
        page = model.report()
    with new_folder(out) as folder:
        (folder / MODEL_FILE).write_bytes(model.to_bytes())
        for ending in ("csv", "json"):
            text = model.conditions_as(ending).rstrip("\n") + "\n"
            (folder / f"conditions.{ending}").write_text(text, encoding="utf-8", newline="\n")
        if page is not None:
            (folder / "report.html").write_text(page.html, encoding="utf-8", newline="\n")
        names = sorted(path.name for path in folder.iterdir())
    tell(f"Written: {out / (MODEL_FILE if page is None else 'report.html')}")
    return {name: str(out / name) for name in names}


def outcome(model: "PlantModel | CodedModel", files: dict[str, str]) -> dict[str, Any]:
    """Return what a training leaves behind as plain data."""
    from thresher.plant import CodedModel

    if isinstance(model, CodedModel):
        models = {code: _outcome(one) for code, one in model.models.items()}
        return {**model.as_json(), "models": models, "files": files}
    return {**_outcome(model), "files": files}


def _outcome(model: "PlantModel") -> dict[str, Any]:
    return {
        **model.facts.as_json(),
        "threshold": model.threshold,
        **({} if model.threshold_alert is None else {"threshold_alert": model.threshold_alert}),
        "alerts_on": model.alerts_on,
        "positive": str(model.estimator.pos_label_),
        "conditions": json.loads(model.conditions.to_json())["conditions"],
        "verdict": model.verdict.as_data(),
    }


def told_of(model: "PlantModel | CodedModel") -> str:
    """Return the verdict and the first conditions; of several codes what became of each."""
    from thresher.plant import CodedModel
    from thresher.wording import threshold

    if not isinstance(model, CodedModel):
        return f"{model.verdict}\n\n{conditions_text(model)}"
    parts = [
        f"Code {code!r}, alerts above {threshold(one.threshold)}.\n{conditions_text(one)}"
        for code, one in model.models.items()
    ]
    table = model.pareto.as_table(model.facts.terms.unit)
    return "\n\n".join([str(model.verdict), table.as_text(), *parts])


def conditions_text(model: "PlantModel") -> str:
    """Return the first conditions by what unseen rows say of them, or that there are none."""
    from thresher.condition.table import CHANCE, CONFIRMED, NOT_MET, NOT_TESTED

    table, (unit, event) = model.conditions, model.facts.terms
    if not len(table):
        return f"No condition leads to {event} often enough for an alert."
    headings = {
        CONFIRMED: f"Conditions that lead to {event}, confirmed by unseen {unit}:",
        NOT_TESTED: f"Conditions that lead to {event}, as counted in training:",
        CHANCE: f"Not confirmed: too few {unit} meet them, or it is chance:",
        NOT_MET: f"Not met by any unseen {unit}, so they cannot be judged:",
    }
    blocks, shown = [], 0
    for state, heading in headings.items():
        places = [place for place, found in enumerate(table.states) if found == state]
        places = places[: MAX_SHOWN - shown]
        shown += len(places)
        if places:
            blocks += [heading, *(table.lines(place, unit, event) for place in places)]
    more = len(table) - shown
    return "\n".join([*blocks, *([f"... and {more} more in conditions.csv."] if more else [])])
