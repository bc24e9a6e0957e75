"""`ImbalancedTreeClassifier` as plain data with arrays, and back."""

from dataclasses import fields
from typing import Any

from thresher.forest.distillation import Distillation
from thresher.matrix import Columns
from thresher.model_file.kinds.common import describe_estimator, restore_estimator
from thresher.model_file.kinds.nodes import tree_from
from thresher.model_file.kinds.threshold_state import FRAMES
from thresher.model_file.record import Record, is_number, require
from thresher.referred import Referred
from thresher.tree.classifier import ImbalancedTreeClassifier
from thresher.tree.growing import Growth
from thresher.tree.referral import FRONT, Referral
from thresher.tree.structure import Tree


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
