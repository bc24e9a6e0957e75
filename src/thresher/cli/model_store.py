"""A trained model with its conditions and facts, in a model file of the library."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from thresher.cli.condition_file import from_data
from thresher.condition.finding import conditions
from thresher.condition.table import ConditionTable
from thresher.forest.classifier import ImbalancedForestClassifier
from thresher.model_file.errors import ModelFileError
from thresher.model_file.file import StoredModel, read_model, write_model
from thresher.tables.errors import BadDataError
from thresher.tree.classifier import ImbalancedTreeClassifier


@dataclass
class TrainedModel:
    """A fitted model and what is known of its training.

    Attributes
    ----------
    estimator : a tree or a forest with its threshold.
    reader : the tree that conditions are read from: the estimator, or the tree that imitates it.
    conditions : what leads to the positive class, with evidence from the training.
    facts : target, classes, rows, rule, scores along the threshold, as plain data.
    """

    estimator: Any
    reader: ImbalancedTreeClassifier
    conditions: ConditionTable
    facts: dict[str, Any] = field(default_factory=dict)

    @property
    def is_forest(self) -> bool:
        """Whether the estimator is a forest."""
        return isinstance(self.estimator, ImbalancedForestClassifier)


def save(model: TrainedModel, path: Path) -> None:
    """Write a model to a file; a forest keeps the tree that imitates it."""
    if model.is_forest:
        model.estimator.imitation_ = model.reader
    notes = {"conditions": json.loads(model.conditions.to_json()), "facts": model.facts}
    write_model(StoredModel(model.estimator, notes), path)


def load(path: Path) -> TrainedModel:
    """Read a model from a file; whatever is wrong with it is said in one sentence."""
    try:
        stored = read_model(path)
    except ModelFileError as error:
        raise BadDataError(str(error)) from None
    estimator = stored.model
    reader = _reader(estimator, path)
    if stored.notes is None:
        return TrainedModel(estimator, reader, conditions(reader, output="table"))
    try:
        facts = stored.notes["facts"]
        if not isinstance(facts, dict):
            raise ValueError("its facts are no object")
        return TrainedModel(estimator, reader, _conditions_in(stored.notes, reader), facts)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError) as error:
        reason = f"{error.args[0]!r} is missing" if isinstance(error, KeyError) else str(error)
        raise BadDataError(f"'{path}' is a damaged model: {reason.rstrip('.')}.") from None


def _reader(estimator: Any, path: Path) -> ImbalancedTreeClassifier:
    """Return the tree of a model that commands can use."""
    is_forest = isinstance(estimator, ImbalancedForestClassifier)
    reader = getattr(estimator, "imitation_", None) if is_forest else estimator
    if not isinstance(reader, ImbalancedTreeClassifier):
        kind = "forest without imitation_" if is_forest else type(estimator).__name__
        raise BadDataError(
            f"'{path}' holds a {kind}, which commands cannot explain; use it in Python, or train a "
            "model with `thresher train`."
        )
    if estimator.columns_.names is None:
        raise BadDataError(
            f"'{path}' was trained on columns without names; use it in Python, or train it on a "
            "data frame."
        )
    return reader


def _conditions_in(notes: dict[str, Any], reader: ImbalancedTreeClassifier) -> ConditionTable:
    table = from_data(notes["conditions"], reader.columns_)
    leaves = [leaf for condition in table.conditions for leaf in condition.leaves]
    if not all(0 <= leaf < reader.tree_.n_nodes for leaf in leaves):
        raise ValueError("a condition names a leaf that its tree does not have")
    return table
