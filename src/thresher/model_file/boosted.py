"""`BoostedTreesClassifier` as plain data with arrays, and back."""

from typing import Any

from thresher.boosted.classifier import BoostedTreesClassifier, UnseenState
from thresher.model_file.choice import describe_choice, restore_choice
from thresher.model_file.fields import Record, require
from thresher.model_file.forest import MAX_ROWS, restore_imitation
from thresher.model_file.parameters import describe_estimator, restore_estimator
from thresher.model_file.trees import describe_tree, describe_trees, trees_from


def describe_boosted(model: BoostedTreesClassifier) -> dict[str, Any]:
    """Return plain data; `to_tree` of what comes back needs rows, or `imitation_`."""
    state, imitation = model.unseen_state_, getattr(model, "imitation_", None)
    return {
        **describe_estimator(model),
        "training": {"rows": len(state.scores), "weight": [float(total) for total in state.totals]},
        "unseen_scores": state.scores,
        "choice": describe_choice(model, with_scores=False),
        "additive": describe_trees(model.trees_),
        "imitation": None if imitation is None else describe_tree(imitation),
    }


def check_boosted(model: BoostedTreesClassifier) -> None:
    """Raise where a parameter is out of range."""
    model.checked_parameters()


def restore_boosted(record: Record) -> BoostedTreesClassifier:
    """Return the model; a DamagedModelError or a ValueError where it is not sound."""
    model = restore_estimator(BoostedTreesClassifier, record)
    check_boosted(model)
    trees = trees_from(record.record("additive"), model.columns_)
    is_boosted = trees.slope is not None and not trees.in_float32 and not trees.is_mean
    require(is_boosted, "the trees are not boosted ones")
    model.trees_ = trees
    training = record.record("training")
    scores = record.floats("unseen_scores", (training.integer("rows", 1, MAX_ROWS),))
    in_range = bool(((scores >= 0.0) & (scores <= 1.0)).all())
    require(in_range, "the unseen scores are not probabilities")
    restore_choice(model, record.record("choice"), scores)
    seed = model.threshold_state_.seed
    model.unseen_state_ = UnseenState(scores, training.pair("weight"), seed)
    restore_imitation(model, record)
    return model
