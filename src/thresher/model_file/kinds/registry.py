"""The kinds of models that stand alone or inside a ThresholdClassifier."""

from collections.abc import Callable
from typing import Any, NamedTuple

from sklearn.linear_model import LogisticRegression

from thresher.forest.alpha_trees import AlphaTreesClassifier
from thresher.forest.classifier import ImbalancedForestClassifier
from thresher.linear import LeastSquaresClassifier
from thresher.model_file.kinds.alpha_trees import describe_alpha_trees, restore_alpha_trees
from thresher.model_file.kinds.forest import describe_forest, restore_forest
from thresher.model_file.kinds.linear import (
    describe_least_squares,
    describe_logistic,
    restore_least_squares,
    restore_logistic,
)
from thresher.model_file.kinds.tree import describe_tree, restore_tree
from thresher.model_file.record import Record
from thresher.tree.classifier import ImbalancedTreeClassifier


class Kind(NamedTuple):
    """A kind of model: its class, and how it becomes plain data and is made of it again."""

    type: type
    describe: Callable[[Any], dict[str, Any]]
    restore: Callable[[Record], Any]


INNER = {
    "tree": Kind(ImbalancedTreeClassifier, describe_tree, restore_tree),
    "forest": Kind(ImbalancedForestClassifier, describe_forest, restore_forest),
    "alpha_trees": Kind(AlphaTreesClassifier, describe_alpha_trees, restore_alpha_trees),
    "least_squares": Kind(LeastSquaresClassifier, describe_least_squares, restore_least_squares),
    "logistic_regression": Kind(LogisticRegression, describe_logistic, restore_logistic),
}


def kind_of(model: Any) -> str | None:
    """Return the name of a model's kind, None where it has none; subclasses have none."""
    return next((name for name, kind in INNER.items() if type(model) is kind.type), None)
