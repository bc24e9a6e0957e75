"""Our own trees, alpha trees and converted trees as plain data with arrays, and back."""

from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.answers import Referred
from thresher.converters.classifier import ConvertedTreesClassifier
from thresher.forest.alpha_trees import AlphaTreesClassifier
from thresher.forest.distillation import Distillation
from thresher.matrix import Columns
from thresher.model_file.choice import FRAMES
from thresher.model_file.fields import Record, is_number, require
from thresher.model_file.nodes import narrow, tree_from
from thresher.model_file.parameters import (
    describe_estimator,
    describe_parameters,
    restore_estimator,
    restore_parameters,
)
from thresher.tree.additive import AdditiveTrees
from thresher.tree.classifier import FRONT, ImbalancedTreeClassifier, Referral
from thresher.tree.growing import Growth
from thresher.tree.sample import describe
from thresher.tree.structure import Tree
from thresher.validation import check_jobs


def describe_tree(model: ImbalancedTreeClassifier) -> dict[str, Any]:
    """Return plain data with the arrays of the tree, and of the unpruned one if it differs."""
    training = describe_training(model.unpruned_tree_)
    return {**describe_estimator(model), "training": training, **describe_growth(model)}


def describe_training(tree: Tree) -> dict[str, Any]:
    """Return a summary of the training rows, which the tree knows; it is not read again."""
    return {"rows": int(tree.rows[0].sum()), "weight": tree.weight[0].tolist()}


def describe_growth(model: ImbalancedTreeClassifier) -> dict[str, Any]:
    """Return what distinguishes the trees of one ensemble."""
    is_pruned = model.unpruned_tree_ is not model.tree_
    distillation = getattr(model, "distillation_", None)
    contributions = getattr(model, "mean_contributions_", None)
    return {
        **({} if contributions is None else {"mean_contributions": contributions}),
        **_describe_referral(model.referral_),
        "distillation": None if distillation is None else _describe_distillation(distillation),
        "tree": model.tree_.arrays(),
        "unpruned_tree": model.unpruned_tree_.arrays() if is_pruned else None,
    }


def _describe_distillation(found: Distillation) -> dict[str, Any]:
    names = (one.name for one in fields(Distillation) if one.name not in ("joint_f1", "referred"))
    joint = {} if found.joint_f1 is None else {"joint_f1": found.joint_f1}
    numbers = {name: getattr(found, name) for name in names}
    return numbers | joint | _describe_referred(found.referred)


def _describe_referral(found: Referral | None) -> dict[str, Any]:
    if found is None:
        return {}
    known = _describe_referred(found.referred)
    if found.front is None:
        return known
    frame = found.frame if found.frame in FRAMES else None
    return known | {"front": {"frame": frame, **found.front}}


def _referral_from(record: Record) -> Referral:
    referred = _referred_from(record)
    if not record.has("front"):
        return Referral(referred)
    front = record.record("front")
    require(front["frame"] in FRAMES, "the library of its data frames is unknown")
    shares = {name: front.floats(name, (None,)) for name in FRONT if name != "leaves"}
    n = len(shares["referred"])
    leaves = front.array("leaves", "iu", (n,))
    are_sound = all(
        len(one) == n and (one >= 0).all() and (one <= 1).all() for one in shares.values()
    )
    require(n > 0 and are_sound and (leaves > 0).all(), "the front of the tree is not sound")
    return Referral(referred, shares | {"leaves": leaves}, front["frame"])


def _describe_referred(found: Referred | None) -> dict[str, Any]:
    return {} if found is None else {"referred": list(found)}


def _referred_from(record: Record) -> Referred:
    numbers = record.items("referred")
    is_sound = len(numbers) == 3 and all(is_number(one) and 0 <= one <= 1 for one in numbers)
    require(is_sound, "the share of referred rows is not sound")
    return Referred(*map(float, numbers))


def check_tree(model: Any) -> None:
    """Raise where a parameter of a tree, or of trees alike, is out of range."""
    model.check_parameters(None, None)


def restore_tree(record: Record) -> ImbalancedTreeClassifier:
    """Return the model; a DamagedModelError or a ValueError where it is not sound."""
    model = restore_estimator(ImbalancedTreeClassifier, record)
    check_tree(model)
    Growth.of(model).n_candidates(model.columns_.width)
    restore_growth(model, record, model.columns_)
    return model


def restore_growth(model: ImbalancedTreeClassifier, record: Record, columns: Columns) -> None:
    """Set the trees."""
    model.tree_ = model.unpruned_tree_ = tree_from(record.record("tree"), columns)
    if record.has("unpruned_tree"):
        model.unpruned_tree_ = tree_from(record.record("unpruned_tree"), columns)
    if record.has("mean_contributions"):
        model.mean_contributions_ = record.floats("mean_contributions", (len(columns),))
    if record.has("referred"):
        model.referral_ = _referral_from(record)
    if record.has("distillation"):
        model.distillation_ = _distillation_from(record.record("distillation"))


def _distillation_from(found: Record) -> Distillation:
    names = ("fidelity", "agreement_f1", "f1", "forest_f1", "direct_f1")
    numbers = {name: found.number(name) for name in names}
    if found.has("joint_f1"):
        numbers["joint_f1"] = found.number("joint_f1")
    folds = found.integer("folds", 2, 10**9)
    referred = _referred_from(found) if found.has("referred") else None
    return Distillation(**numbers, folds=folds, referred=referred)


# -------------------------------------------------------------------------------------- alpha trees


def describe_alpha_trees(model: AlphaTreesClassifier) -> dict[str, Any]:
    """Return plain data; the trees share columns and classes."""
    trees = [
        {
            "parameters": describe_parameters(tree),
            "threshold": float(tree.threshold_),
            **describe_growth(tree),
        }
        for tree in model.estimators_
    ]
    training = describe_training(model.estimators_[0].unpruned_tree_)
    return {**describe_estimator(model), "training": training, "estimators": trees}


def restore_alpha_trees(record: Record) -> AlphaTreesClassifier:
    """Return the model; a DamagedModelError or a ValueError where it is not sound."""
    model = restore_estimator(AlphaTreesClassifier, record)
    model.check_parameters(None, None)
    model.estimators_ = [_member(part, model) for part in record.records("estimators")]
    alphas = [tree.alpha for tree in model.estimators_]
    require(list(model.alphas) == alphas, "parameter 'alphas' is not that of the trees")
    return model


def _member(record: Record, model: AlphaTreesClassifier) -> ImbalancedTreeClassifier:
    tree = restore_parameters(ImbalancedTreeClassifier, record)
    tree.check_parameters(None, None)
    require(tree.criterion == "renyi", "a tree is not grown by the Renyi entropy")
    describe(tree, model.columns_, model.classes_, model.positive_index_)
    tree.threshold_ = record.number("threshold")
    restore_growth(tree, record, model.columns_)
    return tree


# ---------------------------------------------------------------------------------- converted trees

# The children of the k-th inner node of a tree are its nodes 2k + 1 and 2k + 2, and sets of levels
# are numbered in the order of nodes: neither is written down.

LARGEST = 1e100
"""Values of leaves beyond this are no model: their sum would overflow."""
MAX_LEVELS = 2**24


def describe_additive(model: ConvertedTreesClassifier) -> dict[str, Any]:
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
    return {
        "weight": trees.weight,
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


def check_additive(model: ConvertedTreesClassifier) -> None:
    """Raise where a parameter is out of range."""
    check_jobs(model.n_jobs)


def restore_additive(record: Record) -> ConvertedTreesClassifier:
    """Return the model; a DamagedModelError or a ValueError where it is not sound."""
    model = restore_estimator(ConvertedTreesClassifier, record, MAX_LEVELS)
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


def _weight(record: Record, n_nodes: int) -> NDArray[np.float64]:
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
