"""`ImbalancedBlendClassifier` as plain data with arrays, and back."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.blend.boosted import MAX_FOLDS
from thresher.blend.classifier import ImbalancedBlendClassifier
from thresher.blend.committee import Committee
from thresher.blend.kernel_machine import KernelMachine
from thresher.blend.logistic_line import LogisticLine
from thresher.blend.members import Member
from thresher.blend.preparation import Preparation, level_counts
from thresher.matrix import Columns
from thresher.model_file.boosted import (
    describe_boosted,
    describe_unseen,
    restore_boosted,
    restore_unseen,
)
from thresher.model_file.fields import Record, require
from thresher.model_file.forest import describe_forest, restore_forest
from thresher.model_file.parameters import restore_estimator
from thresher.threshold.platt import Platt

LARGEST = 1e100
"""Numbers beyond this are no model: scores of ordinary values would overflow."""


def describe_committee(committee: Committee) -> dict[str, Any]:
    """Return plain data."""
    return {"parts": [_describe_part(part) for part in committee.parts]}


def _describe_part(part: Any) -> dict[str, Any]:
    preparation: Preparation = part.preparation
    names = ("median", "mean", "scale")
    shared = {name: getattr(preparation, name) for name in names}
    if isinstance(part, LogisticLine):
        return {**shared, "slopes": part.slopes, "intercept": part.intercept}
    machine = {"vectors": part.vectors, "weights": part.weights}
    return {**shared, **machine, "intercept": part.intercept, "gamma": part.gamma}


def machines_from(record: Record, columns: Columns) -> Committee:
    """Return kernel machines after all checks."""
    return _committee([_machine(part, columns) for part in record.records("parts")])


def lines_from(record: Record, columns: Columns) -> Committee:
    """Return logistic lines after all checks."""
    return _committee([_line(part, columns) for part in record.records("parts")])


def _committee(parts: list[Any]) -> Committee:
    require(1 < len(parts) <= MAX_FOLDS, "a committee has the wrong number of parts")
    return Committee(tuple(parts))


def _machine(record: Record, columns: Columns) -> KernelMachine:
    preparation = _preparation(record, columns)
    vectors = _numbers(record, "vectors", (None, preparation.width))
    require(len(vectors), "a machine has no vectors")
    weights = _numbers(record, "weights", (len(vectors),))
    gamma = record.positive("gamma")
    require(gamma <= LARGEST, "a machine has a gamma that is out of range")
    return KernelMachine(preparation, vectors, weights, _intercept(record), gamma)


def _line(record: Record, columns: Columns) -> LogisticLine:
    preparation = _preparation(record, columns)
    slopes = _numbers(record, "slopes", (preparation.width,))
    return LogisticLine(preparation, slopes, _intercept(record))


def _intercept(record: Record) -> float:
    return record.within("intercept", -LARGEST, LARGEST)


def _preparation(record: Record, columns: Columns) -> Preparation:
    n_levels = level_counts(columns, len(columns.is_category))
    shape = (int((n_levels == 0).sum()),)
    parts = [_numbers(record, name, shape) for name in ("median", "mean", "scale")]
    require((parts[2] >= 1.0 / LARGEST).all(), "a column has a scale that is out of range")
    return Preparation(n_levels, *parts)


def _numbers(record: Record, name: str, shape: tuple[int | None, ...]) -> NDArray[np.float64]:
    values = record.floats(name, shape)
    require((np.abs(values) <= LARGEST).all(), f"{record.place}.{name} is out of range")
    return values


# ---------------------------------------------------------------------------------------- the blend

MAX_REASON_LENGTH = 1000

DESCRIBE: dict[str, Callable[[Any], dict[str, Any]]] = {
    "forest": describe_forest,
    "random_cuts": describe_forest,
    "boosted": describe_boosted,
    "svm": describe_committee,
    "logistic": describe_committee,
}
OWN_KINDS: dict[str, Callable[[Record], Any]] = {
    "forest": restore_forest,
    "random_cuts": restore_forest,
    "boosted": restore_boosted,
}
COMMITTEES: dict[str, Callable[[Record, Columns], Any]] = {
    "svm": machines_from,
    "logistic": lines_from,
}


def describe_blend(model: ImbalancedBlendClassifier) -> dict[str, Any]:
    """Return plain data with all members."""
    members = [
        {
            "name": member.name,
            "curve": {name: float(value) for name, value in member.curve._asdict().items()},
            "model": DESCRIBE[member.name](member.model),
        }
        for member in model.blended_
    ]
    return {**describe_unseen(model), "left_out": dict(model.left_out_), "members": members}


def restore_blend(record: Record) -> ImbalancedBlendClassifier:
    """Return the model; a DamagedModelError or a ValueError where it is not sound."""
    model = restore_estimator(ImbalancedBlendClassifier, record)
    restore_unseen(model, record)
    model.blended_ = tuple(_member(part, model) for part in record.records("members"))
    model.members_ = tuple(member.name for member in model.blended_)
    model.left_out_ = _reasons(record.record("left_out"))
    known = [name for name in model.members if name not in model.left_out_]
    require(model.members_ and list(model.members_) == known, "the members are not those named")
    return model


def _reasons(record: Record) -> dict[str, str]:
    found = {str(name): record.text(name) for name in record.data}
    short = all(len(text) <= MAX_REASON_LENGTH for text in found.values())
    require(short, "a reason why a member is left out is too long")
    return found


def _member(record: Record, model: ImbalancedBlendClassifier) -> Member:
    name, inner = record.text("name"), record.record("model")
    require(name in DESCRIBE, f"{record.place}.name is unknown")
    curve = _curve(record.record("curve"))
    if name in COMMITTEES:
        return Member(name, COMMITTEES[name](inner, model.columns_), curve)
    fitted = OWN_KINDS[name](inner)
    is_same = (
        fitted.columns_ == model.columns_
        and np.array_equal(fitted.classes_, model.classes_)
        and fitted.positive_index_ == model.positive_index_
    )
    require(is_same, "a member has other columns or classes")
    return Member(name, fitted, curve)


def _curve(record: Record) -> Platt:
    found = Platt(*(record.within(name, -LARGEST, LARGEST) for name in Platt._fields))
    require(found.scale >= 1.0 / LARGEST, "a curve has a scale that is out of range")
    return found
