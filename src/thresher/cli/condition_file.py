"""Conditions as a CSV file, and which of them holds for a row."""

import csv
import io
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from thresher.cli.model_store import TrainedModel
    from thresher.condition.table import ConditionTable


def as_csv(table: "ConditionTable") -> str:
    """Return one line a condition, all digits; nothing where a value is not known."""
    columns = table.columns()
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return file.getvalue()


def fired_conditions(model: "TrainedModel", X: Any, is_alert: NDArray[np.bool_]) -> list[str]:
    """Return the text of the condition behind each alert; empty where there is none.

    A forest may raise an alert that no condition of the tree that imitates it explains.
    """
    text_of_node = [""] * model.reader.tree_.n_nodes
    for condition in model.facts.get("conditions", []):
        for leaf in condition["leaves"]:
            text_of_node[leaf] = condition["text"]
    leaves = model.reader.apply(X)
    return [
        text_of_node[leaf] if alert else ""
        for leaf, alert in zip(leaves.tolist(), is_alert.tolist(), strict=True)
    ]
