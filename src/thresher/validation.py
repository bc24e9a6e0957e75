"""Checks of targets, weights and parameters: one clear sentence for what cannot be used.

The common cases (an integer target, plain Python numbers) cost a few microseconds.
"""

import os
from collections.abc import Sequence
from math import inf, isclose
from typing import Any, NamedTuple

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.utils import check_random_state, column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from thresher import _core
from thresher.frames import read_vector


class Target(NamedTuple):
    """A two-class target: its sorted classes, and which of them is the positive one.

    `is_positive` is 1 where a row is positive; `totals` are the (negative, positive) sums of
    sample weight.
    """

    classes: NDArray[Any]
    positive: int
    is_positive: NDArray[np.uint8]
    totals: tuple[float, float]


def read_target(
    y: Any, n_rows: int, weights: NDArray[np.float64] | None = None, pos_label: Any = None
) -> Target:
    """Read a target of two classes; the positive one is `pos_label`, by default the rarer.

    >>> target = read_target(["ok", "scrap", "ok"], n_rows=3)
    >>> target.classes[target.positive].item(), target.totals
    ('scrap', (2.0, 1.0))
    """
    classes, is_upper = _two_classes(y)
    if len(is_upper) != n_rows:
        raise ValueError(f"X has {n_rows} rows, but y has {len(is_upper)}.")
    lower, upper = class_totals(is_upper, weights)
    positive = positive_class(classes, lower, upper, pos_label)
    if positive == 1:
        return Target(classes, 1, is_upper.view(np.uint8), (lower, upper))
    return Target(classes, 0, (~is_upper).view(np.uint8), (upper, lower))


def _two_classes(y: Any) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Return the sorted classes, and whether each row is of the second one."""
    if type(y) is np.ndarray and y.ndim == 1 and y.dtype.kind in "iub" and y.size:
        is_first = y == y[0]
        first, other = y[0], y[is_first.argmin()]
        is_other = y == other
        if np.count_nonzero(is_first) + np.count_nonzero(is_other) == y.size:
            if first < other:
                return np.array([first, other]), is_other
            return np.array([other, first]), is_first
    labels = read_labels(y)
    check_classification_targets(labels)
    classes, codes = np.unique(labels, return_inverse=True)
    two_labels(classes)
    return classes, codes == 1


def two_labels(classes: NDArray[Any]) -> None:
    """Raise unless there are two classes."""
    if len(classes) < 2:
        raise ValueError(f"y has one class only, {classes.tolist()}; two are needed.")
    if len(classes) > 2:
        raise ValueError(
            "Only binary classification is supported. The type of the target is multiclass, with "
            f"{len(classes)} classes: wrap the estimator in sklearn.multiclass.OneVsRestClassifier."
        )


def read_labels(y: Any, name: str = "y") -> NDArray[Any]:
    """Return labels as a flat array of numbers, booleans or texts without missing values."""
    if y is None:
        raise ValueError(f"fit requires y to be passed, but the target {name} is None.")
    # As objects: NumPy would turn the numbers of a mixed list into text.
    given = np.array(y, dtype=object) if isinstance(y, list | tuple) else read_vector(y)
    labels: NDArray[Any] = column_or_1d(given, warn=True)
    if labels.size == 0:
        raise ValueError(f"{name} is empty: it has 0 rows.")
    if labels.dtype.kind == "O":
        labels = _from_objects(labels.tolist(), name)
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        row = int(np.flatnonzero(~np.isfinite(labels))[0])
        raise ValueError(f"{name} contains NaN or infinity, first in row {row} (counted from 0).")
    return labels


def _from_objects(labels: list[Any], name: str) -> NDArray[Any]:
    for row, label in enumerate(labels):
        if label is None or type(label).__name__ == "NAType" or label != label:
            raise ValueError(f"{name} contains NaN, a missing label, in row {row} (from 0).")
    if 0 < sum(isinstance(label, str) for label in labels) < len(labels):
        raise ValueError(f"{name} mixes text and other labels; make it one or the other.")
    return np.asarray(labels)


def class_totals(
    is_second: NDArray[np.bool_], weights: NDArray[np.float64] | None
) -> tuple[float, float]:
    """Return the weight of each class, the same for any order of rows.

    >>> class_totals(np.array([False, True, True]), np.array([1.0, 0.25, 0.5]))
    (1.0, 0.75)
    """
    if weights is None:
        second = int(np.count_nonzero(is_second))
        return float(is_second.size - second), float(second)
    weights = on_grid(weights)
    return float(weights[~is_second].sum()), float(weights[is_second].sum())


def on_grid(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Round weights to the core's fixed point, in which sums are exact, whatever their order.

    >>> weights = on_grid(np.array([0.1, 0.2, 0.3]))
    >>> weights.sum() == weights[::-1].sum(), np.abs(weights - [0.1, 0.2, 0.3]).max() < 1e-15
    (np.True_, np.True_)
    """
    digits = _core.weight_digits(float(weights.max()), weights.size)
    return real_weights(_core.fixed_weights(weights, digits), digits)


def real_weights(fixed: NDArray[np.int64], digits: int) -> NDArray[np.float64]:
    """Return fixed-point weights, or sums of them, as numbers: exact, since they are below 2^53."""
    numbers: NDArray[np.float64] = np.ldexp(fixed.astype(np.float64), -digits)
    return numbers


def positive_class(classes: NDArray[Any], lower: float, upper: float, pos_label: Any) -> int:
    """Return the place of the positive class, given the weight of either one."""
    if lower <= 0 or upper <= 0:
        raise ValueError(
            "y has one class only once the rows of weight zero are left out; two are needed."
        )
    if pos_label is None:
        return 0 if lower < upper and not isclose(lower, upper, rel_tol=1e-12) else 1
    found = np.flatnonzero(classes == pos_label)
    if len(found) != 1:
        raise ValueError(f"pos_label={pos_label!r} is not a class of y: {classes.tolist()}.")
    return int(found[0])


def read_weights(
    sample_weight: Any, n_rows: int, *, allow_zero: bool = False
) -> NDArray[np.float64] | None:
    """Return sample weights as floats, None where none are given; not all of them may be zero."""
    if sample_weight is None:
        return None
    weights = np.ascontiguousarray(read_vector(sample_weight), dtype=np.float64)
    if weights.shape != (n_rows,):
        raise ValueError(
            f"sample_weight must have one number for each of the {n_rows} rows, got the shape "
            f"{weights.shape}."
        )
    if not (weights.min() >= 0 and weights.sum() < inf):
        row = int(np.argmin((weights >= 0) & (weights < inf)))
        raise ValueError(
            f"sample_weight must be finite and not negative, got {weights[row]} in row {row} "
            "(counted from 0)."
        )
    if weights.max() <= 0 and not allow_zero:
        raise ValueError("sample_weight is zero for every row; at least one must be above zero.")
    return weights


def class_factors(
    class_weight: Any, classes: NDArray[Any], positive: int, totals: tuple[float, float]
) -> tuple[float, float]:
    """Return the factors of the (negative, positive) class.

    >>> class_factors("balanced", np.array([0, 1]), positive=1, totals=(80.0, 20.0))
    (0.625, 2.5)
    """
    if class_weight is None:
        return 1.0, 1.0
    if isinstance(class_weight, str) and class_weight == "balanced":
        half = 0.5 * (totals[0] + totals[1])
        return half / totals[0], half / totals[1]
    if not isinstance(class_weight, dict):
        raise ValueError(f"class_weight must be a dict, 'balanced' or None, got {class_weight!r}.")
    known = classes.tolist()
    unknown = [label for label in class_weight if label not in known]
    if unknown:
        raise ValueError(
            f"class_weight names the class {unknown[0]!r}, which is not in y: {known}."
        )
    factors = [class_weight.get(label, 1.0) for label in known]
    for factor in factors:
        check_number("class_weight", factor, low=0.0, above=True)
    return float(factors[1 - positive]), float(factors[positive])


def is_integer(value: Any) -> bool:
    """Whether a parameter is an integer of Python or NumPy; True and False are not."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def check_integer(name: str, value: Any, low: int, high: int | None = None) -> None:
    """Raise unless a parameter is an integer in its range."""
    if not is_integer(value):
        raise TypeError(f"{name} must be an integer, got {value!r}.")
    if value < low or (high is not None and value > high):
        span = f"at least {low}" if high is None else f"from {low} to {high}"
        raise ValueError(f"{name} must be {span}, got {value!r}.")


def check_number(
    name: str, value: Any, low: float, high: float = inf, *, above: bool = False
) -> None:
    """Raise unless a parameter is a finite number in its range (strictly above `low` on demand)."""
    if not isinstance(value, float | np.floating) and not is_integer(value):
        raise TypeError(f"{name} must be a number, got {value!r}.")
    inside = low < value if above else low <= value
    if not (inside and value <= high and value < inf):
        start = f"above {low:g}" if above else f"at least {low:g}"
        end = "" if high == inf else f" and at most {high:g}"
        raise ValueError(f"{name} must be {start}{end}, got {value!r}.")


def check_choice(name: str, value: Any, choices: Sequence[str]) -> None:
    """Raise unless a parameter is one of its names; similar names are suggested."""
    if isinstance(value, str) and value in choices:
        return
    from difflib import get_close_matches

    near = get_close_matches(str(value), choices, n=2, cutoff=0.4)
    hint = f"; did you mean {' or '.join(repr(choice) for choice in near)}?" if near else "."
    listed = ", ".join(repr(choice) for choice in choices)
    raise ValueError(f"{name}={value!r} is unknown, choose from {listed}{hint}")


def thread_count(n_jobs: int | None) -> int:
    """Return the number of threads behind scikit-learn's `n_jobs`; None is one.

    Where all cores are asked for (-1), OMP_NUM_THREADS is a limit: joblib sets it in its
    workers to each one's share of the machine.
    """
    if n_jobs is None:
        return 1
    threads = int(effective_n_jobs(n_jobs))
    share = os.environ.get("OMP_NUM_THREADS", "") if n_jobs < 0 else ""
    return min(threads, max(1, int(share))) if share.isdecimal() else threads


def draw_seed(random_state: Any) -> int:
    """Return a seed for the core: an integer as it is, otherwise drawn as scikit-learn draws."""
    if is_integer(random_state):
        check_integer("random_state", random_state, low=0)
        return int(random_state) % 2**64
    return int(check_random_state(random_state).randint(2**63 - 1, dtype=np.int64))
