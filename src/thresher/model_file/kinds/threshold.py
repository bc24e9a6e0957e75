"""`ThresholdClassifier` around a model of another kind as plain data with arrays, and back."""

from typing import Any

import numpy as np

from thresher.errors import ModelFileError
from thresher.model_file.kinds.common import describe_decision, restore_decision
from thresher.model_file.kinds.parameters import describe_parameters, restore_parameters
from thresher.model_file.kinds.registry import INNER, kind_of
from thresher.model_file.kinds.threshold_state import describe_choice, restore_choice
from thresher.model_file.record import Record, require
from thresher.threshold.classifier import ThresholdClassifier


def describe_threshold(model: ThresholdClassifier) -> dict[str, Any]:
    """Return plain data; the estimator is there as it was given (unfitted) and fitted."""
    is_prefit = model.estimator is model.estimator_
    template = None if is_prefit else _describe_template(model.estimator)
    return {
        "parameters": describe_parameters(model, without=("estimator",)),
        **describe_decision(model),
        "estimator": template,
        "fitted": {"kind": _kind(model.estimator_), **_inner(model).describe(model.estimator_)},
        "choice": describe_choice(model, with_scores=True),
    }


def _describe_template(estimator: Any) -> dict[str, Any]:
    return {"kind": _kind(estimator), "parameters": describe_parameters(estimator)}


def _inner(model: ThresholdClassifier) -> Any:
    return INNER[_kind(model.estimator_)]


def _kind(estimator: Any) -> str:
    kind = kind_of(estimator)
    if kind is None:
        raise ModelFileError(
            f"A ThresholdClassifier around {type(estimator).__name__} cannot be kept in a file; "
            f"around {', '.join(kind.type.__name__ for kind in INNER.values())} it can."
        )
    return kind


def check_threshold(model: ThresholdClassifier) -> None:
    """Raise where a parameter is out of range."""
    model.checked_rule()


def restore_threshold(record: Record) -> ThresholdClassifier:
    """Return the model; a DamagedModelError or a ValueError where it is not sound."""
    fitted = _known(record.record("fitted"))
    estimator = INNER[fitted.text("kind")].restore(fitted)
    template = estimator
    if record.has("estimator"):
        template = _template(_known(record.record("estimator")))
    model = restore_parameters(ThresholdClassifier, record, estimator=template)
    check_threshold(model)
    model.estimator_ = estimator
    restore_decision(model, record)
    is_same = estimator.classes_.dtype == model.classes_.dtype
    is_same = is_same and np.array_equal(estimator.classes_, model.classes_)
    require(is_same, "the classes of the estimator are others")
    restore_choice(model, record.record("choice"))
    return model


def _template(record: Record) -> Any:
    """Return an estimator as it was given to fit."""
    kind = INNER[record.text("kind")]
    estimator: Any = restore_parameters(kind.type, record)
    kind.check(estimator)
    return estimator


def _known(record: Record) -> Record:
    require(record.text("kind") in INNER, f"{record.place}.kind is unknown")
    return record
