"""A plant's model in a model file: the estimator, and conditions, facts and report as notes."""

import json
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from thresher.condition.finding import conditions
from thresher.condition.table import ConditionTable
from thresher.errors import ModelFileError
from thresher.judging.column_summary import TextsSummary
from thresher.judging.facts import Facts
from thresher.judging.old_facts import facts_of_version_1
from thresher.judging.stored_conditions import read_conditions
from thresher.matrix import Columns
from thresher.model_file.file import SeveralModels, StoredModel, read_model, to_bytes, write_model
from thresher.model_file.record import Record, damage_told, require, require_characters
from thresher.plant.reader import is_readable
from thresher.tree.classifier import ImbalancedTreeClassifier
from thresher.whole_file import finish_folder

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
    """Write a model to a file."""
    write_model(with_notes(stored), path)


def plant_bytes(stored: StoredPlant) -> bytes:
    """Return the content of a model's file."""
    return to_bytes(with_notes(stored))


def with_notes(stored: StoredPlant) -> StoredModel:
    """Return what goes to a file; what is no tree keeps the one that imitates it."""
    if stored.reader is not stored.estimator:
        stored.estimator.imitation_ = stored.reader
    notes = {
        "conditions": json.loads(stored.conditions.to_json()),
        "facts": stored.facts.as_data(),
        "summary": stored.summary,
    }
    return StoredModel(stored.estimator, notes)


def read_plant(path: Path) -> StoredPlant:
    """Read a model from a file or a folder; whatever is wrong with it is said in one sentence."""
    path = model_file(path)
    return plant_in(read_model(path), f"'{path}'")


def plant_in(stored: StoredModel, name: str) -> StoredPlant:
    """Return what the content of a file says of a plant; `name` is for messages."""
    if isinstance(stored.model, SeveralModels):
        raise ModelFileError(
            f"{name} holds a model for each of several reason codes, and this is for one of them; "
            "take it with thresher.plant.CodedModel.load(...).models[code], and save it."
        )
    reader = _reader(stored.model, name)
    if stored.notes is None:
        found = conditions(reader, output="table")
        return StoredPlant(stored.model, reader, found, _facts_of_estimator(stored.model))
    with damage_told(name, "train it again"):
        return _from_notes(stored.model, reader, stored.notes)


def model_file(path: Path) -> Path:
    """Return the file of a model that is named by it or by the folder of `thresher train`.

    A folder whose writer was killed is finished first, where its rights allow it.
    """
    if not path.is_dir():
        return path
    with suppress(OSError):
        finish_folder(path)
    return path / MODEL_FILE


def _check_stations(facts: Facts, reader: ImbalancedTreeClassifier) -> None:
    """Raise unless the columns of stations, if there are any, are those of the model."""
    if facts.stations is None:
        return
    known = set(reader.columns_.names or ())
    is_known = bool(facts.stations) and known.issuperset(facts.stations)
    require(is_known, "a station has a column that the model does not")


def _check_columns(facts: Facts, reader: ImbalancedTreeClassifier) -> None:
    """Raise unless what is told of columns, if anything is, fits those of the model."""
    if facts.columns is None:
        return
    told = [len(one.counts) if isinstance(one, TextsSummary) else None for one in facts.columns]
    levels = [None if known is None else len(known) for known in reader.columns_.levels]
    require(told == levels, "the columns of its training are not those of the model")


def _from_notes(estimator: Any, reader: ImbalancedTreeClassifier, notes: Any) -> StoredPlant:
    record = Record(notes, "notes")
    require_characters(notes, "notes")
    table = read_conditions(record.record("conditions"), reader.columns_, reader.tree_.n_nodes)
    content = record.record("facts")
    is_present = "version" in content.data
    facts = Facts.from_record(content) if is_present else facts_of_version_1(content, estimator)
    _check_stations(facts, reader)
    _check_columns(facts, reader)
    summary = dict(record.record("summary").data) if record.has("summary") else None
    return StoredPlant(estimator, reader, table, facts, summary)


def _facts_of_estimator(estimator: Any) -> Facts:
    return Facts(positive=str(estimator.pos_label_))


def _reader(estimator: Any, name: str) -> ImbalancedTreeClassifier:
    """Return the tree of a model that can be explained."""
    reader = estimator if is_readable(estimator) else getattr(estimator, "imitation_", None)
    if not isinstance(reader, ImbalancedTreeClassifier):
        lacks = " without imitation_" if hasattr(estimator, "to_tree") else ""
        kind = f"{type(estimator).__name__}{lacks}"
        raise ModelFileError(
            f"{name} holds a model ({kind}) that commands cannot explain; use it in Python with "
            "load_model, or train a model with `thresher train`."
        )
    if estimator.columns_.names is None:
        raise ModelFileError(
            f"{name} was trained on columns without names; use it in Python with load_model, or "
            "train it on a data frame."
        )
    _refuse_other_levels(estimator.columns_, name)
    with damage_told(name, "train it again"):
        columns, classes = estimator.columns_, estimator.classes_
        require_characters([columns.names, columns.levels, classes.tolist()], "the model")
    return reader


def _refuse_other_levels(columns: Columns, name: str) -> None:
    """Raise where a category has levels other than texts, which tables of people do not hold."""
    for column, levels in zip(columns.names or (), columns.levels, strict=True):
        if levels and not isinstance(levels[0], str):
            kind = "truth values" if isinstance(levels[0], bool) else "numbers"
            raise ModelFileError(
                f"{name} knows the levels of {column!r} as {kind}, and commands read texts; use it "
                "in Python with load_model, or train it on texts."
            )
