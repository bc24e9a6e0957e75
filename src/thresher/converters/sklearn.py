"""scikit-learn's trees, forests and gradient boosting, read by their public attributes."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit

from thresher.converters.foreign import ForeignModel, of_float32, two_classes
from thresher.matrix import Columns
from thresher.tree.additive import PlainTree, put_together

PACKAGE = "sklearn"
BOOSTING = "GradientBoostingClassifier"
FORESTS = ("RandomForestClassifier", "ExtraTreesClassifier")
CLASSES = ("DecisionTreeClassifier", "ExtraTreeClassifier", *FORESTS, BOOSTING)

SLOPES = {"log_loss": 1.0, "exponential": 2.0}
"""Of the logistic function, by the loss."""


def read_sklearn(model: Any) -> ForeignModel:
    """Return what a fitted model of scikit-learn says."""
    classes = two_classes(model)
    names = getattr(model, "feature_names_in_", None)
    columns = Columns(
        None if names is None else tuple(names.tolist()), (None,) * model.n_features_in_
    )
    no_zeros = np.zeros(len(columns), dtype=bool)
    if type(model).__name__ == BOOSTING:
        slope = SLOPES[model.loss]
        trees = [_boosted(one.tree_, model.learning_rate) for one in model.estimators_[:, 0]]
        scoring = {"base": _base(model) / slope, "slope": slope}
        return ForeignModel(put_together(trees, no_zeros, **scoring), columns, classes, False)
    is_forest = type(model).__name__ in FORESTS
    trees = [_shares(one.tree_) for one in (model.estimators_ if is_forest else [model])]
    return ForeignModel(put_together(trees, no_zeros, is_mean=is_forest), columns, classes)


def _shares(tree: Any) -> PlainTree:
    """Return a tree whose leaves say the share of the second class."""
    return _tree(tree, np.ascontiguousarray(tree.value[:, 0, 1]))


def _boosted(tree: Any, learning_rate: float) -> PlainTree:
    return _tree(tree, learning_rate * tree.value[:, 0, 0])


def _tree(tree: Any, value: NDArray[np.float64]) -> PlainTree:
    is_leaf = tree.children_left < 0
    return PlainTree(
        feature=tree.feature,
        cut=of_float32(np.where(is_leaf, 0.0, tree.threshold)),
        left=tree.children_left,
        right=tree.children_right,
        missing_left=tree.missing_go_to_left.astype(bool),
        members={},
        value=value,
        weight=tree.weighted_n_node_samples,
    )


def _base(model: Any) -> float:
    """Return the log odds that the first tree starts from."""
    if model.init_ == "zero":
        return 0.0
    if type(model.init_).__name__ != "DummyClassifier" or model.init_.strategy != "prior":
        raise ValueError(
            "convert takes GradientBoostingClassifier with init=None or 'zero', and the init of "
            f"this one is {type(model.init_).__name__}."
        )
    prior = np.clip(model.init_.class_prior_[1], *_OPEN)
    return float(logit(prior))


_OPEN = (np.finfo(np.float64).eps, 1.0 - np.finfo(np.float64).eps)
"""scikit-learn keeps the share of the second class within these."""
