"""The kinds of models that a file can hold, each as plain data with arrays, and back."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.utils.validation import check_is_fitted

from thresher.boosted.classifier import BoostedTreesClassifier
from thresher.converters.classifier import ConvertedTreesClassifier
from thresher.errors import DamagedModelError, ModelFileError
from thresher.forest.alpha_trees import AlphaTreesClassifier
from thresher.forest.classifier import ImbalancedForestClassifier
from thresher.linear import LeastSquaresClassifier
from thresher.model_file.boosted import check_boosted, describe_boosted, restore_boosted
from thresher.model_file.choice import describe_choice, restore_choice
from thresher.model_file.fields import Record, require
from thresher.model_file.forest import check_forest, describe_forest, restore_forest
from thresher.model_file.linear import (
    check_least_squares,
    check_logistic,
    describe_least_squares,
    describe_logistic,
    restore_least_squares,
    restore_logistic,
)
from thresher.model_file.parameters import (
    describe_decision,
    describe_parameters,
    restore_decision,
    restore_parameters,
)
from thresher.model_file.trees import (
    check_additive,
    check_tree,
    describe_additive,
    describe_alpha_trees,
    describe_tree,
    restore_additive,
    restore_alpha_trees,
    restore_tree,
)
from thresher.threshold.classifier import ThresholdClassifier
from thresher.tree.classifier import ImbalancedTreeClassifier


class Kind(NamedTuple):
    """A kind of model: its class, how it becomes plain data and is made of it again.

    `check` raises where the parameters of one that is not fitted are out of range.
    """

    type: type
    describe: Callable[[Any], dict[str, Any]]
    restore: Callable[[Record], Any]
    check: Callable[[Any], None]


INNER = {
    "tree": Kind(ImbalancedTreeClassifier, describe_tree, restore_tree, check_tree),
    "forest": Kind(ImbalancedForestClassifier, describe_forest, restore_forest, check_forest),
    "alpha_trees": Kind(
        AlphaTreesClassifier, describe_alpha_trees, restore_alpha_trees, check_tree
    ),
    "additive_trees": Kind(
        ConvertedTreesClassifier, describe_additive, restore_additive, check_additive
    ),
    "boosted": Kind(BoostedTreesClassifier, describe_boosted, restore_boosted, check_boosted),
    "least_squares": Kind(
        LeastSquaresClassifier, describe_least_squares, restore_least_squares, check_least_squares
    ),
    "logistic_regression": Kind(
        LogisticRegression, describe_logistic, restore_logistic, check_logistic
    ),
}


def kind_of(model: Any) -> str | None:
    """Return the name of a model's kind, None where it has none; subclasses have none."""
    return next((name for name, kind in INNER.items() if type(model) is kind.type), None)


# ----------------------------------------------------------------- a threshold around another model


def describe_threshold(model: ThresholdClassifier) -> dict[str, Any]:
    """Return plain data; the estimator is there as it was given (unfitted) and fitted."""
    is_prefit = model.estimator is model.estimator_
    template = None if is_prefit else _describe_template(model.estimator)
    inner = _kind(model.estimator_)
    return {
        "parameters": describe_parameters(model, without=("estimator",)),
        **describe_decision(model),
        "estimator": template,
        "fitted": {"kind": inner, **INNER[inner].describe(model.estimator_)},
        "choice": describe_choice(model, with_scores=True),
    }


def _describe_template(estimator: Any) -> dict[str, Any]:
    return {"kind": _kind(estimator), "parameters": describe_parameters(estimator)}


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


# ---------------------------------------------------------------------------------------- all kinds

MAX_REASON_LENGTH = 300
"""Most characters of a reason."""

KINDS = {
    **{name: kind for name, kind in INNER.items() if kind.type is not LogisticRegression},
    "threshold": Kind(ThresholdClassifier, describe_threshold, restore_threshold, check_threshold),
}


def describe_model(model: Any) -> dict[str, Any]:
    """Return a fitted model as dicts, lists, texts, numbers and arrays.

    Examples
    --------
    >>> from thresher import LeastSquaresClassifier
    >>> model = LeastSquaresClassifier().fit([[0.0], [1.0], [2.0]], ["ok", "ok", "scrap"])
    >>> found = describe_model(model)
    >>> found["kind"], found["threshold"], found["coef"].round(3)
    ('least_squares', 0.5, array([0.5]))
    """
    kind = "threshold" if type(model) is ThresholdClassifier else kind_of(model)
    if kind not in KINDS:
        raise ModelFileError(
            f"A {type(model).__name__} cannot be kept in a file; "
            f"{', '.join(kind.type.__name__ for kind in KINDS.values())} can, the last one around "
            "any of these or a LogisticRegression."
        )
    check_is_fitted(model)
    return {"kind": kind, **KINDS[kind].describe(model)}


def restore_model(data: Any) -> Any:
    """Return the model behind plain data; a DamagedModelError where they are not sound."""
    record = Record(data, "model")
    kind = record.text("kind")
    require(kind in KINDS, f"its kind {kind[:80]!r} is unknown")
    try:
        # Sums of numbers that are out of range are checked, not warned of.
        with np.errstate(all="ignore"):
            return KINDS[kind].restore(record)
    except DamagedModelError:
        raise
    except RecursionError:
        raise DamagedModelError("its data are nested too deeply") from None
    except (TypeError, ValueError, OverflowError) as error:
        # The checks of estimators, trees and of the compiled core.
        raise DamagedModelError(_short(str(error))) from None


def _short(message: str) -> str:
    """Return a message in one line, without its full stop; values in it may be of any length."""
    line = " ".join(message[: 2 * MAX_REASON_LENGTH].split()).rstrip(".")
    return line if len(line) <= MAX_REASON_LENGTH else f"{line[:MAX_REASON_LENGTH]}..."
