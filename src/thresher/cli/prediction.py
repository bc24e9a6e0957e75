"""The steps of `thresher predict`, from model and table to the table with its decisions."""

import csv
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TextIO

import click
import numpy as np
from numpy.typing import NDArray

from thresher.cli.condition_file import fired
from thresher.cli.model_store import TrainedModel, load
from thresher.cli.options import check_gates, model_file
from thresher.cli.output import new_file
from thresher.cli.training import count
from thresher.tables.errors import BadDataError, quiet, said
from thresher.tables.features import match_features
from thresher.tables.source import Source
from thresher.tables.table import Column, Table, texts_of
from thresher.texts import Texts
from thresher.threshold.counts import Counts
from thresher.threshold.score_counts import measures
from thresher.threshold.unseen import positive_scores

ADDED = ("probability", "decision", "condition")


def run_prediction(path: Path, source: Source, options: dict[str, Any]) -> None:
    """Do all that `thresher predict` does."""
    model = load(model_file(path))
    target = model.facts.get("target")
    table = source.read(texts=[*options["ids"], *([target] if target else [])])
    table.need(options["ids"])
    for note in table.notes:
        said(note)
    found, notes = predictions(model, table)
    for note in notes:
        said(f"Warning: {note}")
    is_alert = np.array([text == str(model.estimator.pos_label_) for text in _texts(found)])
    judged = _judged(model, table, is_alert)
    _tell(model, is_alert, judged)
    _refuse_blind_gates(options, judged, target)
    _output(_kept(table, options["ids"], model), found, options, judged)
    if judged is not None:
        check_gates(judged, options)


def predictions(model: TrainedModel, table: Table) -> tuple[dict[str, Column], list[str]]:
    """Return the columns that are added to a table, and what a user should know."""
    features, notes = match_features(table, model.estimator.columns_)
    estimator = model.estimator
    place = int(np.flatnonzero(estimator.classes_ == estimator.pos_label_)[0])
    with quiet():
        probability = positive_scores(estimator, features.X, place)
        is_alert = probability > estimator.threshold_
        conditions = fired(model.conditions, model.reader.apply(features.X), is_alert)
    negative, positive = str(estimator.classes_[1 - place]), str(estimator.classes_[place])
    decision = Texts.of(positive if alert else negative for alert in is_alert.tolist())
    columns: list[Column] = [probability, decision, Texts.of(conditions)]
    return dict(zip(ADDED, columns, strict=True)), notes


def _texts(found: Mapping[str, Column]) -> list[str | None]:
    return texts_of(found["decision"])


def _kept(table: Table, ids: list[str], model: TrainedModel) -> Table:
    """Return the columns beside the result."""
    kept = table.only(ids) if ids else table
    taken = [name for name in ADDED if name in kept.columns]
    if taken:
        raise BadDataError(
            f"{table.source} has a column {taken[0]!r} already; rename it, or name the columns to "
            "keep with --id."
        )
    return kept


def _judged(
    model: TrainedModel, table: Table, is_alert: NDArray[np.bool_]
) -> dict[str, float] | None:
    """Return precision and recall on the rows whose target is known, None where there are none."""
    target = str(model.facts.get("target"))
    if target not in table.columns:
        return None
    labels = texts_of(table.columns[target])
    known = np.array([label is not None for label in labels])
    if not known.any():
        return None
    is_positive = np.array([label == str(model.estimator.pos_label_) for label in labels])
    counts = count(is_alert[known], is_positive[known])
    return measures(Counts(*(np.array([value]) for value in counts)))


def _tell(
    model: TrainedModel, is_alert: NDArray[np.bool_], judged: dict[str, float] | None
) -> None:
    rows, alerts = len(is_alert), int(is_alert.sum())
    said(f"{rows:,} rows, {alerts:,} alerts for {str(model.estimator.pos_label_)!r}.")
    if judged is not None:
        said(
            f"By the column {model.facts['target']!r}: precision {judged['precision']:.3f}, recall "
            f"{judged['recall']:.3f}, F1 {judged['f1']:.3f}."
        )


def _refuse_blind_gates(options: dict[str, Any], judged: Any, target: Any) -> None:
    asked = [name for name in ("min_precision", "min_recall") if options[name] is not None]
    if asked and judged is None:
        raise BadDataError(
            f"--{asked[0].replace('_', '-')} needs the target {target!r} in the table, to compare "
            "the decisions with."
        )


# ------------------------------------------------------------------------------------------- write


def _output(table: Table, found: dict[str, Column], options: dict[str, Any], judged: Any) -> None:
    columns = {**table.columns, **found}
    path = options["out"]
    if path is not None:
        with new_file(path) as temporary:
            write_columns(columns, temporary)
        said(f"Written: {path}")
    if options["as_json"]:
        rows = None if path is not None else _json_rows(columns)
        alerts = {"rows": len(table), "judged": judged, "out": None if path is None else str(path)}
        click.echo(json.dumps({**alerts, "predictions": rows}, ensure_ascii=False, indent=2))
    elif path is None:
        write_csv(columns, sys.stdout)


def write_columns(columns: Mapping[str, Column], path: Path) -> None:
    """Write columns to a Parquet file if the path says so, to CSV otherwise."""
    if path.suffix in (".parquet", ".pq"):
        from thresher.tables.arrow import write_parquet

        write_parquet(columns, path)
        return
    with path.open("w", encoding="utf-8", newline="") as file:
        write_csv(columns, file)


def write_csv(columns: Mapping[str, Column], file: TextIO) -> None:
    """Write columns as CSV; nothing where a value is missing."""
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*(texts_of(column) for column in columns.values()), strict=True))


def _json_rows(columns: Mapping[str, Column]) -> list[dict[str, Any]]:
    lists = [
        column.values() if isinstance(column, Texts) else _numbers(column)
        for column in columns.values()
    ]
    return [dict(zip(columns, row, strict=True)) for row in zip(*lists, strict=True)]


def _numbers(column: Any) -> list[Any]:
    return [number if np.isfinite(number) else None for number in column.tolist()]
