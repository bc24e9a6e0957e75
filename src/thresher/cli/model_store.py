"""A trained model as a JSON file: arrays as numbers, checked before they are used.

Nothing in the file is executed when it is read.
"""

import json
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.cli.condition_file import from_data
from thresher.cli.errors import BadDataError
from thresher.condition.table import ConditionTable
from thresher.forest.classifier import ImbalancedForestClassifier
from thresher.forest.structure import NODE, Forest
from thresher.frames import MAX_LEVELS, Columns
from thresher.tree.classifier import ImbalancedTreeClassifier
from thresher.tree.sample import describe
from thresher.tree.soundness import LAYOUT
from thresher.tree.structure import Tree

FORMAT, VERSION = "thresher model", 1
CATEGORY_FLAG, FEATURE_BITS = np.uint32(1 << 30), np.uint32((1 << 30) - 1)


@dataclass
class TrainedModel:
    """A fitted model and what is known of its training.

    Attributes
    ----------
    estimator : a tree or a forest with its threshold.
    reader : the tree that conditions are read from: the estimator, or the tree that imitates it.
    conditions : what leads to the positive class, with evidence from the training.
    facts : target, classes, rows, rule, scores along the threshold, as plain data.
    """

    estimator: Any
    reader: ImbalancedTreeClassifier
    conditions: ConditionTable
    facts: dict[str, Any] = field(default_factory=dict)

    @property
    def is_forest(self) -> bool:
        """Whether the estimator is a forest."""
        return isinstance(self.estimator, ImbalancedForestClassifier)


def save(model: TrainedModel, path: Path) -> None:
    """Write a model to a file."""
    estimator = model.estimator
    content: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "kind": "forest" if model.is_forest else "tree",
        "classes": [str(label) for label in estimator.classes_],
        "positive": str(estimator.pos_label_),
        "columns": _columns_out(estimator.columns_),
        "threshold": float(estimator.threshold_),
        "parameters": _parameters(estimator),
        "tree": _tree_out(model.reader),
        "conditions": json.loads(model.conditions.to_json()),
        "facts": model.facts,
    }
    if model.is_forest:
        content["forest"] = _forest_out(estimator)
    path.write_text(json.dumps(content, allow_nan=False, ensure_ascii=False), encoding="utf-8")


def _parameters(estimator: Any) -> dict[str, Any]:
    """Return what the estimator was made with; it can be fitted again in the same way."""
    return {name: value for name, value in estimator.get_params().items() if name != "n_jobs"}


def load(path: Path) -> TrainedModel:
    """Read a model from a file; whatever is wrong with it is said in one sentence."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadDataError(f"'{path}' cannot be read: {error.strerror}.") from None
    except (ValueError, RecursionError):
        raise BadDataError(f"'{path}' is no model of thresher: it is not JSON.") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise BadDataError(f"'{path}' is no model of thresher; `thresher train` makes one.")
    if content.get("version") != VERSION:
        raise BadDataError(
            f"'{path}' is a model of version {content.get('version')!r}, and this is a program for "
            f"version {VERSION}; train the model again."
        )
    try:
        return _model(content)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError) as error:
        reason = f"{error.args[0]!r} is missing" if isinstance(error, KeyError) else str(error)
        raise BadDataError(f"'{path}' is a damaged model: {reason.rstrip('.')}.") from None


def _model(content: dict[str, Any]) -> TrainedModel:
    columns = _columns_in(content["columns"])
    classes = np.array([_text(label) for label in content["classes"]])
    if len(classes) != 2 or not classes[0] < classes[1]:
        raise ValueError("its classes are not two in order")
    positive = classes.tolist().index(content["positive"])
    reader = _tree_in(content["tree"], columns)
    describe(reader, columns, classes, positive)
    estimator: Any = reader
    if content["kind"] == "forest":
        estimator = _forest_in(content["forest"], columns)
        # The forest has left its training rows, but kept the tree that imitates it.
        estimator.__dict__["to_tree"] = lambda *_leaves, **_options: reader
        describe(estimator, columns, classes, positive)
    elif content["kind"] != "tree":
        raise ValueError(f"its kind {content['kind']!r} is unknown")
    estimator.set_params(**content["parameters"])
    threshold = float(content["threshold"])
    # "All rows" and "none" lie just outside of what probabilities can be.
    if not -1.0 <= threshold <= 2.0:
        raise ValueError(f"its threshold {threshold!r} is no probability")
    estimator.threshold_ = threshold
    if not isinstance(content["facts"], dict):
        raise ValueError("its facts are no object")
    return TrainedModel(estimator, reader, _conditions_in(content, reader), content["facts"])


def _conditions_in(content: dict[str, Any], reader: ImbalancedTreeClassifier) -> ConditionTable:
    table = from_data(content["conditions"], reader.columns_)
    leaves = [leaf for condition in table.conditions for leaf in condition.leaves]
    if not all(0 <= leaf < reader.tree_.n_nodes for leaf in leaves):
        raise ValueError("a condition names a leaf that its tree does not have")
    return table


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{value!r} is not text")
    return value


# ----------------------------------------------------------------------------------------- columns


def _columns_out(columns: Columns) -> dict[str, Any]:
    levels = [None if of_column is None else list(of_column) for of_column in columns.levels]
    return {"names": list(columns.names or ()), "levels": levels}


def _columns_in(content: dict[str, Any]) -> Columns:
    names = tuple(_text(name) for name in content["names"])
    levels = tuple(
        None if of_column is None else tuple(_text(level) for level in of_column)
        for of_column in content["levels"]
    )
    if not names or len(names) != len(levels) or len(set(names)) < len(names):
        raise ValueError("its columns do not fit together")
    if any(of_column is not None and len(of_column) > MAX_LEVELS for of_column in levels):
        raise ValueError(f"a column has more than {MAX_LEVELS} levels")
    return Columns(names, levels)


# ------------------------------------------------------------------------------------------ arrays


def _numbers_out(values: NDArray[Any]) -> dict[str, Any]:
    """Return an array as its shape and numbers; JSON has no word for NaN and infinity."""
    numbers = values.ravel().tolist()
    if values.dtype.kind == "f":
        numbers = [number if isfinite(number) else repr(number) for number in numbers]
    return {"shape": list(values.shape), "values": numbers}


def _numbers_in(content: dict[str, Any], dtype: Any) -> NDArray[Any]:
    shape, numbers = tuple(content["shape"]), content["values"]
    if np.dtype(dtype).kind == "f":
        numbers = [float(number) for number in numbers]
    elif not all(type(number) is (bool if dtype is np.bool_ else int) for number in numbers):
        raise ValueError("an array of whole numbers holds something else")
    return np.array(numbers, dtype=dtype).reshape(shape)


def _tree_out(model: ImbalancedTreeClassifier) -> dict[str, Any]:
    arrays = {name: _numbers_out(values) for name, values in model.tree_.arrays().items()}
    return {"threshold": float(model.threshold_), "arrays": arrays}


def _tree_in(content: dict[str, Any], columns: Columns) -> ImbalancedTreeClassifier:
    arrays = {
        name: _numbers_in(content["arrays"][name], dtype) for name, (dtype, _) in LAYOUT.items()
    }
    tree = Tree(**arrays)
    tree.validate(len(columns))
    with np.errstate(all="ignore"):
        if not np.isfinite(tree.probability).all():
            raise ValueError("the weights of its tree are too large")
    _check_splits(tree.feature, tree.category >= 0, tree.feature >= 0, columns)
    model = ImbalancedTreeClassifier(pruning=None, threshold=float(content["threshold"]))
    model.tree_ = model.unpruned_tree_ = tree
    model.threshold_ = model.threshold
    return model


def _check_splits(
    feature: NDArray[Any], by_level: NDArray[Any], is_inner: NDArray[Any], columns: Columns
) -> None:
    """Raise where a split asks a column of numbers for levels, or the other way round."""
    asked = columns.is_category[feature[is_inner].astype(np.intp)] == 1
    if not np.array_equal(asked, by_level[is_inner]):
        raise ValueError("a split does not fit the type of its column")


# ------------------------------------------------------------------------------------------ forest

FOREST_ARRAYS: dict[str, Any] = {
    "begin": np.int64,
    "rows": np.uint32,
    "levels_left": np.uint8,
    "levels_seen": np.uint8,
}


def _forest_out(model: ImbalancedForestClassifier) -> dict[str, Any]:
    forest = model.forest_
    content: dict[str, Any] = {name: _numbers_out(getattr(forest, name)) for name in FOREST_ARRAYS}
    content |= {
        f"node_{name}": _numbers_out(forest.nodes[name]) for name in ("cut", "left", "feature")
    }
    content["totals"] = [float(total) for total in model._totals]
    return content


def _forest_in(content: dict[str, Any], columns: Columns) -> ImbalancedForestClassifier:
    arrays = {name: _numbers_in(content[name], dtype) for name, dtype in FOREST_ARRAYS.items()}
    cut = _numbers_in(content["node_cut"], np.float64)
    nodes = np.empty(len(cut), dtype=NODE)
    nodes["cut"] = cut
    for name in ("left", "feature"):
        nodes[name] = _numbers_in(content[f"node_{name}"], np.uint32)
    forest = Forest(nodes=nodes, weight=None, **arrays)
    _check_forest(forest, columns)
    negative, positive = (float(total) for total in content["totals"])
    if not (negative > 0.0 and positive > 0.0):
        raise ValueError("its forest has no rows of one class")
    model = ImbalancedForestClassifier(len(forest))
    model.forest_, model._totals, model._class_factors = forest, (negative, positive), (1.0, 1.0)
    model._factor, model._n_threads = 1.0, 1
    model.prior_ = positive / (negative + positive)
    return model


def _check_forest(forest: Forest, columns: Columns) -> None:
    n_nodes, n_splits = len(forest.nodes), len(forest.levels_left)
    if forest.rows.shape != (n_nodes, 2) or (forest.rows.sum(axis=1) == 0).any():
        raise ValueError("the rows of its forest do not fit its nodes")
    if forest.levels_left.shape != (n_splits, 32) or forest.levels_seen.shape != (n_splits, 32):
        raise ValueError("the levels of its forest have a wrong shape")
    feature = forest.nodes["feature"] & FEATURE_BITS
    if (feature >= len(columns)).any():
        raise ValueError("its forest asks for a column that it does not have")
    by_level = (forest.nodes["feature"] & CATEGORY_FLAG) != 0
    _check_splits(feature, by_level, ~forest.is_leaf, columns)
    # The compiled reader checks the rest when it is made.
    _ = forest.voters
