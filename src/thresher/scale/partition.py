"""What a worker does with one partition of a table: reads it for a fit, or lets a model answer."""

from collections.abc import Callable, Hashable
from copy import copy
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from thresher.forest.out_of_bag import OutOfBag
from thresher.scale.table_passes import TableBlock

Result = TypeVar("Result")


def read_partition(
    columns: list[Any],
    named: dict[str, Hashable],
    function: Callable[[TableBlock], Result],
    table: Any,
    **given: Any,
) -> Result:
    """Apply a function to a partition.

    Parameters
    ----------
    columns : labels of the columns of the table to learn from.
    named : labels of the columns of the table that are the target, "y", or "sample_weight".
    function : what is to be done.
    table : the rows; None where no column of the table is wanted.
    **given : the target or the weights that are not in the table.
    """
    for parameter, values in given.items():
        if table is not None and len(values) != len(table):
            raise not_aligned(parameter, f"{len(values)} rows", f"{len(table)} rows")
    vectors = {**given, **{parameter: table[label] for parameter, label in named.items()}}
    X = None if not columns else table[columns] if named else table
    return function(TableBlock(X, vectors["y"], vectors.get("sample_weight")))


def not_aligned(parameter: str, size: str, size_of_table: str) -> ValueError:
    """Return the error for a target or weights that do not belong to the table."""
    return ValueError(
        f"{parameter} and X have different partitions ({size} against {size_of_table}); take both "
        "from one collection, or make it a column of X and give its name."
    )


def answer(table: Any, model: Any, method: str) -> Any:
    """Return what "predict" or "predict_proba" says of a partition, which may be empty.

    For an array an array, for a pandas DataFrame a Series or a DataFrame with the same index.
    """
    empty = model.classes_[:0] if method == "predict" else np.empty((0, 2))
    values = getattr(model, method)(table) if len(table) else empty
    if isinstance(table, np.ndarray):
        return values
    if method == "predict":
        return type(table)({"prediction": values}, index=table.index)["prediction"]
    return type(table)(values, index=table.index, columns=model.classes_)


def to_send(model: Any) -> Any:
    """Return a model that answers alike, without what it keeps of its training rows.

    Votes and scores of a forest's training rows can be larger than its trees.
    """
    if not hasattr(model, "forest_state_"):
        return model
    twin, nothing = copy(model), np.empty(0)
    twin.forest_state_ = replace(model.forest_state_, votes=OutOfBag.none(0), training_rows=None)
    twin.threshold_state_ = replace(
        model.threshold_state_, scores=nothing, is_positive=nothing.astype(bool), weights=None
    )
    return twin
