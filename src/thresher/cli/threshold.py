"""`thresher threshold`: look at a model's threshold, and choose another."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from thresher.cli.options import (
    MODEL,
    SHARE,
    check_required,
    json_option,
    require_option,
    rule_given,
    rule_options,
)
from thresher.cli.output import RULE_PARAMETERS, print_json, tell, told

if TYPE_CHECKING:
    from thresher.plant import PlantModel


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
@require_option
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
    from thresher.errors import TableError
    from thresher.plant import PlantModel
    from thresher.tables.writing import write_table
    from thresher.whole_file import new_file

    with told():
        now, new = PlantModel.load(model), None
        if options["value"] is not None:
            new = now.with_threshold(options["value"])
        elif rule is not None or options["cost_fp"] is not None:
            given = {name: options[name] for name in RULE_PARAMETERS if options[name] is not None}
            new = now.with_threshold(rule or "cost", **given)
        out, curve, shown = options["out"], options["curve"], new or now
        if out is not None and new is None:
            raise click.UsageError("--out needs a new threshold: give --rule or --set.")
        if curve is not None:
            facts = shown.facts
            if facts.scores is None:
                raise TableError("The model has no scores to draw a curve from; train it again.")
            write_table(facts.scores.curve(facts.recipe.costs), curve)
            tell(f"Written: {curve}")
        if out is not None:
            with new_file(out) as temporary:
                temporary.write_bytes(shown.to_bytes())
            tell(f"Written: {out}")
    models = {"now": now} | ({} if new is None else {"new": new})
    if options["as_json"]:
        chosen = None if new is None or options["value"] is not None else new.facts.recipe.rule
        print_json({"rule": chosen, **{name: _row(one) for name, one in models.items()}})
    else:
        _print(models)
    check_required(
        shown.judgement, options["required"], wrote_files=out is not None or curve is not None
    )


def _row(model: "PlantModel") -> dict[str, Any]:
    from thresher.model_file.choice import describe_promise

    return {
        "threshold": model.threshold,
        **({} if model.threshold_alert is None else {"threshold_alert": model.threshold_alert}),
        "alerts_on": model.alerts_on,
        "promise": describe_promise(model.facts.promise),
        **model.judgement.as_data(),
    }


def _print(models: "dict[str, PlantModel]") -> None:
    from thresher.cli.output import print_table
    from thresher.judging.verdict import PROMISED_ON
    from thresher.text_table import Cell, TextTable, Value

    heads = ["", "threshold", "precision", "recall", "F1", "alerts per 1000"]
    heads += ["tp", "fp", "fn", "tn"]
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
