"""`ImbalancedForestClassifier` as plain data with arrays, and back."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.forest.classifier import ImbalancedForestClassifier
from thresher.forest.out_of_bag import VOTE_UNIT, OutOfBag
from thresher.forest.parameters import AUTO, check_parameters
from thresher.forest.state import ForestState
from thresher.model_file.choice import describe_choice, restore_choice
from thresher.model_file.fields import Record, require
from thresher.model_file.nodes import LARGEST, check_scale, describe_nodes, narrow, nodes_from
from thresher.model_file.parameters import describe_estimator, restore_estimator
from thresher.model_file.trees import describe_tree, restore_tree

MAX_ROWS = 2**48


def describe_forest(model: ImbalancedForestClassifier) -> dict[str, Any]:
    """Return plain data; `to_tree` of what comes back needs rows, or `imitation_`."""
    state, imitation = model.forest_state_, getattr(model, "imitation_", None)
    return {
        **describe_estimator(model),
        "training": {
            "rows": state.n_rows,
            "weight": [float(total) for total in state.totals],
            "class_factors": [float(factor) for factor in state.class_factors],
            "is_sorted": state.is_sorted,
            "leaf_size": state.leaf_size,
            "row_weight": state.row_weight,
        },
        "trees": describe_nodes(model.forest_),
        "votes": {"total": state.votes.total, "count": narrow(state.votes.n_votes)},
        "choice": describe_choice(model, with_scores=False),
        **_describe_importances(model),
        "imitation": None if imitation is None else describe_tree(imitation),
    }


def check_forest(model: ImbalancedForestClassifier) -> None:
    """Raise where a parameter is out of range."""
    check_parameters(model)
    model.checked_rule()


def restore_forest(record: Record) -> ImbalancedForestClassifier:
    """Return the model; a DamagedModelError or a ValueError where it is not sound."""
    model = restore_estimator(ImbalancedForestClassifier, record)
    check_forest(model)
    training = record.record("training")
    n_rows = training.integer("rows", 1, MAX_ROWS)
    totals, factors = training.pair("weight"), training.pair("class_factors")
    model.forest_ = nodes_from(record.record("trees"), model.columns_)
    check_scale(model.forest_.counts, factors)
    votes = _votes(record.record("votes"), n_rows, len(model.forest_))
    restore_choice(model, record.record("choice"), votes.probability[votes.n_votes > 0])
    seed = model.threshold_state_.seed
    leaf_size = _leaf_size(model, training)
    importances = _importances(record, model.importance, model.n_features_in_)
    model.forest_state_ = ForestState(
        votes,
        totals,
        factors,
        seed,
        training.truth("is_sorted"),
        importances=importances,
        leaf_size=leaf_size,
        row_weight=training.within("row_weight", 0.0, LARGEST),
    )
    _check_votes_of_nodes(model)
    # The parameters of growth are asked for again when a tree is unpacked.
    model.forest_state_.core_options(model)
    restore_imitation(model, record)
    return model


def _leaf_size(model: ImbalancedForestClassifier, training: Record) -> int | None:
    """Return the size of leaves that the forest chose, None where its parameter tells."""
    if model.min_samples_leaf != AUTO:
        return None
    return training.integer("leaf_size", 1, MAX_ROWS)


def _check_votes_of_nodes(model: ImbalancedForestClassifier) -> None:
    values = model.node_values()
    is_sound = bool(((values >= 0.0) & (values <= 1.0)).all())
    require(is_sound, "the weights of the forest are out of range")


def _votes(record: Record, n_rows: int, n_trees: int) -> OutOfBag:
    total = record.array("total", "i", (n_rows,)).astype(np.int64)
    count = record.array("count", "u", (n_rows,)).astype(np.int64)
    require((count <= n_trees).all(), "more trees vote than there are")
    # Each vote is rounded to its unit.
    in_range = (total >= 0) & (total <= count * (round(1.0 / VOTE_UNIT) + 1))
    require(in_range.all(), "the out-of-bag votes are out of range")
    return OutOfBag(total, count.astype(np.int32))


MEAN_CONTRIBUTIONS = "mean_contributions"
PERMUTATION = "permutation_importances"


def _describe_importances(model: ImbalancedForestClassifier) -> dict[str, Any]:
    """Return what `importance` found in the fit, under a name that tells what it is."""
    found = model.forest_state_.importances
    if model.importance == "shap":
        return {PERMUTATION: None, MEAN_CONTRIBUTIONS: found}
    return {PERMUTATION: found}


def _importances(record: Record, importance: str, n_columns: int) -> NDArray[np.float64] | None:
    name = MEAN_CONTRIBUTIONS if importance == "shap" else PERMUTATION
    return record.floats(name, (n_columns,)) if record.has(name) else None


def restore_imitation(model: Any, record: Record) -> None:
    """Set the tree that imitates a model, where it has kept one."""
    if record.has("imitation"):
        model.imitation_ = restore_tree(record.record("imitation"))
        require(
            model.imitation_.columns_ == model.columns_
            and np.array_equal(model.imitation_.classes_, model.classes_)
            and model.imitation_.positive_index_ == model.positive_index_,
            "the tree that imitates the model has other columns or classes",
        )
