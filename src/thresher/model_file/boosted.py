"""`BoostedTreesClassifier` as plain data with arrays, and back."""

from typing import Any

import numpy as np

from thresher.blend.boosted import MAX_FOLDS, BoostedTreesClassifier
from thresher.blend.boosting import BoostedTrees
from thresher.blend.committee import Committee
from thresher.blend.state import UnseenState
from thresher.blend.unseen_classifier import UnseenClassifier
from thresher.model_file.choice import describe_choice, restore_choice
from thresher.model_file.fields import Record, require
from thresher.model_file.forest import MAX_ROWS, restore_imitation
from thresher.model_file.parameters import describe_estimator, restore_estimator
from thresher.model_file.trees import describe_tree, describe_trees, trees_from


def describe_unseen(model: UnseenClassifier) -> dict[str, Any]:
    """Return plain data; `to_tree` of what comes back needs rows, or `imitation_`."""
    state, imitation = model.unseen_state_, getattr(model, "imitation_", None)
    return {
        **describe_estimator(model),
        "training": {"rows": state.n_rows, "weight": [float(total) for total in state.totals]},
        "unseen": {
            "is_scored": None if state.is_scored.all() else state.is_scored,
            "scores": state.scores[state.is_scored],
        },
        "choice": describe_choice(model, with_scores=False),
        "imitation": None if imitation is None else describe_tree(imitation),
    }


def check_unseen(model: UnseenClassifier) -> None:
    """Raise where a parameter is out of range."""
    model.checked_parameters()


def restore_unseen(model: UnseenClassifier, record: Record) -> None:
    """Set the state, the choice of the threshold and the imitation."""
    check_unseen(model)
    training, unseen = record.record("training"), record.record("unseen")
    n_rows = training.integer("rows", 1, MAX_ROWS)
    found = unseen.floats("scores", (None,))
    in_range = len(found) and bool(((found >= 0.0) & (found <= 1.0)).all())
    require(in_range, "the unseen scores are not probabilities")
    scores = found
    if unseen.has("is_scored"):
        is_scored = unseen.array("is_scored", "b", (n_rows,))
        require(is_scored.sum() == len(found), "not every scored row has a score")
        scores = np.full(n_rows, np.nan)
        scores[is_scored] = found
    require(len(scores) == n_rows, "not every row has a score")
    restore_choice(model, record.record("choice"), found)
    seed = model.threshold_state_.seed
    model.unseen_state_ = UnseenState(scores, training.pair("weight"), seed)
    restore_imitation(model, record)


# ------------------------------------------------------------------------------------ boosted trees


def describe_boosted(model: BoostedTreesClassifier) -> dict[str, Any]:
    """Return plain data with the arrays of all trees."""
    parts: Any = model.committee_.parts
    return {**describe_unseen(model), "parts": [describe_trees(part.trees) for part in parts]}


def restore_boosted(record: Record) -> BoostedTreesClassifier:
    """Return the model; a DamagedModelError or a ValueError where it is not sound."""
    model = restore_estimator(BoostedTreesClassifier, record)
    parts = [trees_from(part, model.columns_) for part in record.records("parts")]
    require(1 < len(parts) <= MAX_FOLDS, "the committee has the wrong number of parts")
    are_sound = all(trees.slope is not None and not trees.in_float32 for trees in parts)
    require(are_sound, "the trees of the committee are not boosted ones")
    model.committee_ = Committee(tuple(BoostedTrees(trees) for trees in parts))
    restore_unseen(model, record)
    return model
