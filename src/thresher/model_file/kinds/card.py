"""`ScoreCardClassifier` as plain data with arrays, and back; what it was made of is left out."""

from typing import Any

from thresher.card.classifier import ScoreCardClassifier
from thresher.model_file.kinds.additive_trees import describe_trees, trees_from
from thresher.model_file.kinds.common import describe_estimator, restore_estimator
from thresher.model_file.kinds.forest import restore_imitation
from thresher.model_file.kinds.tree import describe_tree
from thresher.model_file.record import Record, require


def describe_card(model: ScoreCardClassifier) -> dict[str, Any]:
    """Return plain data with the arrays of the trees."""
    imitation = getattr(model, "imitation_", None)
    return {
        **describe_estimator(model, without=("estimator",)),
        "additive": describe_trees(model.trees_),
        "imitation": None if imitation is None else describe_tree(imitation),
    }


def check_card(model: ScoreCardClassifier) -> None:
    """Raise where a parameter is out of range."""
    model.check_parameters()


def restore_card(record: Record) -> ScoreCardClassifier:
    """Return the model; a DamagedModelError or a ValueError where it is not sound."""
    model = restore_estimator(ScoreCardClassifier, record)
    require(model.estimator is None, "a card names an estimator")
    check_card(model)
    model.trees_ = trees_from(record.record("additive"), model.columns_)
    trees = model.trees_
    is_card = trees.slope is not None and not trees.in_float32 and not trees.is_mean
    require(is_card and not trees.zero_is_missing.any(), "the trees are not those of a card")
    restore_imitation(model, record)
    return model
