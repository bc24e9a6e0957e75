"""`AdditiveTreesClassifier`, trees that were taken over, as plain data with arrays, and back.

The children of the k-th inner node of a tree are its nodes 2k + 1 and 2k + 2, and sets of levels
are numbered in the order of nodes: neither is written down.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.matrix import Columns
from thresher.model_file.kinds.common import describe_estimator, restore_estimator
from thresher.model_file.kinds.packed_nodes import narrow
from thresher.model_file.record import Record, require
from thresher.takeover.classifier import AdditiveTreesClassifier
from thresher.tree.additive import AdditiveTrees
from thresher.validation import check_jobs

LARGEST = 1e100
"""Values of leaves beyond this are no model: their sum would overflow."""
MAX_LEVELS = 2**24


def describe_additive(model: AdditiveTreesClassifier) -> dict[str, Any]:
    """Return plain data with the arrays of the trees."""
    return {
        **describe_estimator(model),
        "of_positive": bool(model.of_positive_),
        "allows_missing": bool(model.allows_missing_),
        "additive": describe_trees(model.trees_),
    }


def describe_trees(trees: AdditiveTrees) -> dict[str, Any]:
    """Return the arrays that `trees_from` makes the trees of."""
    is_inner, by_level = ~trees.is_leaf, trees.level_set >= 0
    weight = {} if trees.weight is None else {"weight": trees.weight}
    return {
        **weight,
        "base": float(trees.base),
        "slope": None if trees.slope is None else float(trees.slope),
        "in_float32": bool(trees.in_float32),
        "is_mean": bool(trees.is_mean),
        "zero_is_missing": trees.zero_is_missing,
        "begin": trees.begin,
        "feature": narrow(trees.feature),
        "by_level": by_level[is_inner],
        "cut": trees.cut[is_inner & ~by_level],
        "missing_left": trees.missing_left[is_inner],
        "value": trees.value[trees.is_leaf],
        "set_begin": trees.set_begin,
        "set_bits": trees.set_bits,
    }


def check_additive(model: AdditiveTreesClassifier) -> None:
    """Raise where a parameter is out of range."""
    check_jobs(model.n_jobs)


def restore_additive(record: Record) -> AdditiveTreesClassifier:
    """Return the model; a DamagedModelError or a ValueError where it is not sound."""
    model = restore_estimator(AdditiveTreesClassifier, record, MAX_LEVELS)
    check_additive(model)
    model.of_positive_ = record.truth("of_positive")
    model.allows_missing_ = record.truth("allows_missing")
    model.trees_ = trees_from(record.record("additive"), model.columns_)
    return model


def trees_from(record: Record, columns: Columns) -> AdditiveTrees:
    """Return trees after all checks."""
    trees = _unchecked(record, columns)
    # The compiled reader checks that the nodes are trees.
    _ = trees.compiled
    _check_levels(trees, columns)
    return trees


def _unchecked(record: Record, columns: Columns) -> AdditiveTrees:
    feature = record.array("feature", "iu", (None,)).astype(np.int64)
    in_range = len(feature) and ((feature >= -1) & (feature < columns.width)).all()
    require(in_range, "the trees ask for a column that the model does not have")
    is_inner = feature >= 0
    by_level = np.zeros(len(feature), dtype=bool)
    by_level[is_inner] = record.array("by_level", "b", (int(is_inner.sum()),))
    value = record.floats("value", (int((~is_inner).sum()),))
    require((np.abs(value) <= LARGEST).all(), "the values of leaves are out of range")
    set_begin = record.array("set_begin", "i", (int(by_level.sum()) + 1,)).astype(np.int64)
    set_bits = record.array("set_bits", "u", (None,))
    require(set_bits.dtype == np.uint8, "the levels of the trees are not bits")
    shape = is_inner.sum() - by_level.sum()
    return AdditiveTrees(
        begin=record.array("begin", "i", (None,)).astype(np.int64),
        feature=feature.astype(np.int32),
        cut=_at(is_inner & ~by_level, record.floats("cut", (int(shape),))),
        missing_left=_at(is_inner, record.array("missing_left", "b", (int(is_inner.sum()),))),
        level_set=np.where(by_level, np.cumsum(by_level) - 1, -1).astype(np.int32),
        set_begin=set_begin,
        set_bits=set_bits,
        value=_at(~is_inner, value),
        zero_is_missing=record.array("zero_is_missing", "b", (columns.width,)),
        weight=_weight(record, len(feature)),
        **_scoring(record),
    )


def _at(where: NDArray[np.bool_], values: NDArray[Any]) -> NDArray[Any]:
    """Return an array with values at some places, and zeros at the others."""
    found = np.zeros(len(where), dtype=values.dtype)
    found[where] = values
    return found


def _weight(record: Record, n_nodes: int) -> NDArray[np.float64] | None:
    """Return the weights of nodes; files of older versions have none."""
    if not record.has("weight"):
        return None
    weight = record.floats("weight", (n_nodes,))
    in_range = ((weight >= 0.0) & (weight <= LARGEST)).all()
    require(in_range, "the weights of nodes are out of range")
    return weight


def _scoring(record: Record) -> dict[str, Any]:
    return {
        "base": record.within("base", -LARGEST, LARGEST),
        "slope": record.positive("slope") if record.has("slope") else None,
        "in_float32": record.truth("in_float32"),
        "is_mean": record.truth("is_mean"),
    }


def _check_levels(trees: AdditiveTrees, columns: Columns) -> None:
    """Raise where a column of levels is cut like numbers, or a set has levels that it has not."""
    is_inner, by_level = ~trees.is_leaf, trees.level_set >= 0
    has_levels = columns.is_category[trees.feature] == 1
    require((by_level | ~has_levels)[is_inner].all(), "a split does not fit the type of its column")
    for node in np.flatnonzero(by_level & has_levels).tolist():
        members = trees.members(trees.level_set[node])
        n_levels = len(columns.levels[trees.feature[node]] or ())
        require(members.max(initial=-1) < n_levels, "a split knows an unknown level")
    if trees.slope is None:
        _check_shares(trees)


def _check_shares(trees: AdditiveTrees) -> None:
    """Raise where scores that are probabilities could leave [0, 1]."""
    value = trees.value[trees.is_leaf]
    are_shares = trees.base == 0.0 and ((value >= 0.0) & (value <= 1.0)).all()
    require(are_shares and (trees.is_mean or len(trees) == 1), "the leaves are no probabilities")
