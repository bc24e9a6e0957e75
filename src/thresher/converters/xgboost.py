"""XGBoost's models, read from their own JSON; the only file that knows its format."""

import json
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher import _core
from thresher.converters.foreign import ForeignModel, LevelCodes, below_float32, two_classes
from thresher.matrix import Columns
from thresher.tree.additive import PlainTree, put_together

PACKAGE = "xgboost"
CLASSES = ("Booster", "XGBClassifier", "XGBRFClassifier")
OBJECTIVE = "binary:logistic"


def read_xgboost(model: Any) -> ForeignModel:
    """Return what a fitted model of XGBoost says."""
    is_wrapped = hasattr(model, "get_booster")
    if is_wrapped:
        _refuse_other_gaps(model)
    classes = two_classes(model)
    booster = model.get_booster() if is_wrapped else model
    learner = json.loads(bytes(booster.save_raw("json")))["learner"]
    base = _base(learner)
    part = learner["gradient_booster"]
    inner = part["gbtree"]["model"] if part["name"] == "dart" else part["model"]
    codes = _level_codes(inner, learner)
    nodes = inner["trees"][: _n_trees(model, inner) if is_wrapped else None]
    if not nodes:
        raise ValueError("This XGBoost model has no trees; train it first.")
    trees = [_tree(one, codes) for one in nodes]
    # Weights of dropped trees; since XGBoost 3.4 they stand among the trees, without a name "dart".
    if weights := part.get("weight_drop") or inner.get("weight_drop"):
        trees = [_weighted(*pair) for pair in zip(trees, weights, strict=False)]
    n_columns = int(learner["learner_model_param"]["num_feature"])
    names = learner["feature_names"] or None
    levels = tuple(codes[place].levels if place in codes else None for place in range(n_columns))
    return ForeignModel(
        put_together(trees, np.zeros(n_columns, dtype=bool), base=base, in_float32=True, slope=1.0),
        Columns(None if names is None else tuple(names), levels),
        classes,
    )


def _refuse_other_gaps(model: Any) -> None:
    missing = model.get_params().get("missing", np.nan)
    if missing is not None and missing == missing:
        raise ValueError(
            f"This XGBoost model takes {missing!r} for a missing value; put NaN there and fit it "
            "again with missing=nan."
        )


def _base(learner: dict[str, Any]) -> float:
    """Return what sums begin with; an error where these are no trees of two classes."""
    name = learner["gradient_booster"]["name"]
    if name not in ("gbtree", "dart"):
        raise ValueError(f"convert takes trees, and the booster of this XGBoost model is {name}.")
    parameters = learner["learner_model_param"]
    if int(parameters["num_class"]) > 1 or int(parameters.get("num_target", 1)) > 1:
        raise ValueError("convert takes models of two classes; this XGBoost model has more.")
    objective = learner["objective"]["name"]
    if objective != OBJECTIVE:
        raise ValueError(
            f"convert takes XGBoost models with the objective {OBJECTIVE}, and this one has "
            f"{objective}."
        )
    # XGBoost's logarithm is that of the C library, whose last digit no other one has for sure.
    return float(_core.float32_log_odds(float(parameters["base_score"].strip("[]"))))


def _n_trees(model: Any, inner: dict[str, Any]) -> int | None:
    """Return how many trees predict uses after early stopping; a booster alone uses all."""
    told = model.get_booster().attr("best_iteration")
    if told is None:
        return None
    n_iterations = int(told) + 1
    if "iteration_indptr" in inner:
        return int(inner["iteration_indptr"][n_iterations])
    return int(inner["gbtree_model_param"]["num_parallel_tree"]) * n_iterations


def _level_codes(inner: dict[str, Any], learner: dict[str, Any]) -> dict[int, LevelCodes]:
    """Return the levels of the columns that were categories of a data frame, by place."""
    names = learner["feature_names"]
    found = {}
    for place, one in enumerate(inner.get("cats", {}).get("enc", [])):
        if one["values"]:
            name = names[place] if names else str(place)
            levels = _texts(one, name) if "offsets" in one else one["values"]
            found[place] = LevelCodes.of(levels, name)
    return found


def _texts(one: dict[str, Any], column: str) -> list[str]:
    letters = bytes(value % 256 for value in one["values"])
    if not letters.isascii():
        # XGBoost 3.2 counts characters where it should count bytes, and loses the last ones.
        raise ValueError(
            f"Category column {column!r} has levels with letters beyond ASCII, which XGBoost does "
            "not keep whole; rename them and fit again."
        )
    ends = one["offsets"]
    return [letters[i:j].decode() for i, j in pairwise(ends)]


def _tree(nodes: dict[str, Any], codes: dict[int, LevelCodes]) -> PlainTree:
    """Return a tree; where levels are asked for, its members go left, and right in XGBoost."""
    if int(nodes["tree_param"]["size_leaf_vector"]) > 1:
        raise ValueError("convert takes models of one target; this XGBoost model has more.")
    left, right = np.array(nodes["left_children"]), np.array(nodes["right_children"])
    conditions = np.array(nodes["split_conditions"], dtype=np.float32)
    feature = np.array(nodes["split_indices"])
    members = _members(nodes, feature, codes)
    missing_left = np.array(nodes["default_left"]) == 1
    swapped = list(members)
    left[swapped], right[swapped] = right[swapped], left[swapped]
    missing_left[swapped] = ~missing_left[swapped]
    is_leaf = left < 0
    return PlainTree(
        feature=feature,
        cut=below_float32(np.where(is_leaf, np.float32(0.0), conditions)),
        left=left,
        right=right,
        missing_left=missing_left,
        members=members,
        value=np.where(is_leaf, conditions, np.float32(0.0)).astype(np.float64),
        weight=np.array(nodes["sum_hessian"], dtype=np.float64),
    )


def _members(
    nodes: dict[str, Any], feature: NDArray[Any], codes: dict[int, LevelCodes]
) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    parts = (nodes[f"categories_{name}"] for name in ("nodes", "segments", "sizes"))
    for node, first, size in zip(*parts, strict=True):
        levels = nodes["categories"][first : first + size]
        known = codes.get(int(feature[node]))
        found[node] = levels if known is None else known.members(levels)
    return found


def _weighted(tree: PlainTree, weight: float) -> PlainTree:
    """Return a tree of dart with its weight, rounded as XGBoost does."""
    value = tree.value.astype(np.float32) * np.float32(weight)
    return tree._replace(value=value.astype(np.float64))
