"""`thresher predict`: probability, decision and condition for each row of a table."""

from collections.abc import Mapping
from dataclasses import replace
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
from thresher.cli.output import DataOutput, as_options, print_json, tell, told

if TYPE_CHECKING:
    from thresher.judging.judgement import Judgement
    from thresher.plant import PlantModel
    from thresher.tables.table import Column, Table


@click.command()
@click.argument("model", type=MODEL)
@click.argument("place", metavar="TABLE", type=PLACE)
@many("--id", "ids", text="Columns to keep beside the result [all columns].")
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="CSV, .xlsx or .parquet file [standard output]; CSV in the form of TABLE.",
)
@click.option(
    "--reasons",
    metavar="N",
    type=click.IntRange(0, 100),
    default=0,
    help="Columns reason_1 to reason_N: what adds most to the score of a row, or takes it off [0].",
)
@drift_option
@click.option(
    "--strict", is_flag=True, help="Exit with 4 if a column is not as it was in training."
)
@source_options
@json_option
def predict(model: Path, place: str, **options: Any) -> None:
    """Apply MODEL (a file, or the folder of `thresher train`) to TABLE.

    Adds the columns probability, decision and condition (of an alert without one: its reasons), and
    answer (alert, pass or refer) where the model refers rows. Columns are matched by name; further
    ones are kept. Where the table has the target, precision and recall are told.
    """
    source = pop_source(place, options, needed=options["ids"])
    from thresher.errors import GateMissedError, ModelFileError, TableError
    from thresher.judging.drift import drift_sentences
    from thresher.judging.outside import outside_notes
    from thresher.plant import PlantModel
    from thresher.plant.quiet import without_warnings
    from thresher.tables.table import as_numbers_where_same
    from thresher.wording import first_of

    with told():
        plant = PlantModel.load(model)
        if options["strict"] and plant.facts.columns is None:
            raise ModelFileError(
                "The file of this model does not record what its columns looked like, which "
                "strict=True compares with; train it again."
            )
        target = plant.facts.target
        texts = [*options["ids"], *([target] if target else [])]
        table = kept = plant.read(source, texts)
        table.need(options["ids"])
        if options["ids"]:
            kept = table.only(options["ids"])
            names = {name: as_numbers_where_same(one) for name, one in kept.columns.items()}
            kept = replace(kept, columns=names)
        taken = [name for name in plant.added(options["reasons"]) if name in kept.columns]
        if taken:
            raise TableError(
                f"{kept.source} has a column {taken[0]!r} already; rename it, or name the columns "
                "to keep with id=."
            )
        with without_warnings():
            found, notes, drift, outside = plant.predict_columns(
                table, options["reasons"], allow_drift=options["allow_drift"]
            )
        for note in (*table.notes, *notes, *drift_sentences(drift)):
            tell(f"Warning: {as_options(note)}")
        for note in outside_notes(outside, {one.column for one in drift}):
            tell(note)
        judged = _judge(plant, table, found)
        result = {
            "rows": len(table),
            "judged": None if judged is None else judged.as_data(),
            "drift": [column.as_data() for column in drift],
            "outside": [column.as_data() for column in outside],
            "out": None if options["out"] is None else str(options["out"]),
            "reading": None if kept.plan is None else kept.plan.as_data(),
        }
        _write(kept, found, options["out"], result if options["as_json"] else None)
        if options["strict"] and drift:
            unlike = first_of([repr(one.column) for one in drift])
            raise GateMissedError(
                f"strict=True refuses columns that are not as in training: {unlike}."
            )


def _judge(plant: "PlantModel", table: "Table", found: "dict[str, Column]") -> "Judgement | None":
    """Tell how many alerts there are, and how right they are where the target is known."""
    import numpy as np

    from thresher.answers import ALERT
    from thresher.plant.prediction import ANSWER
    from thresher.tables.table import texts_of

    positive, target = str(plant.estimator.pos_label_), plant.facts.target
    is_alert = np.array([text == positive for text in texts_of(found["decision"])])
    is_sure, alerts = None, f"{is_alert.sum():,} alerts"
    if ANSWER in found:
        is_sure = np.array([text == ALERT for text in texts_of(found[ANSWER])])
        referred = is_alert.sum() - is_sure.sum()
        alerts = f"{is_sure.sum():,} alerts and {referred:,} referred"
    tell(f"{len(table):,} rows, {alerts} for {positive!r}.")
    judged = plant.judge_decisions(table, is_alert, is_sure)
    if judged is None:
        return None
    plant.warn_of_training_rows(table)
    if judged.tp + judged.fn:
        tell(
            f"By the column {target!r}: precision {judged.precision:.3f}, recall "
            f"{judged.recall:.3f}, F1 {judged.f1:.3f}."
        )
    else:
        tell(f"By the column {target!r} no row is positive, so every alert is a false one.")
    if judged.money is not None:
        tell(
            f"By the costs of rows: {judged.money.spent:,.0f} in all, without alerts "
            f"{judged.money.silent:,.0f}, with an alert on everything {judged.money.always:,.0f}."
        )
    if judged.referral is not None:
        tell(f"With referred rows apart: {judged.referral.words(None)}")
    return judged


def _write(
    table: "Table", found: "dict[str, Column]", path: Path | None, result: dict[str, Any] | None
) -> None:
    """Write the columns to a file or standard output; print the result as JSON where given."""
    from math import isfinite

    from thresher.column import Texts
    from thresher.tables.writing import write_csv, write_table

    columns: Mapping[str, Any] = {**table.columns, **found}
    if path is not None:
        write_table(columns, path, table.form)
        tell(f"Written: {path}")
    if result is None:
        if path is None:
            write_csv(columns, DataOutput(), table.form)
        return
    predictions = None
    if path is None:
        lists = [
            column.values()
            if isinstance(column, Texts)
            else [
                (int(number) if number.is_integer() else number) if isfinite(number) else None
                for number in column.tolist()
            ]
            for column in columns.values()
        ]
        rows = zip(*lists, strict=True)
        predictions = [dict(zip(columns, row, strict=True)) for row in rows]
    print_json({**result, "predictions": predictions})
