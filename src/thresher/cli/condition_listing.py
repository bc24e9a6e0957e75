"""The steps of `thresher conditions`."""

from pathlib import Path
from typing import Any, NamedTuple

import click
import numpy as np
from numpy.typing import NDArray

from thresher.cli.condition_file import as_csv, tested_on
from thresher.cli.model_store import TrainedModel, load
from thresher.cli.options import model_file
from thresher.condition.table import ConditionTable
from thresher.tables.errors import BadDataError, quiet, said
from thresher.tables.features import Features, match_features
from thresher.tables.source import Source
from thresher.tables.table import Table
from thresher.tables.target import read_labels
from thresher.threshold.rules import Costs


class LabelledRows(NamedTuple):
    """A table, its features for a model, and its labels."""

    table: Table
    features: Features
    labels: NDArray[Any]


def list_conditions(path: Path, source: Source | None, options: dict[str, Any]) -> None:
    """Do all that `thresher conditions` does."""
    model = load(model_file(path))
    rows = None if source is None else read_rows(model, source, options["target"])
    if model.is_forest:
        said("These are the conditions of the tree that imitates the forest.")
    costs = None
    if options["cost_fp"] is not None:
        costs = Costs(options["cost_fp"], options["cost_fn"])
    table = model.conditions if rows is None else tested(model, rows, costs)
    click.echo(_written(table, options["form"], model.facts).rstrip("\n"))


def _written(table: ConditionTable, form: str, facts: dict[str, Any]) -> str:
    if form == "text":
        words = {name: str(facts[name]) for name in ("unit", "event") if name in facts}
        return table.to_text(**words)
    return as_csv(table) if form == "csv" else str(getattr(table, f"to_{form}")())


def tested(model: TrainedModel, rows: LabelledRows, costs: Costs | None) -> ConditionTable:
    """Return the conditions of a model, tested on rows that had no part in the training."""
    columns = model.reader.columns_
    with quiet():
        matrix = columns.matrix(rows.features.X, "conditions")
    is_positive = rows.labels == model.estimator.pos_label_
    return tested_on(model.conditions, matrix, columns, is_positive, costs)


def read_rows(
    model: TrainedModel, source: Source, target: str | None, time: str | None = None
) -> LabelledRows:
    """Read a table whose target is known, for a model."""
    target = target or model.facts.get("target")
    if not isinstance(target, str):
        raise BadDataError("The model does not know its target; name the column with --target.")
    table = source.read(texts=[target, *([time] if time else [])])
    for note in table.notes:
        said(note)
    table.need([target, *([time] if time else [])])
    labels = read_labels(table, target)
    unknown = np.setdiff1d(labels, model.estimator.classes_)
    if len(unknown):
        raise BadDataError(
            f"Column {target!r} has the class {str(unknown[0])!r}; the model knows "
            f"{', '.join(map(repr, model.estimator.classes_.tolist()))}."
        )
    features, notes = match_features(table, model.estimator.columns_)
    for note in notes:
        said(f"Warning: {note}")
    return LabelledRows(table, features, labels)
