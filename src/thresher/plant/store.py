"""A plant's model in a model file: the estimator, and conditions, facts and report as notes."""

import json
from pathlib import Path
from typing import Any, NamedTuple

from thresher.condition.finding import conditions
from thresher.condition.table import ConditionTable
from thresher.errors import DamagedModelError, ModelFileError
from thresher.forest.classifier import ImbalancedForestClassifier
from thresher.judging.facts import Facts
from thresher.judging.old_facts import facts_of_version_1
from thresher.judging.stored_conditions import read_conditions
from thresher.model_file.file import StoredModel, read_model, write_model
from thresher.model_file.record import Record
from thresher.tree.classifier import ImbalancedTreeClassifier

MODEL_FILE = "model.thresher"
"""What `thresher train` writes into its folder."""


class StoredPlant(NamedTuple):
    """What a file holds: the fields of a PlantModel that has no training in memory."""

    estimator: Any
    reader: ImbalancedTreeClassifier
    conditions: ConditionTable
    facts: Facts
    summary: dict[str, Any] | None = None


def write_plant(stored: StoredPlant, path: Path) -> None:
    """Write a model to a file; a forest keeps the tree that imitates it."""
    if stored.reader is not stored.estimator:
        stored.estimator.imitation_ = stored.reader
    notes = {
        "conditions": json.loads(stored.conditions.to_json()),
        "facts": stored.facts.as_data(),
        "summary": stored.summary,
    }
    write_model(StoredModel(stored.estimator, notes), path)


def read_plant(path: Path) -> StoredPlant:
    """Read a model from a file or a folder; whatever is wrong with it is said in one sentence."""
    path = model_file(path)
    stored = read_model(path)
    reader = _reader(stored.model, path)
    if stored.notes is None:
        found = conditions(reader, output="table")
        return StoredPlant(stored.model, reader, found, _facts_of_estimator(stored.model))
    try:
        return _from_notes(stored.model, reader, stored.notes)
    except DamagedModelError as error:
        raise DamagedModelError(
            f"'{path}' is a damaged model file: {error}; take another copy, or train it again."
        ) from None


def model_file(path: Path) -> Path:
    """Return the file of a model that is named by it or by the folder of `thresher train`."""
    return path / MODEL_FILE if path.is_dir() else path


def _from_notes(estimator: Any, reader: ImbalancedTreeClassifier, notes: Any) -> StoredPlant:
    record = Record(notes, "notes")
    table = read_conditions(record.record("conditions"), reader.columns_, reader.tree_.n_nodes)
    content = record.record("facts")
    is_present = "version" in content.data
    facts = Facts.from_record(content) if is_present else facts_of_version_1(content, estimator)
    summary = dict(record.record("summary").data) if record.has("summary") else None
    return StoredPlant(estimator, reader, table, facts, summary)


def _facts_of_estimator(estimator: Any) -> Facts:
    return Facts(positive=str(estimator.pos_label_))


def _reader(estimator: Any, path: Path) -> ImbalancedTreeClassifier:
    """Return the tree of a model that can be explained."""
    is_forest = isinstance(estimator, ImbalancedForestClassifier)
    reader = getattr(estimator, "imitation_", None) if is_forest else estimator
    if not isinstance(reader, ImbalancedTreeClassifier):
        kind = "forest without imitation_" if is_forest else type(estimator).__name__
        raise ModelFileError(
            f"'{path}' holds a {kind}, which commands cannot explain; use it in Python with "
            "load_model, or train a model with `thresher train`."
        )
    if estimator.columns_.names is None:
        raise ModelFileError(
            f"'{path}' was trained on columns without names; use it in Python with load_model, or "
            "train it on a data frame."
        )
    return reader
