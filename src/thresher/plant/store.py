"""A plant's model in a model file: the estimator, and conditions, facts and report as notes."""

import json
from collections.abc import Sequence
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.column import OTHER_LEVELS, Levels, has_others, named
from thresher.condition.clause import Clause, Interval, LevelSet
from thresher.condition.condition import Condition
from thresher.condition.evidence import Tally
from thresher.condition.finding import find_conditions
from thresher.condition.table import HOLD_OUT, OUT_OF_FOLD, TRAINING_ROWS, ConditionTable
from thresher.errors import ModelFileError
from thresher.judging.column_summary import TextsSummary
from thresher.judging.facts import Facts
from thresher.matrix import Columns
from thresher.model_file.fields import Record, damage_told, is_label, require, require_characters
from thresher.model_file.file import StoredModel, read_model, to_bytes, write_model
from thresher.pair import NamedPair
from thresher.tree.classifier import ImbalancedTreeClassifier


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
    return plant_in(read_model(path), f"'{path}'")


def plant_in(stored: StoredModel, name: str) -> StoredPlant:
    """Return what the content of a file says of a plant; `name` is for messages."""
    reader = _reader(stored.model, name)
    if stored.notes is None:
        found = find_conditions(reader, output="table")
        facts = Facts(positive=str(stored.model.pos_label_))
        return StoredPlant(stored.model, reader, found, facts)
    with damage_told(name, "train it again"):
        return _from_notes(stored.model, reader, stored.notes)


def _check_stages(facts: Facts, reader: ImbalancedTreeClassifier) -> None:
    """Raise unless the columns of stages, if there are any, are those of the model."""
    if facts.stages is None:
        return
    known = set(reader.columns_.names or ())
    is_known = bool(facts.stages) and known.issuperset(facts.stages)
    require(is_known, "a stage has a column that the model does not")


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
    facts = Facts.from_record(record.record("facts"))
    table = replace(table, target=facts.target)
    _check_stages(facts, reader)
    _check_columns(facts, reader)
    summary = dict(record.record("summary").data) if record.has("summary") else None
    return StoredPlant(estimator, reader, table, facts, summary)


def _reader(estimator: Any, name: str) -> ImbalancedTreeClassifier:
    """Return the tree of a model that can be explained."""
    reader = estimator
    if not isinstance(estimator, ImbalancedTreeClassifier):
        reader = getattr(estimator, "imitation_", None)
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


MAX_ROWS, MAX_MONEY = 2**53, 1e100
EVIDENCE = (HOLD_OUT, OUT_OF_FOLD, TRAINING_ROWS)


def read_conditions(record: Record, columns: Columns, n_nodes: int) -> ConditionTable:
    """Return the conditions that `ConditionTable.to_json` wrote; columns tell their levels."""
    rows = record.records("conditions")
    evidence = record.text("evidence") if record.has("evidence") else None
    require(evidence is None or evidence in EVIDENCE, "its evidence is unknown")
    whole = _whole(record, "parts", "scrap")
    return ConditionTable(
        conditions=tuple(_condition(row, columns, n_nodes) for row in rows),
        texts=tuple(row.text("text") for row in rows),
        training=_training(rows, whole),
        held=None if evidence is None else _held(record, rows),
        p_value=_numbers(rows, "p_value", 0.0, 1.0),
        stability=_numbers(rows, "stability", 0.0, 1.0),
        money=_numbers(rows, "money", -MAX_MONEY, MAX_MONEY),
        stages=tuple(row.text("stage") if row.has("stage") else None for row in rows),
        evidence=evidence,
        pos_label=record.text("positive_class"),
        permutations=record.integer("permutations", 0, MAX_ROWS)
        if record.has("permutations")
        else 0,
    )


# ---------------------------------------------------------------------------------------- clauses


def _condition(record: Record, columns: Columns, n_nodes: int) -> Condition:
    leaves = record.items("leaves")
    is_sound = all(type(leaf) is int and 0 <= leaf < n_nodes for leaf in leaves)
    require(is_sound, f"{record.place} names a leaf that its tree does not have")
    levels = dict(zip(columns.wide_names, columns.wide_levels, strict=True))
    clauses = tuple(
        _clause(clause, levels, columns.named_pairs) for clause in record.records("clauses")
    )
    return Condition(clauses, tuple(leaves))


def _clause(record: Record, levels: dict[str, Any], pairs: dict[str, NamedPair]) -> Clause:
    column, missing = record.text("column"), record.truth("missing")
    require(column in levels, f"{record.place} names an unknown column")
    known = levels[column]
    if known is not None:
        return LevelSet(column, _levels(record, known), known, missing)
    if record.has("present") and not record.truth("present"):
        return Interval(column, inf, inf, missing, pairs.get(column))
    low = record.number("above") if record.has("above") else -inf
    high = record.number("at_most") if record.has("at_most") else inf
    return Interval(column, low, high, missing, pairs.get(column))


def _levels(record: Record, known: Levels) -> tuple[Any, ...]:
    levels = record.items("levels")
    are_known = all(is_label(one) for one in levels) and set(levels) <= set(named(known))
    require(are_known, f"{record.place} names an unknown level")
    takes_others = has_others(known) and record.truth("unnamed_levels")
    return (*levels, OTHER_LEVELS) if takes_others else tuple(levels)


# ----------------------------------------------------------------------------------------- counts


def _training(rows: Sequence[Record], whole: tuple[int, int]) -> Tally:
    """Return the rows under each condition and of the whole table.

    A tree that imitates a model may have a leaf that no training row is in.
    """
    n, hits = (
        np.array([row.integer(name, 0, most) for row in rows], dtype=np.int64)
        for name, most in zip(("parts", "scrap"), whole, strict=True)
    )
    require((hits <= n).all(), "a condition has more positives than rows")
    return Tally(n, hits, *whole)


def _held(record: Record, rows: Sequence[Record]) -> Tally:
    """Return the unseen rows under each condition; there may be none."""
    whole = _whole(record, "holdout_parts", "holdout_scrap")
    n, hits = (
        np.array([_count(row, name) if row.has(name) else 0 for row in rows], dtype=np.int64)
        for name in ("holdout_parts", "holdout_scrap")
    )
    require((hits <= n).all(), "a condition has more unseen positives than rows")
    return Tally(n, hits, *whole)


def _whole(record: Record, rows: str, positives: str) -> tuple[int, int]:
    n_rows = _count(record, rows, 1)
    return n_rows, record.integer(positives, 1, n_rows)


def _count(record: Record, name: str, low: int = 0) -> int:
    return record.integer(name, low, MAX_ROWS)


def _numbers(rows: Sequence[Record], name: str, low: float, high: float) -> NDArray[np.float64]:
    return np.array([row.within(name, low, high) if row.has(name) else np.nan for row in rows])
