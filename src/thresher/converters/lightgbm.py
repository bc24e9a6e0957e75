"""LightGBM's models, read by their own `dump_model`; the only file that knows its format."""

import re
from typing import Any

import numpy as np

from thresher.converters.foreign import ForeignModel, LevelCodes, two_classes, with_zero
from thresher.matrix import Columns
from thresher.tree.additive import PlainTree, put_together

PACKAGE = "lightgbm"
CLASSES = ("Booster", "LGBMClassifier")


def read_lightgbm(model: Any) -> ForeignModel:
    """Return what a fitted model of LightGBM says."""
    classes = two_classes(model)
    booster = getattr(model, "booster_", model)
    # Without a number of trees both dump_model and predict stop at the best iteration.
    dump = booster.dump_model()
    slope = _slope(dump)
    if not dump["tree_info"]:
        raise ValueError("This LightGBM model has no trees; train it first.")
    codes = _level_codes(booster, dump)
    names = dump["feature_names"]
    reader = _TreeReader(len(names), codes)
    trees = [reader.read(one["tree_structure"]) for one in dump["tree_info"]]
    is_mean = bool(dump.get("average_output", False))
    has_names = names != [f"Column_{place}" for place in range(len(names))]
    levels = tuple(codes[place].levels if place in codes else None for place in range(len(names)))
    return ForeignModel(
        put_together(trees, reader.checked_zeros(names), is_mean=is_mean, slope=slope),
        Columns(tuple(names) if has_names else None, levels),
        classes,
    )


def _slope(dump: dict[str, Any]) -> float:
    """Return the factor of the logistic function; an error where there is none."""
    if dump["num_class"] > 1 or dump["num_tree_per_iteration"] > 1:
        raise ValueError("convert takes models of two classes; this LightGBM model has more.")
    objective = dump.get("objective", "one of its own").split()
    if objective[0] != "binary":
        raise ValueError(
            "convert takes LightGBM models with the objective binary, and this one has "
            f"{' '.join(objective)}."
        )
    options = dict(one.split(":") for one in objective[1:])
    return float(options.get("sigmoid", 1.0))


def _level_codes(booster: Any, dump: dict[str, Any]) -> dict[int, LevelCodes]:
    """Return the levels of the columns that were categories of a data frame, by place."""
    lists = dump.get("pandas_categorical") or []
    if not lists:
        return {}
    found = re.search(r"^\[categorical_feature: ([\d,]+)\]$", booster.model_to_string(), re.M)
    places = [int(one) for one in found[1].split(",")] if found else []
    if len(places) != len(lists):
        raise ValueError(
            f"This LightGBM model has levels of {len(lists)} columns and splits {len(places)} by "
            "level, so which ones is not told (ordered categories?); turn these into numbers and "
            "fit again."
        )
    names = dump["feature_names"]
    pairs = zip(sorted(places), lists, strict=True)
    return {place: LevelCodes.of(levels, names[place]) for place, levels in pairs}


class _TreeReader:
    """Reads nested nodes; `zeros` collects how splits of each column see a zero."""

    def __init__(self, n_columns: int, codes: dict[int, LevelCodes]) -> None:
        self._codes = codes
        self.zeros: list[set[bool]] = [set() for _ in range(n_columns)]

    def checked_zeros(self, names: list[str]) -> Any:
        """Return for each column whether zero is missing."""
        for name, seen in zip(names, self.zeros, strict=True):
            if len(seen) > 1:
                raise ValueError(
                    f"In some trees a zero of column {name!r} is missing, in others it is not; "
                    "train the model in one go."
                )
        return np.array([seen == {True} for seen in self.zeros])

    def read(self, root: dict[str, Any]) -> PlainTree:
        """Return one tree, in the order in which its nodes are found."""
        nodes, left, right = [root], list[int](), list[int]()
        for node in nodes:  # grows while it is read
            is_leaf = "leaf_value" in node
            left.append(-1 if is_leaf else len(nodes))
            right.append(-1 if is_leaf else len(nodes) + 1)
            nodes += [] if is_leaf else [node["left_child"], node["right_child"]]
        if any("leaf_coeff" in node for node in nodes):
            raise ValueError("convert takes no linear trees; train with linear_tree=False.")
        members = {
            place: self._members(node)
            for place, node in enumerate(nodes)
            if node.get("decision_type") == "=="
        }
        return PlainTree(
            feature=np.array([node.get("split_feature", -1) for node in nodes]),
            cut=with_zero(np.array([_cut(node) for node in nodes])),
            left=np.array(left),
            right=np.array(right),
            missing_left=np.array([self._missing_left(node) for node in nodes]),
            members=members,
            value=np.array([float(node.get("leaf_value", 0.0)) for node in nodes]),
            weight=np.array([_count(node) for node in nodes]),
        )

    def _members(self, node: dict[str, Any]) -> list[int]:
        codes = [int(one) for one in str(node["threshold"]).split("||")]
        known = self._codes.get(node["split_feature"])
        return codes if known is None else known.members(codes)

    def _missing_left(self, node: dict[str, Any]) -> bool:
        """Whether NaN goes left; where no value may be missing it is taken for 0."""
        if node.get("decision_type") != "<=":
            return False
        kind = node["missing_type"]
        self.zeros[node["split_feature"]].add(kind == "Zero")
        if kind == "None":
            return bool(_cut(node) >= 0.0)
        return bool(node["default_left"])


def _count(node: dict[str, Any]) -> float:
    """Return the training rows of a node; a tree that is a single leaf tells none."""
    return float(node.get("internal_count", node.get("leaf_count", 1)))


def _cut(node: dict[str, Any]) -> float:
    return float(node["threshold"]) if node.get("decision_type") == "<=" else 0.0
