"""`LeastSquaresClassifier` and scikit-learn's `LogisticRegression` as plain data, and back."""

from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression

from thresher.linear import LeastSquaresClassifier
from thresher.model_file.fields import Record, plain_labels, require
from thresher.model_file.parameters import (
    classes_from,
    describe_estimator,
    describe_parameters,
    names_from,
    restore_estimator,
    restore_parameters,
)
from thresher.two_classes import check_threshold

LARGEST = 1e150
"""Slopes beyond this are no model: a score of ordinary values would overflow."""


def describe_least_squares(model: LeastSquaresClassifier) -> dict[str, Any]:
    """Return plain data."""
    slopes = {"coef": model.coef_, "intercept": float(model.intercept_)}
    return {**describe_estimator(model), **slopes}


def check_least_squares(model: LeastSquaresClassifier) -> None:
    """Raise where a parameter is out of range."""
    check_threshold(model.threshold)


def restore_least_squares(record: Record) -> LeastSquaresClassifier:
    """Return the model; a DamagedModelError or a ValueError where it is not sound."""
    model = restore_estimator(LeastSquaresClassifier, record)
    check_least_squares(model)
    require(not model.columns_.is_category.any(), "a line asks for a column of categories")
    require(not model.columns_.derived, "a line asks for a derived column")
    model.coef_ = record.floats("coef", (model.n_features_in_,))
    model.intercept_ = record.number("intercept")
    _check_size(model.coef_, model.intercept_)
    return model


def _check_size(coef: Any, intercept: Any) -> None:
    largest = max(float(np.abs(coef).max()), float(np.abs(intercept).max()))
    require(largest <= LARGEST, "the slopes of the line are out of range")


def describe_logistic(model: LogisticRegression) -> dict[str, Any]:
    """Return the public attributes; parameters at their default are left to scikit-learn."""
    default = LogisticRegression().get_params()
    same = [name for name, value in model.get_params().items() if value is default[name]]
    names = getattr(model, "feature_names_in_", None)
    return {
        "parameters": describe_parameters(model, without=tuple(same)),
        "names": None if names is None else names.tolist(),
        "classes": plain_labels(model.classes_),
        "coef": np.ascontiguousarray(model.coef_),
        "intercept": model.intercept_,
        "iterations": model.n_iter_,
    }


def check_logistic(model: LogisticRegression) -> None:
    """Raise where a parameter is not what scikit-learn takes."""
    model._validate_params()


def restore_logistic(record: Record) -> LogisticRegression:
    """Return the model; a DamagedModelError or a ValueError where it is not sound."""
    model: Any = restore_parameters(LogisticRegression, record)
    check_logistic(model)
    model.coef_ = record.array("coef", "f", (1, None))
    model.intercept_ = record.array("intercept", "f", (1,))
    model.n_iter_ = record.array("iterations", "i", (None,))
    is_finite = np.isfinite(model.coef_).all() and np.isfinite(model.intercept_).all()
    require(is_finite, "the slopes of the logistic regression are not finite")
    model.classes_ = classes_from(record)
    model.n_features_in_ = model.coef_.shape[1]
    require(model.n_features_in_ > 0, "the logistic regression has no columns")
    _check_size(model.coef_, model.intercept_)
    names = names_from(record, "names", model.n_features_in_)
    if names is not None:
        model.feature_names_in_ = np.array(names, dtype=object)
    return model
