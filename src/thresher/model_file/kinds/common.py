"""What all estimators have in common: parameters, columns, classes, a threshold."""

from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from thresher.column import MAX_LEVELS, OTHER_LEVELS, Levels, has_others, named
from thresher.matrix import Columns
from thresher.model_file.kinds.parameters import describe_parameters, restore_parameters
from thresher.model_file.kinds.row_cuts import describe_cuts, restore_cuts
from thresher.model_file.record import Record, require
from thresher.model_file.values import is_label, plain_labels, two_labels_from
from thresher.pair import OPERATIONS, Pair
from thresher.tree.sample import describe
from thresher.validation import class_factors

Estimator = TypeVar("Estimator")


def describe_estimator(model: Any, without: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return what every estimator of this library says of itself, without some parameters."""
    return {
        "parameters": describe_parameters(model, without),
        "columns": _describe_columns(model.columns_),
        **describe_decision(model),
    }


def restore_estimator(
    kind: type[Estimator], record: Record, max_levels: int = MAX_LEVELS
) -> Estimator:
    """Make an estimator with its parameters, columns, classes and threshold."""
    model: Any = restore_parameters(kind, record)
    columns = _columns_from(record.record("columns"), max_levels)
    _check_categories(model, columns)
    restore_decision(model, record)
    describe(model, columns, model.classes_, model.positive_index_)
    result: Estimator = model
    return result


# ----------------------------------------------------------------------------------------- columns


def _describe_columns(columns: Columns) -> dict[str, Any]:
    names = None if columns.names is None else list(columns.names)
    levels = [None if of_column is None else [*named(of_column)] for of_column in columns.levels]
    unnamed = [has_others(of_column or ()) for of_column in columns.levels]
    more: dict[str, Any] = {"unnamed_levels": unnamed} if any(unnamed) else {}
    if columns.derived:
        more["derived"] = [[pair.left, pair.operation, pair.right] for pair in columns.derived]
    return {"names": names, "levels": levels, **more}


def _columns_from(record: Record, max_levels: int) -> Columns:
    items = record.items("levels")
    require(items, "the model has no columns")
    unnamed = unnamed_from(record, len(items))
    pairs = zip(items, unnamed, strict=True)
    levels = tuple(_levels_from(*pair, max_levels) for pair in pairs)
    names = names_from(record, "names", len(levels))
    return Columns(names, levels, pairs_from(record, len(levels)))


def pairs_from(record: Record, count: int) -> tuple[Pair, ...]:
    """Return the columns derived from two of so many others; most models have none."""
    if "derived" not in record.data:
        return ()
    items, levels = record.items("derived"), record.items("levels")
    require(items, "'derived' of the columns is empty")
    for item in items:
        is_pair = type(item) is list and len(item) == 3 and item[1] in OPERATIONS
        require(is_pair, "a derived column is no pair of columns")
        parts = item[::2]
        in_range = all(type(part) is int and 0 <= part < count for part in parts)
        require(in_range and parts[0] != parts[1], "a derived column has unknown parts")
        are_numbers = all(levels[part] is None for part in parts)
        require(are_numbers, "a derived column has a part that is no number")
    require(len(items) == len({*map(tuple, items)}), "a derived column is there twice")
    return tuple(Pair(*item) for item in items)


def unnamed_from(record: Record, count: int) -> list[bool]:
    """Return whether each column has levels without a name; most models say nothing of it."""
    if "unnamed_levels" not in record.data:
        return [False] * count
    unnamed = record.items("unnamed_levels")
    are_truths = len(unnamed) == count and all(type(one) is bool for one in unnamed)
    require(are_truths and any(unnamed), "'unnamed_levels' of the columns is not sound")
    return unnamed


def _check_categories(model: Any, columns: Columns) -> None:
    """Raise where a parameter names category columns that the model does not have."""
    told = getattr(model, "categorical_features", None)
    if told is None or isinstance(told, str):
        return
    items, count, names = np.asarray(told).tolist(), len(columns), set(columns.names or ())
    is_mask = all(type(one) is bool for one in items) and len(items) in (0, count)
    are_known = is_mask or all(
        one in names if type(one) is str else type(one) is int and -count <= one < count
        for one in items
    )
    require(are_known, "parameter 'categorical_features' names a column that it does not have")


def names_from(record: Record, name: str, count: int) -> tuple[str, ...] | None:
    """Return so many names of columns, None where they have none."""
    if not record.has(name):
        return None
    names = record.items(name)
    are_names = len(names) == count and all(type(one) is str for one in names)
    require(are_names and len(set(names)) == count, "the names of the columns are not sound")
    return tuple(names)


def _levels_from(levels: Any, has_unnamed: bool, max_levels: int) -> Levels | None:
    if levels is None:
        require(not has_unnamed, "a column of numbers has unnamed levels")
        return None
    fits = type(levels) is list and has_unnamed <= len(levels) <= max_levels - has_unnamed
    require(fits, "the levels of a column are wrong")
    are_labels = all(is_label(level) for level in levels) and len({*map(type, levels)}) <= 1
    in_order = are_labels and all(a < b for a, b in pairwise(levels))
    require(in_order, "the levels of a column are not in order")
    return (*levels, OTHER_LEVELS) if has_unnamed else tuple(levels)


# ---------------------------------------------------------------------------------------- decision


def describe_decision(model: Any) -> dict[str, Any]:
    """Return the classes, the threshold or both of them, and cuts of rows or groups."""
    alert = getattr(model, "threshold_alert_", None)
    return {
        "classes": plain_labels(model.classes_),
        "positive_class": model.classes_.tolist()[model.positive_index_],
        "threshold": float(model.threshold_),
        **describe_cuts(getattr(model, "row_cuts_", None)),
        **({} if alert is None else {"threshold_alert": float(alert)}),
    }


def restore_decision(model: Any, record: Record) -> None:
    """Set the classes and the threshold."""
    classes = classes_from(record)
    label = record["positive_class"]
    places = [place for place, one in enumerate(classes.tolist()) if one == label]
    require(type(label) is type(classes.tolist()[0]) and places, "the positive class is unknown")
    model.set_classes(classes, places[0])
    model.threshold_ = record.number("threshold")
    cuts = restore_cuts(record)
    if cuts is not None or hasattr(model, "cuts_of"):
        model.row_cuts_ = cuts
    if record.has("threshold_alert"):
        model.threshold_alert_ = record.number("threshold_alert")
        in_order = model.threshold_ <= model.threshold_alert_
        require(in_order, "the threshold of its alerts is below that of its passes")
    wanted = getattr(model, "pos_label", None)
    require(wanted is None or wanted == label, "parameter 'pos_label' is not the positive class")
    class_factors(getattr(model, "class_weight", None), classes, places[0], (1.0, 1.0))


def classes_from(record: Record) -> NDArray[Any]:
    """Return two classes in order."""
    classes = two_labels_from(record.record("classes"))
    require(bool(classes[0] < classes[1]), "the classes are not two in order")
    return np.array(classes)
