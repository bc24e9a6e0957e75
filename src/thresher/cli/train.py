"""`thresher train`: a table in; a model, its conditions and a report out."""

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from thresher.cli.options import (
    PLACE,
    candidate_options,
    check_jobs,
    check_required,
    jobs_option,
    json_option,
    many,
    pop_source,
    require_option,
    rule_options,
    seed_option,
    source_options,
)
from thresher.cli.output import print_json, say, tell, told
from thresher.whole_file import check_folder

if TYPE_CHECKING:
    from thresher.plant import PlantModel

MAX_SHOWN = 5
"""Conditions that a terminal shows."""
GIVEN = "thresher.given"
"""Where a context keeps the arguments as they were typed."""


class KeepsArguments(click.Command):
    """A command that can be shown again with one more option."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Keep the arguments."""
        ctx.meta[GIVEN] = list(args)
        return super().parse_args(ctx, args)


@click.command(cls=KeepsArguments)
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
@require_option
@click.option("--positive", metavar="CLASS", help="The class to find [the rarer one].")
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
    "--stages",
    type=PLACE,
    metavar="TABLE",
    help="Table that tells the 'stage' of each 'column'.",
)
@click.option(
    "--cost-fn-column", metavar="COLUMN", help="Column with what a miss costs in each row."
)
@click.option(
    "--cost-fp-column", metavar="COLUMN", help="Column with what a false alarm costs in each row."
)
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
@seed_option
@jobs_option
@source_options
@json_option
def train(places: tuple[str, ...], **options: Any) -> None:
    """Train on TABLE: CSV, Excel, Parquet (several files, too), a database's URL, or '-' (stdin).

    Writes model.thresher, conditions.csv, conditions.json and report.html, and prints the verdict.
    """
    check_jobs(options["jobs"])
    special = [options["target"], *options["id"], options["time"], options["group"]]
    special += [options[name] for name in ("cost_fp_column", "cost_fn_column", "threshold_by")]
    source = pop_source(places[0], options, places[1:], [*special, *options["ignore"]])
    as_json, out, no_report = (options.pop(name) for name in ("as_json", "out", "no_report"))
    required = options.pop("required")
    options |= {"random_state": options.pop("seed"), "n_jobs": options.pop("jobs")}
    check_folder(out)
    from thresher import train as train_table

    with told():
        model: PlantModel = train_table(source, verbose=True, **options)
        files = write_folder(model, out, report=not no_report)
    if as_json:
        print_json(outcome(model, files))
    else:
        say(f"{model.verdict}\n\n{conditions_text(model)}")
        if model.facts.leaks:
            leaking = [name for finding in model.facts.leaks for name in finding.columns]
            given = click.get_current_context().meta[GIVEN]
            ignored = [f'"{each}"' if "," in each else each for each in dict.fromkeys(leaking)]
            again = ["thresher", "train", *given, "--ignore", ",".join(ignored)]
            say(f"\nTo train without: {shlex.join(again)}")
    check_required(model.judgement, required, wrote_files=True)


def write_folder(model: "PlantModel", out: Path, *, report: bool) -> dict[str, str]:
    """Write all files, and return where they are.

    The model is the last: of a command that was killed, the folder has the old model, or all files
    of the new one.
    """
    from thresher.model_file.file import MODEL_FILE
    from thresher.whole_file import new_file

    contents = {}
    if report:
        tell("Writing the report ...")
        contents["report.html"] = model.report().html.encode()
    for ending in ("csv", "json"):
        text = model.conditions_as(ending).rstrip("\n") + "\n"
        contents[f"conditions.{ending}"] = text.encode()
    contents[MODEL_FILE] = model.to_bytes()
    for name, content in contents.items():
        with new_file(out / name, follow=False) as temporary:
            temporary.write_bytes(content)
    tell(f"Written: {out / ('report.html' if report else MODEL_FILE)}")
    return {name: str(out / name) for name in sorted(contents)}


def outcome(model: "PlantModel", files: dict[str, str]) -> dict[str, Any]:
    """Return what a training leaves behind as plain data."""
    return {
        **model.facts.as_json(),
        "threshold": model.threshold,
        **({} if model.threshold_alert is None else {"threshold_alert": model.threshold_alert}),
        "alerts_on": model.alerts_on,
        "positive": str(model.estimator.pos_label_),
        "conditions": json.loads(model.conditions.to_json())["conditions"],
        "verdict": model.verdict.as_data(),
        "files": files,
    }


def conditions_text(model: "PlantModel") -> str:
    """Return the first conditions by what unseen rows say of them, or that there are none."""
    from thresher.condition.table import CHANCE, CONFIRMED, NOT_MET, NOT_TESTED

    table = model.conditions
    class_name = table.class_name
    if not len(table):
        return f"No condition leads to {class_name} often enough for an alert."
    headings = {
        CONFIRMED: f"Conditions that lead to {class_name}, confirmed by unseen rows:",
        NOT_TESTED: f"Conditions that lead to {class_name}, as counted in training:",
        CHANCE: "Not confirmed: too few rows meet them, or it is chance:",
        NOT_MET: "Not met by any unseen rows, so they cannot be judged:",
    }
    blocks, shown = [], 0
    for state, heading in headings.items():
        places = [place for place, found in enumerate(table.states) if found == state]
        places = places[: MAX_SHOWN - shown]
        shown += len(places)
        if places:
            blocks += [heading, *(table.lines(place) for place in places)]
    more = len(table) - shown
    return "\n".join([*blocks, *([f"... and {more} more in conditions.csv."] if more else [])])
