"""The steps of `thresher conditions`."""

from pathlib import Path
from typing import Any, NamedTuple

import click
import numpy as np
from numpy.typing import NDArray

from thresher.cli.condition_file import as_csv
from thresher.cli.errors import BadDataError, said
from thresher.cli.features import Features, match_features
from thresher.cli.labels import read_labels
from thresher.cli.model_store import TrainedModel, load
from thresher.cli.options import model_file
from thresher.cli.plant_model import quiet
from thresher.cli.source import Source
from thresher.cli.table import Table
from thresher.condition.finding import conditions
from thresher.condition.table import ConditionTable


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
    with quiet():
        table = find(model, rows, cost_fp=options["cost_fp"], cost_fn=options["cost_fn"])
    form = options["form"]
    text = as_csv(table) if form == "csv" else getattr(table, f"to_{form}")()
    click.echo(text.rstrip("\n"))


def find(
    model: TrainedModel,
    rows: LabelledRows | None,
    cost_fp: float | None = None,
    cost_fn: float | None = None,
) -> ConditionTable:
    """Read the conditions of the model's tree, tested on rows where some are given."""
    tested: dict[str, Any] = {}
    if rows is not None:
        tested = {"X_test": rows.features.X, "y_test": rows.labels}
    table: ConditionTable = conditions(
        model.reader,
        **tested,
        stations=model.facts.get("stations"),
        cost_fp=cost_fp,
        cost_fn=cost_fn,
        output="table",
    )
    return table


def read_rows(
    model: TrainedModel, source: Source, target: str | None, time: str | None = None
) -> LabelledRows:
    """Read a table whose target is known, for a model."""
    target = target or str(model.facts["target"])
    table = source.read(texts=[target, *([time] if time else [])])
    for note in table.notes:
        said(note)
    table.need([target, *([time] if time else [])])
    labels = np.array(read_labels(table, target))
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
