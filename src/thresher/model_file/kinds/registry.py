"""The kinds of models that stand alone or inside a ThresholdClassifier."""

from collections.abc import Callable
from typing import Any, NamedTuple

from sklearn.linear_model import LogisticRegression

from thresher.blend.boosted import BoostedTreesClassifier
from thresher.blend.classifier import ImbalancedBlendClassifier
from thresher.card.classifier import ScoreCardClassifier
from thresher.forest.alpha_trees import AlphaTreesClassifier
from thresher.forest.classifier import ImbalancedForestClassifier
from thresher.linear import LeastSquaresClassifier
from thresher.model_file.kinds.additive_trees import (
    check_additive,
    describe_additive,
    restore_additive,
)
from thresher.model_file.kinds.alpha_trees import describe_alpha_trees, restore_alpha_trees
from thresher.model_file.kinds.blend import describe_blend, restore_blend
from thresher.model_file.kinds.boosted import describe_boosted, restore_boosted
from thresher.model_file.kinds.card import check_card, describe_card, restore_card
from thresher.model_file.kinds.forest import check_forest, describe_forest, restore_forest
from thresher.model_file.kinds.linear import (
    check_least_squares,
    check_logistic,
    describe_least_squares,
    describe_logistic,
    restore_least_squares,
    restore_logistic,
)
from thresher.model_file.kinds.tree import check_tree, describe_tree, restore_tree
from thresher.model_file.kinds.unseen import check_unseen
from thresher.model_file.record import Record
from thresher.takeover.classifier import AdditiveTreesClassifier
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
        AdditiveTreesClassifier, describe_additive, restore_additive, check_additive
    ),
    "card": Kind(ScoreCardClassifier, describe_card, restore_card, check_card),
    "boosted": Kind(BoostedTreesClassifier, describe_boosted, restore_boosted, check_unseen),
    "blend": Kind(ImbalancedBlendClassifier, describe_blend, restore_blend, check_unseen),
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
