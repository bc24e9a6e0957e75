"""`thresher predict`: probability, decision and condition for each row of a table."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from thresher.cli.messages import tell, told
from thresher.cli.options import (
    MODEL,
    PLACE,
    gate_options,
    json_option,
    many,
    pop_source,
    source_options,
    training_rows_option,
)

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
    help="CSV or .parquet file [standard output].",
)
@gate_options
@training_rows_option
@source_options
@json_option
def predict(model: Path, place: str, **options: Any) -> None:
    """Apply MODEL (a file, or the folder of `thresher train`) to TABLE.

    Adds the columns probability, decision and condition. Columns are matched by name; further ones
    are kept. Where the table has the target, precision and recall are told.
    """
    source = pop_source(place, options)
    source.check()
    from thresher.plant import PlantModel
    from thresher.plant.quiet import without_warnings
    from thresher.plant.training import check_gates

    with told():
        plant = PlantModel.load(model)
        target = plant.facts.target
        table = source.read(texts=[*options["ids"], *([target] if target else [])])
        table.need(options["ids"])
        kept = table.only(options["ids"]) if options["ids"] else table
        _refuse_taken(kept)
        with without_warnings():
            found, notes = plant.predict_columns(table)
        for note in (*table.notes, *notes):
            tell(f"Warning: {note}")
        judged = _judge(plant, table, found, options)
        _write(kept, found, options["out"], judged, as_json=options["as_json"])
        if judged is not None:
            check_gates(judged, options["min_precision"], options["min_recall"])


def _refuse_taken(kept: "Table") -> None:
    from thresher.errors import TableError
    from thresher.plant.model import ADDED

    taken = [name for name in ADDED if name in kept.columns]
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

    from thresher.errors import TableError
    from thresher.tables.table import texts_of

    positive, target = str(plant.estimator.pos_label_), plant.facts.target
    is_alert = np.array([text == positive for text in texts_of(found["decision"])])
    tell(f"{len(table):,} rows, {int(is_alert.sum()):,} alerts for {positive!r}.")
    judged = plant.judge_decisions(table, is_alert)
    asked = [name for name in ("min_precision", "min_recall") if options[name] is not None]
    if judged is None:
        if asked:
            raise TableError(
                f"{asked[0]}= needs the target {target!r} in the table, to compare the decisions "
                "with."
            )
        return None
    plant.warn_of_seen(table, refuse=bool(asked) and not options["allow_training_rows"])
    tell(
        f"By the column {target!r}: precision {judged.precision:.3f}, recall "
        f"{judged.recall:.3f}, F1 {judged.f1:.3f}."
    )
    return judged


def _write(
    table: "Table",
    found: "dict[str, Column]",
    path: Path | None,
    judged: "Judgement | None",
    *,
    as_json: bool,
) -> None:
    from thresher.tables.writing import write_csv, write_table

    columns = {**table.columns, **found}
    if path is not None:
        write_table(columns, path)
        tell(f"Written: {path}")
    if as_json:
        content = {
            "rows": len(table),
            "judged": None if judged is None else judged.as_data(),
            "out": None if path is None else str(path),
            "predictions": None if path is not None else _json_rows(columns),
        }
        click.echo(json.dumps(content, ensure_ascii=False, indent=2))
    elif path is None:
        write_csv(columns, sys.stdout)


def _json_rows(columns: "Mapping[str, Column]") -> list[dict[str, Any]]:
    from thresher.texts import Texts

    lists = [
        column.values() if isinstance(column, Texts) else _numbers(column)
        for column in columns.values()
    ]
    return [dict(zip(columns, row, strict=True)) for row in zip(*lists, strict=True)]


def _numbers(column: Any) -> list[Any]:
    from math import isfinite

    return [number if isfinite(number) else None for number in column.tolist()]
