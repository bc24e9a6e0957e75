"""`thresher predict`: probability, decision and condition for each row of a table."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from thresher.cli.errors import as_options
from thresher.cli.messages import tell, told
from thresher.cli.options import (
    MODEL,
    PLACE,
    gate_options,
    json_option,
    many,
    pop_source,
    source_options,
)
from thresher.cli.printing import DataOutput, print_json

if TYPE_CHECKING:
    from thresher.judging.drift import Drift
    from thresher.judging.judgement import Judgement
    from thresher.plant import CodedModel, PlantModel
    from thresher.tables.source import Source
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
@gate_options
@click.option(
    "--strict", is_flag=True, help="Exit with 4 if a column is not as it was in training."
)
@click.option(
    "--allow-training-rows",
    is_flag=True,
    help="Apply --min-precision and --min-recall to rows that the model was trained on, too.",
)
@source_options
@json_option
def predict(model: Path, place: str, **options: Any) -> None:
    """Apply MODEL (a file, or the folder of `thresher train`) to TABLE.

    Adds the columns probability, decision and condition (of an alert without one: its reasons), and
    answer (alert, pass or refer) where the model refers rows. A model of reason codes adds the
    probability of each, and codes: the likely ones. Columns are matched by name; further ones are
    kept. Where the table has the target, precision and recall are told.
    """
    source = pop_source(place, options, needed=options["ids"])
    from thresher.judging.drift import drift_sentences
    from thresher.plant import CodedModel
    from thresher.plant.gates import check_gates
    from thresher.plant.loading import load_plant
    from thresher.plant.quiet import without_warnings

    with told():
        plant = load_plant(model)
        if isinstance(plant, CodedModel):
            return _predict_codes(plant, source, options)
        if options["strict"]:
            _need_columns(plant)
        target = plant.facts.target
        texts = [*options["ids"], *([target] if target else [])]
        table = plant.read(source, texts)
        table.need(options["ids"])
        kept = _kept(table, options["ids"])
        _refuse_taken(kept, plant.added(options["reasons"]))
        with without_warnings():
            found, notes, drift = plant.predict_columns(table, options["reasons"])
        for note in (*table.notes, *notes, *drift_sentences(drift)):
            tell(f"Warning: {as_options(note)}")
        judged = _judge(plant, table, found, options)
        told_of = None if judged is None else judged.as_data()
        _write(kept, found, options["out"], told_of, drift, as_json=options["as_json"])
        if judged is not None:
            check_gates(judged, options["min_precision"], options["min_recall"])
        if options["strict"]:
            _refuse_drift(drift)


def _predict_codes(plant: "CodedModel", source: "Source", options: dict[str, Any]) -> None:
    """Apply the models of several codes, and tell what became of each code."""
    from thresher.judging.drift import drift_sentences
    from thresher.plant.gates import check_gates
    from thresher.plant.quiet import without_warnings

    if options["reasons"]:
        raise click.UsageError("--reasons is for a model of one class, not of several codes.")
    table = plant.read(source, [*options["ids"], plant.facts.target])
    table.need(options["ids"])
    kept = _kept(table, options["ids"])
    _refuse_taken(kept, plant.added())
    with without_warnings():
        columns, notes, drift, is_alert = plant.predict_columns(table)
    for note in (*table.notes, *notes, *drift_sentences(drift)):
        tell(f"Warning: {as_options(note)}")
    alerts = int(is_alert.any(axis=1).sum())
    tell(f"{len(table):,} rows, {alerts:,} alerts for {len(plant.codes)} codes.")
    pareto, judged = plant.judge_decisions(table, is_alert), None
    asked = _asked(options, plant.facts.target, is_known=pareto is not None)
    if pareto is not None:
        plant.warn_of_seen(table, refuse=bool(asked) and not options["allow_training_rows"])
        judged = pareto.judgement(f"the rows of {table.source} whose code is known")
        tell(_measures(judged, plant.facts.target))
        tell(pareto.as_table(plant.facts.terms.unit).as_text())
    told_of = None
    if pareto is not None and judged is not None:
        told_of = {**judged.as_data(), "pareto": pareto.as_data()}
    _write(kept, columns, options["out"], told_of, drift, as_json=options["as_json"])
    if judged is not None:
        check_gates(judged, options["min_precision"], options["min_recall"])
    if options["strict"]:
        _refuse_drift(drift)


def _need_columns(plant: "PlantModel") -> None:
    from thresher.errors import ModelFileError

    if plant.facts.columns is None:
        raise ModelFileError(
            "The file of this model does not record what its columns looked like, which "
            "strict=True compares with; train it again."
        )


def _refuse_drift(drift: "list[Drift]") -> None:
    from thresher.errors import GateMissedError
    from thresher.wording import first_of

    if drift:
        names = first_of([repr(one.column) for one in drift])
        raise GateMissedError(f"strict=True refuses columns that are not as in training: {names}.")


def _kept(table: "Table", ids: Sequence[str]) -> "Table":
    """Return the columns to keep beside the result."""
    from thresher.tables.row_names import as_numbers_where_same

    if not ids:
        return table
    named = table.only(ids)
    columns = {name: as_numbers_where_same(column) for name, column in named.columns.items()}
    return replace(named, columns=columns)


def _refuse_taken(kept: "Table", added: tuple[str, ...]) -> None:
    from thresher.errors import TableError

    taken = [name for name in added if name in kept.columns]
    if taken:
        raise TableError(
            f"{kept.source} has a column {taken[0]!r} already; rename it, or name the columns to "
            "keep with id=."
        )


def _judge(
    plant: "PlantModel", table: "Table", found: "dict[str, Column]", options: dict[str, Any]
) -> "Judgement | None":
    """Tell how many alerts there are, and how right they are where the target is known."""
    import numpy as np

    from thresher.answers import ALERT
    from thresher.plant.prediction import ANSWER
    from thresher.tables.table import texts_of

    positive, target = str(plant.estimator.pos_label_), plant.facts.target
    is_alert = np.array([text == positive for text in texts_of(found["decision"])])
    is_sure = None
    if ANSWER in found:
        is_sure = np.array([text == ALERT for text in texts_of(found[ANSWER])])
    tell(f"{len(table):,} rows, {_alert_words(is_alert, is_sure)} for {positive!r}.")
    judged = plant.judge_decisions(table, is_alert, is_sure)
    asked = _asked(options, target, is_known=judged is not None)
    if judged is None:
        return None
    plant.warn_of_seen(table, refuse=bool(asked) and not options["allow_training_rows"])
    tell(_measures(judged, target))
    if judged.money is not None:
        tell(
            f"By the costs of rows: {judged.money.spent:,.0f} in all, without alerts "
            f"{judged.money.silent:,.0f}, with an alert on everything {judged.money.always:,.0f}."
        )
    if judged.referral is not None:
        tell(f"With referred rows apart: {judged.referral.words(None)}")
    return judged


def _asked(options: dict[str, Any], target: str | None, *, is_known: bool) -> list[str]:
    """Return the gates that are asked for, which need the target."""
    from thresher.errors import TableError

    asked = [name for name in ("min_precision", "min_recall") if options[name] is not None]
    if asked and not is_known:
        raise TableError(
            f"{asked[0]}= needs the target {target!r} in the table, to compare the decisions with."
        )
    return asked


def _measures(judged: "Judgement", target: str | None) -> str:
    if not judged.tp + judged.fn:
        return f"By the column {target!r} no row is positive, so every alert is a false one."
    return (
        f"By the column {target!r}: precision {judged.precision:.3f}, recall "
        f"{judged.recall:.3f}, F1 {judged.f1:.3f}."
    )


def _alert_words(is_alert: Any, is_sure: Any) -> str:
    """Count the alerts, and apart from them what is referred."""
    alerts = int(is_alert.sum())
    if is_sure is None:
        return f"{alerts:,} alerts"
    return f"{int(is_sure.sum()):,} alerts and {alerts - int(is_sure.sum()):,} referred"


def _write(
    table: "Table",
    found: "dict[str, Column]",
    path: Path | None,
    judged: dict[str, Any] | None,
    drift: "list[Drift]",
    *,
    as_json: bool,
) -> None:
    from thresher.tables.writing import write_csv, write_table

    columns = {**table.columns, **found}
    if path is not None:
        write_table(columns, path, table.form)
        tell(f"Written: {path}")
    if as_json:
        content = {
            "rows": len(table),
            "judged": judged,
            "drift": [one.as_data() for one in drift],
            "out": None if path is None else str(path),
            "reading": None if table.plan is None else table.plan.as_data(),
            "predictions": None if path is not None else _json_rows(columns),
        }
        print_json(content)
    elif path is None:
        write_csv(columns, DataOutput(), table.form)


def _json_rows(columns: "Mapping[str, Column]") -> list[dict[str, Any]]:
    from thresher.texts import Texts

    lists = [
        column.values() if isinstance(column, Texts) else _numbers(column)
        for column in columns.values()
    ]
    return [dict(zip(columns, row, strict=True)) for row in zip(*lists, strict=True)]


def _numbers(column: Any) -> list[Any]:
    from math import isfinite

    return [
        (int(number) if number.is_integer() else number) if isfinite(number) else None
        for number in column.tolist()
    ]
