"""What all estimators have in common: parameters, columns, classes, a threshold."""

from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from thresher.frames import MAX_LEVELS, Columns, Levels
from thresher.model_file.record import Record, require
from thresher.model_file.values import is_label, labels_from, plain_labels, plain_value, value_from
from thresher.tree.sample import describe
from thresher.validation import class_factors

Estimator = TypeVar("Estimator")

MAX_THREADS = 65_536


def describe_estimator(model: Any) -> dict[str, Any]:
    """Return what every estimator of this library says of itself."""
    return {
        "parameters": describe_parameters(model),
        "columns": _describe_columns(model.columns_),
        **describe_decision(model),
    }


def restore_estimator(kind: type[Estimator], record: Record) -> Estimator:
    """Make an estimator with its parameters, columns, classes and threshold."""
    model: Any = restore_parameters(kind, record)
    columns = _columns_from(record.record("columns"))
    restore_decision(model, record)
    describe(model, columns, model.classes_, model.positive_index_)
    result: Estimator = model
    return result


# -------------------------------------------------------------------------------------- parameters


def describe_parameters(model: Any, without: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return the parameters by name; callables and random states are refused."""
    parameters = model.get_params(deep=False)
    return {
        name: plain_value(name, value) for name, value in parameters.items() if name not in without
    }


def restore_parameters(kind: type[Estimator], record: Record, **others: Any) -> Estimator:
    """Make an estimator with its parameters; those that the file lacks have their default."""
    given = record.record("parameters")
    parameters = {
        name: value_from(value, f"parameter {name!r}") for name, value in given.data.items()
    }
    model: Any = kind(**others)
    unknown = [name[:80] for name in set(parameters) - set(model.get_params(deep=False))]
    require(not unknown, f"{kind.__name__} has no parameter {min(unknown, default='')!r}")
    for name, value in parameters.items():
        setattr(model, name, value)
    _check_general(model)
    result: Estimator = model
    return result


def _check_general(model: Any) -> None:
    """Refuse numbers of threads and seeds that would only fail later."""
    threads = getattr(model, "n_jobs", None)
    is_sound = threads is None or (type(threads) is int and 0 < abs(threads) <= MAX_THREADS)
    require(is_sound, "parameter 'n_jobs' is not a number of threads")
    seed = getattr(model, "random_state", None)
    is_sound = seed is None or (type(seed) is int and 0 <= seed < 2**64)
    require(is_sound, "parameter 'random_state' is not a seed")


# ----------------------------------------------------------------------------------------- columns


def _describe_columns(columns: Columns) -> dict[str, Any]:
    levels = [None if of_column is None else list(of_column) for of_column in columns.levels]
    return {"names": None if columns.names is None else list(columns.names), "levels": levels}


def _columns_from(record: Record) -> Columns:
    levels = tuple(_levels_from(item) for item in record.items("levels"))
    require(levels, "the model has no columns")
    names = names_from(record, "names", len(levels))
    return Columns(names, levels)


def names_from(record: Record, name: str, count: int) -> tuple[str, ...] | None:
    """Return so many names of columns, None where they have none."""
    if not record.has(name):
        return None
    names = record.items(name)
    are_names = len(names) == count and all(type(one) is str for one in names)
    require(are_names and len(set(names)) == count, "the names of the columns are not sound")
    return tuple(names)


def _levels_from(levels: Any) -> Levels | None:
    if levels is None:
        return None
    require(type(levels) is list and len(levels) <= MAX_LEVELS, "the levels of a column are wrong")
    are_labels = all(is_label(level) for level in levels) and len({*map(type, levels)}) <= 1
    in_order = are_labels and all(a < b for a, b in pairwise(levels))
    require(in_order, "the levels of a column are not in order")
    return tuple(levels)


# ---------------------------------------------------------------------------------------- decision


def describe_decision(model: Any) -> dict[str, Any]:
    """Return the classes and the threshold."""
    return {
        "classes": plain_labels(model.classes_),
        "positive_class": model.classes_.tolist()[model.positive_index_],
        "threshold": float(model.threshold_),
    }


def restore_decision(model: Any, record: Record) -> None:
    """Set the classes and the threshold."""
    classes = classes_from(record)
    label = record["positive_class"]
    places = [place for place, one in enumerate(classes.tolist()) if one == label]
    require(type(label) is type(classes.tolist()[0]) and places, "the positive class is unknown")
    model.set_classes(classes, places[0])
    model.threshold_ = record.number("threshold")
    wanted = getattr(model, "pos_label", None)
    require(wanted is None or wanted == label, "parameter 'pos_label' is not the positive class")
    class_factors(getattr(model, "class_weight", None), classes, places[0], (1.0, 1.0))


def classes_from(record: Record) -> NDArray[Any]:
    """Return two classes in order."""
    classes = labels_from(record.record("classes"))
    require(len(classes) == 2 and bool(classes[0] < classes[1]), "the classes are not two in order")
    return np.array(classes)
