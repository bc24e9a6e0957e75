"""What models with unseen scores of their training rows have in common as plain data, and back."""

from typing import Any

import numpy as np

from thresher.blend.state import UnseenState
from thresher.blend.unseen_classifier import UnseenClassifier
from thresher.model_file.kinds.common import describe_estimator
from thresher.model_file.kinds.forest import MAX_ROWS, restore_imitation
from thresher.model_file.kinds.threshold_state import describe_choice, restore_choice
from thresher.model_file.kinds.tree import describe_tree
from thresher.model_file.record import Record, require


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
