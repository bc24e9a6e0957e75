"""The parameters of estimators as plain data, and back: each is of a kind that it can be."""

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from thresher.errors import ModelFileError
from thresher.model_file.record import Record, is_number, require
from thresher.model_file.values import MAX_LABEL_LENGTH, is_label, plain_value, value_from
from thresher.pairs.features import PairFeatures, as_triple

Estimator = TypeVar("Estimator")

DERIVE = "derive"
MAX_THREADS = 65_536
MAX_NAME_LENGTH = 100
"""Most characters of a choice by name, such as that of a criterion."""


def describe_parameters(model: Any, without: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return the parameters by name; callables and random states are refused."""
    parameters = model.get_params(deep=False)
    return {
        name: describe_derive(value) if name == DERIVE else plain_value(name, value)
        for name, value in parameters.items()
        if name not in without
    }


def describe_derive(derive: Any) -> dict[str, Any] | None:
    """Return the parameters of a `PairFeatures`, None where there is none."""
    if derive is None:
        return None
    if type(derive) is not PairFeatures:
        raise ModelFileError(
            f"derive={derive!r} cannot be kept in a file, which holds PairFeatures only; set "
            "derive=None, the columns that were derived stay."
        )
    parameters = derive.get_params(deep=False)
    for name in ("units", "stations"):
        parameters[name] = None if parameters[name] is None else dict(parameters[name])
    if parameters["pairs"] is not None:
        parameters["pairs"] = [as_triple(one) for one in parameters["pairs"]]
    return {name: plain_value(f"derive__{name}", value) for name, value in parameters.items()}


def restore_parameters(kind: type[Estimator], record: Record, **others: Any) -> Estimator:
    """Make an estimator with its parameters; those that the file lacks have their default.

    Whether they are in range is for the estimator to say.
    """
    given = record.record("parameters").data
    model: Any = kind(**others)
    unknown = [name[:80] for name in set(given) - set(model.get_params(deep=False))]
    require(not unknown, f"{kind.__name__} has no parameter {min(unknown, default='')!r}")
    for name, data in given.items():
        if name == DERIVE and data is not None:
            model.derive = _derive_from(record.record("parameters").record(name))
            continue
        value = value_from(data, f"parameter {name!r}")
        is_sound, words = KINDS.get(name, (_is_plain, "a number or the name of a choice"))
        require(value is None or is_sound(value), f"parameter {name!r} is not {words}")
        setattr(model, name, value)
    result: Estimator = model
    return result


def _derive_from(record: Record) -> PairFeatures:
    """Return the transformer that `describe_derive` was given."""
    derive = restore_parameters(PairFeatures, Record({"parameters": record.data}, "derive"))
    derive.check_parameters()
    return derive


# ------------------------------------------------------------------------------- what they can be


def _is_plain(value: Any) -> bool:
    """Whether a value is a number, nan and infinity among them, a truth value or a name."""
    return type(value) in (bool, int, float) or _is_name(value)


def _is_name(value: Any) -> bool:
    return type(value) is str and len(value) <= MAX_NAME_LENGTH


def _is_threads(value: Any) -> bool:
    return type(value) is int and 0 < abs(value) <= MAX_THREADS


def _is_seed(value: Any) -> bool:
    return type(value) is int and 0 <= value < 2**64


def _is_class(value: Any) -> bool:
    return is_label(value) and not (type(value) is str and len(value) > MAX_LABEL_LENGTH)


def _are_weights(value: Any) -> bool:
    if type(value) is not dict:
        return _is_name(value)
    return all(is_number(weight) for weight in value.values())


def _are_columns(value: Any) -> bool:
    return _is_name(value) or (_is_listed(value) and all(is_label(one) for one in _items(value)))


def _are_orders(value: Any) -> bool:
    return _is_listed(value) and all(is_number(one) for one in _items(value))


def _are_names(value: Any) -> bool:
    return _is_listed(value) and all(_is_name(one) for one in _items(value))


def _are_splits(value: Any) -> bool:
    """Whether a value is a number of folds, a name, or a list of pairs of lists of rows."""
    if type(value) is not list and type(value) is not tuple:
        return _is_plain(value)
    pairs = [[*pair] for pair in value if type(pair) in (list, tuple)]
    are_pairs = len(pairs) == len(value) and all(len(pair) == 2 for pair in pairs)
    return are_pairs and all(_are_rows(part) for pair in pairs for part in pair)


def _are_rows(value: Any) -> bool:
    return _is_listed(value) and all(type(one) in (int, bool) for one in _items(value))


def _are_pairs(value: Any) -> bool:
    if type(value) is not list and type(value) is not tuple:
        return False
    items = [one for one in value if type(one) in (list, tuple) and len(one) == 3]
    return len(items) == len(value) and all(
        type(part) in (int, str) for one in items for part in one
    )


def _are_words(value: Any) -> bool:
    return type(value) is dict and all(type(one) is str for one in (*value, *value.values()))


def _is_listed(value: Any) -> bool:
    return type(value) in (list, tuple, np.ndarray)


def _items(value: Any) -> Any:
    return value.tolist() if type(value) is np.ndarray else value


KINDS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "n_jobs": (_is_threads, "a number of threads"),
    "random_state": (_is_seed, "a seed"),
    "pos_label": (_is_class, "a class"),
    "threshold_by": (_is_class, "the name of a column"),
    "class_weight": (_are_weights, "a weight for each class"),
    "categorical_features": (_are_columns, "a list of columns"),
    "alphas": (_are_orders, "a list of numbers"),
    "members": (_are_names, "a list of names"),
    "cv": (_are_splits, "a number of folds or a list of splits"),
    "pairs": (_are_pairs, "a list of pairs of columns"),
    "operations": (_are_names, "a list of names"),
    "units": (_are_words, "a text for each column"),
    "stations": (_are_words, "a text for each column"),
}
"""The parameters that are more, or less, than a number or a name; whether None has a sense is for
the estimator to say."""
