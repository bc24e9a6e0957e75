"""`thresher threshold`: look at a model's threshold, and choose another."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from thresher.cli.messages import tell, told
from thresher.cli.options import MODEL, SHARE, gate_options, json_option, rule_given, rule_options
from thresher.cli.printing import print_json

if TYPE_CHECKING:
    from thresher.plant import PlantModel

PARAMETERS = (
    *("cost_fp", "cost_fn", "beta", "floor", "per_1000", "confidence"),
    *("miss", "false_alarm", "price"),
)


@click.command()
@click.argument("model", type=MODEL)
@rule_options
@click.option("--set", "value", type=SHARE, help="Take this threshold instead of a rule's.")
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the model with the new threshold to this file.",
)
@click.option(
    "--curve",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write all measures along the threshold to this CSV file.",
)
@gate_options
@json_option
def threshold(model: Path, **options: Any) -> None:
    """Show what MODEL's threshold does, and what another would do.

    Both are judged on rows that chose nothing: a rule chooses anew in each fold of the training,
    without the rows that judge it there.
    """
    rule = rule_given(options)
    if options["value"] is not None and (options["rule"] or rule not in (None, "cost")):
        raise click.UsageError("Give --rule or --set, not both.")
    if options["confidence"] is not None and rule is None:
        raise click.UsageError("--confidence needs --rule, which it is for.")
    from thresher.plant import PlantModel
    from thresher.plant.gates import check_gates

    with told():
        now = PlantModel.load(model)
        new = _moved(now, options)
        check_gates((new or now).judgement, options["min_precision"], options["min_recall"])
        _write(now, new, options)
    if options["as_json"]:
        rule = None if new is None or options["value"] is not None else new.facts.recipe.rule
        found = {"now": _row(now)} | ({} if new is None else {"new": _row(new)})
        print_json({"rule": rule, **found})
    else:
        _print(now, new)


def _moved(now: "PlantModel", options: dict[str, Any]) -> "PlantModel | None":
    """Return the model with the new threshold, None where the present one is only looked at."""
    if options["value"] is not None:
        return now.with_threshold(options["value"])
    rule = rule_given(options)
    if rule is None and options["cost_fp"] is None:
        return None
    given = {name: options[name] for name in PARAMETERS if options[name] is not None}
    return now.with_threshold(rule or "cost", **given)


def _row(model: "PlantModel") -> dict[str, Any]:
    from thresher.model_file.stored_promise import describe_promise

    return {
        "threshold": model.threshold,
        **({} if model.threshold_alert is None else {"threshold_alert": model.threshold_alert}),
        "alerts_on": model.alerts_on,
        "promise": describe_promise(model.facts.promise),
        **model.judgement.as_data(),
    }


def _write(now: "PlantModel", new: "PlantModel | None", options: dict[str, Any]) -> None:
    if options["out"] is not None and new is None:
        raise click.UsageError("--out needs a new threshold: give --rule or --set.")
    if options["curve"] is not None:
        from thresher.errors import TableError
        from thresher.tables.writing import write_table

        facts = (new or now).facts
        if facts.scores is None:
            raise TableError("The model has no scores to draw a curve from; train it again.")
        write_table(facts.scores.curve(facts.recipe.costs), options["curve"])
        tell(f"Written: {options['curve']}")
    if options["out"] is not None and new is not None:
        from thresher.whole_file import new_file

        with new_file(options["out"]) as temporary:
            temporary.write_bytes(new.to_bytes())
        tell(f"Written: {options['out']}")


def _print(now: "PlantModel", new: "PlantModel | None") -> None:
    from thresher.cli.printing import print_table
    from thresher.judging.verdict import PROMISED_ON
    from thresher.text_table import Cell, TextTable, Value

    models = {"now": now} | ({} if new is None else {"new": new})
    heads = [
        "",
        "threshold",
        "precision",
        "recall",
        "F1",
        "alerts per 1000",
        "tp",
        "fp",
        "fn",
        "tn",
    ]
    rows: list[list[Cell | Value]] = []
    for name, model in models.items():
        judged = model.judgement
        shown = model.alerts_on or Cell(model.threshold, decimals=4)
        measures = [judged.precision, judged.recall, judged.f1]
        counts = [judged.tp, judged.fp, judged.fn, judged.tn]
        per_1000 = Cell(judged.alerts_per_1000, decimals=1)
        rows.append([name, shown, *(Cell(one, decimals=3) for one in measures), per_1000, *counts])
    last = list(models.values())[-1]
    notes = []
    for name, model in models.items():
        notes.append(f"{name}: {model.setting.rule}; {model.judgement.how}.")
        if model.judgement.referral is not None:
            notes.append(f"{name}: {model.judgement.referral.words(model.threshold_alert)}")
        if model.setting.promise is not None:
            notes.append(f"{name}: {model.setting.promise}")
    if any(model.setting.promise and model.facts.folds for model in models.values()):
        notes.append(PROMISED_ON)
    title = f"The threshold of the {last.facts.model}"
    print_table(TextTable(title, heads, rows, notes))
