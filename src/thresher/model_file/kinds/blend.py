"""`ImbalancedBlendClassifier` as plain data with arrays, and back."""

from collections.abc import Callable
from typing import Any

import numpy as np

from thresher.blend.classifier import ImbalancedBlendClassifier
from thresher.blend.members import Member
from thresher.matrix import Columns
from thresher.model_file.kinds.boosted import describe_boosted, restore_boosted
from thresher.model_file.kinds.committees import describe_committee, lines_from, machines_from
from thresher.model_file.kinds.common import restore_estimator
from thresher.model_file.kinds.forest import describe_forest, restore_forest
from thresher.model_file.kinds.unseen import describe_unseen, restore_unseen
from thresher.model_file.record import Record, require
from thresher.threshold.platt import Platt

LARGEST = 1e100
"""Numbers of a curve beyond this are none of a model."""
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
