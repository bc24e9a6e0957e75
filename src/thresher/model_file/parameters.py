"""What all estimators have in common, as plain data: parameters, columns, classes, a threshold."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from thresher.column import MAX_LEVELS, OTHER_LEVELS, Levels, has_others, named
from thresher.errors import ModelFileError
from thresher.matrix import Columns
from thresher.model_file.choice import describe_cuts, restore_cuts
from thresher.model_file.fields import (
    MAX_LABEL_LENGTH,
    Record,
    is_label,
    is_number,
    plain_labels,
    plain_value,
    require,
    two_labels_from,
    value_from,
)
from thresher.pair import OPERATIONS, Pair
from thresher.pairs.features import PairFeatures, as_triple
from thresher.tree.sample import describe
from thresher.validation import class_factors

Estimator = TypeVar("Estimator")

PAIRS = "pairs"
MAX_THREADS = 65_536
MAX_NAME_LENGTH = 100
"""Most characters of a choice by name, such as that of a criterion."""


def describe_parameters(model: Any, without: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return the parameters by name; callables and random states are refused."""
    parameters = model.get_params(deep=False)
    return {
        name: describe_pairs(value) if name == PAIRS else plain_value(name, value)
        for name, value in parameters.items()
        if name not in without
    }


def describe_pairs(pairs: Any) -> dict[str, Any] | None:
    """Return the parameters of a `PairFeatures`, None where there is none."""
    if pairs is None:
        return None
    if type(pairs) is not PairFeatures:
        raise ModelFileError(
            f"pairs={pairs!r} cannot be kept in a file, which holds PairFeatures only; set "
            "pairs=None, the columns that were derived stay."
        )
    parameters = pairs.get_params(deep=False)
    for name in ("units", "stages"):
        parameters[name] = None if parameters[name] is None else dict(parameters[name])
    if parameters["pairs"] is not None:
        parameters["pairs"] = [as_triple(one) for one in parameters["pairs"]]
    return {name: plain_value(f"pairs__{name}", value) for name, value in parameters.items()}


def restore_parameters(kind: type[Estimator], record: Record, **others: Any) -> Estimator:
    """Make an estimator with its parameters; those that the file lacks have their default.

    Whether they are in range is for the estimator to say.
    """
    given = record.record("parameters").data
    model: Any = kind(**others)
    unknown = [name[:80] for name in set(given) - set(model.get_params(deep=False))]
    require(not unknown, f"{kind.__name__} has no parameter {min(unknown, default='')!r}")
    for name, data in given.items():
        if name == PAIRS and data is not None and kind is not PairFeatures:
            model.pairs = _pairs_from(record.record("parameters").record(name))
            continue
        value = value_from(data, f"parameter {name!r}")
        is_sound, words = KINDS.get(name, (_is_plain, "a number or the name of a choice"))
        require(value is None or is_sound(value), f"parameter {name!r} is not {words}")
        setattr(model, name, value)
    result: Estimator = model
    return result


def _pairs_from(record: Record) -> PairFeatures:
    """Return the transformer that `describe_pairs` was given."""
    pairs = restore_parameters(PairFeatures, Record({"parameters": record.data}, "pairs"))
    pairs.check_parameters()
    return pairs


# --------------------------------------------------------------------------------- what they can be


def _is_plain(value: Any) -> bool:
    """Whether a value is a number, nan and infinity among them, a truth value or a name."""
    return type(value) in (bool, int, float) or _is_name(value)


def _is_name(value: Any) -> bool:
    return type(value) is str and len(value) <= MAX_NAME_LENGTH


def _is_class(value: Any) -> bool:
    return is_label(value) and not (type(value) is str and len(value) > MAX_LABEL_LENGTH)


def _list_of(is_item: Callable[[Any], bool]) -> Callable[[Any], bool]:
    """Return what tells whether a value is a list, tuple or array of such items."""

    def are_items(value: Any) -> bool:
        items = value.tolist() if type(value) is np.ndarray else value
        return type(items) in (list, tuple) and all(map(is_item, items))

    return are_items


def _are_splits(value: Any) -> bool:
    """Whether a value is a number of folds, a name, or a list of pairs of lists of rows."""
    if type(value) not in (list, tuple):
        return _is_plain(value)
    are_rows = _list_of(lambda one: type(one) in (int, bool))
    return all(type(one) in (list, tuple) and len(one) == 2 for one in value) and all(
        are_rows(part) for one in value for part in one
    )


def _are_triples(value: Any) -> bool:
    parts = _list_of(lambda part: type(part) in (int, str))
    return type(value) in (list, tuple) and all(parts(one) and len(one) == 3 for one in value)


def _are_words(value: Any) -> bool:
    return type(value) is dict and all(type(one) is str for one in (*value, *value.values()))


KINDS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "n_jobs": (
        lambda value: type(value) is int and 0 < abs(value) <= MAX_THREADS,
        "a number of threads",
    ),
    "random_state": (lambda value: type(value) is int and 0 <= value < 2**64, "a seed"),
    "pos_label": (_is_class, "a class"),
    "threshold_by": (_is_class, "the name of a column"),
    "class_weight": (
        lambda value: (
            _is_name(value) if type(value) is not dict else all(map(is_number, value.values()))
        ),
        "a weight for each class",
    ),
    "categorical_features": (
        lambda value: _is_name(value) or _list_of(is_label)(value),
        "a list of columns",
    ),
    "alphas": (_list_of(is_number), "a list of numbers"),
    "members": (_list_of(_is_name), "a list of names"),
    "cv": (_are_splits, "a number of folds or a list of splits"),
    "pairs": (_are_triples, "a list of pairs of columns"),
    "operations": (_list_of(_is_name), "a list of names"),
    "units": (_are_words, "a text for each column"),
    "stages": (_are_words, "a text for each column"),
}
"""The parameters that are more, or less, than a number or a name; whether None has a sense is for
the estimator to say."""


# --------------------------------------------------------------------------------------- estimators


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


# ------------------------------------------------------------------------------------------ columns


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


# ----------------------------------------------------------------------------------------- decision


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
