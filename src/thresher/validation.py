"""Checks of targets, weights and parameters: one clear sentence for what cannot be used.

The common cases (an integer target, plain Python numbers) cost a few microseconds.
"""

import os
import sys
from collections.abc import Sequence
from decimal import Decimal
from math import inf, isclose
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.utils import check_random_state, column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from thresher import _core
from thresher.column import as_number, is_missing
from thresher.frames import read_vector
from thresher.wording import quoted

LARGEST_INTEGER, LARGEST_FLOAT = 2**63 - 1, sys.float_info.max
"""What the core's numbers hold."""
MOST_THREADS = 256


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
    given = np.array(y, dtype=object) if isinstance(y, list | tuple) else read_vector(y, name)
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
        if is_missing(label):
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


def are_whole(weights: NDArray[np.float64]) -> bool:
    """Whether all weights are whole numbers, so that a weight is a repeated row."""
    return bool((weights == np.rint(weights)).all())


def weight_of_row(weights: NDArray[np.float64] | None) -> float:
    """Return the weight that counts as one row: the mean of those above 0, or 1 if all are whole.

    What is given in rows (least rows of a leaf, rows that smoothing adds) is multiplied by it, so
    that the scale of the weights does not matter. The sum is exact, whatever the order of rows.

    >>> weight_of_row(np.array([0.0, 0.25, 0.75])), weight_of_row(np.array([0.0, 1.0, 3.0]))
    (0.5, 1.0)
    """
    if weights is None or are_whole(weights):
        return 1.0
    return float(on_grid(weights).sum()) / int(np.count_nonzero(weights))


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
    weights = read_numbers(sample_weight, "sample_weight")
    if weights.shape != (n_rows,):
        raise ValueError(
            f"sample_weight must have one number for each of the {n_rows} rows, got the shape "
            f"{weights.shape}."
        )
    with np.errstate(over="ignore"):
        total = weights.sum()
    if not (weights.min() >= 0 and total < inf):
        raise ValueError(_why_not_weights(weights))
    if weights.max() <= 0 and not allow_zero:
        raise ValueError("sample_weight is zero for every row; at least one must be above zero.")
    return weights


def _why_not_weights(weights: NDArray[np.float64]) -> str:
    why = why_not_amounts(weights, "sample_weight")
    return why or "sample_weight is too large to be summed; divide its numbers."


def why_not_amounts(values: NDArray[np.float64], name: str) -> str | None:
    """Say which number is negative or not finite, None where all may be amounts.

    >>> why_not_amounts(np.array([1.0, -2.0]), "cost_fn")
    'cost_fn must be finite and not negative, got -2.0 in row 1 (counted from 0).'
    """
    wrong = np.flatnonzero(~((values >= 0) & (values < inf)))
    if not len(wrong):
        return None
    row = int(wrong[0])
    return (
        f"{name} must be finite and not negative, got {values[row]} in row {row} (counted from 0)."
    )


def read_numbers(values: Any, name: str) -> NDArray[np.float64]:
    """Return an array, a series or a list of numbers as floats; missing ones are NaN."""
    vector = read_vector(values, name)
    try:
        given = np.asarray(vector)
    except ValueError:
        raise ValueError(
            f"{name} must have one number for each row, got lists of different lengths."
        ) from None
    if given.dtype.kind in "biuf":
        return np.require(given, dtype=np.float64, requirements=["C", "ALIGNED"])
    for value in given.ravel().tolist():
        if not is_missing(value) and not isinstance(value, Real | Decimal):
            raise TypeError(f"{name} must hold numbers, got {quoted(value)}.")
    numbers = [as_number(value) for value in given.ravel().tolist()]
    return np.array(numbers, dtype=np.float64).reshape(given.shape)


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
        raise ValueError(
            f"class_weight must be a dict, 'balanced' or None, got {quoted(class_weight)}."
        )
    known = classes.tolist()
    unknown = [label for label in class_weight if label not in known]
    if unknown:
        raise ValueError(
            f"class_weight names the class {quoted(unknown[0])}, which is not in y: {known}."
        )
    factors = [class_weight.get(label, 1.0) for label in known]
    for factor in factors:
        check_number("class_weight", factor, low=0.0, above=True)
    found = float(factors[1 - positive]), float(factors[positive])
    if not found[0] * totals[0] + found[1] * totals[1] < inf:
        raise ValueError(
            "class_weight is too large for the weight of all rows; divide its numbers."
        )
    return found


def is_integer(value: Any) -> bool:
    """Whether a parameter is an integer of Python or NumPy; True and False are not."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def check_integer(name: str, value: Any, low: int, high: int = LARGEST_INTEGER) -> None:
    """Raise unless a parameter is an integer in its range."""
    if not is_integer(value):
        raise TypeError(f"{name} must be an integer, got {quoted(value)}.")
    if not low <= value <= high:
        is_open = high == LARGEST_INTEGER and value < low
        span = f"at least {low}" if is_open else f"from {low} to {high}"
        raise ValueError(f"{name} must be {span}, got {quoted(value)}.")


def check_number(
    name: str, value: Any, low: float, high: float = LARGEST_FLOAT, *, above: bool = False
) -> None:
    """Raise unless a parameter is a finite number in its range (strictly above `low` on demand)."""
    if not isinstance(value, float | np.floating) and not is_integer(value):
        raise TypeError(f"{name} must be a number, got {quoted(value)}.")
    inside = low < value if above else low <= value
    if not (inside and value <= high):
        start = f"above {low:g}" if above else f"at least {low:g}"
        is_open = high == LARGEST_FLOAT and not value > high
        end = "" if is_open else " and finite" if value == inf else f" and at most {high:g}"
        raise ValueError(f"{name} must be {start}{end}, got {quoted(value)}.")


def check_truth(name: str, value: Any) -> None:
    """Raise unless a parameter is True or False."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} must be True or False, got {quoted(value)}.")


def check_choice(name: str, value: Any, choices: Sequence[str]) -> None:
    """Raise unless a parameter is one of its names; similar names are suggested."""
    if isinstance(value, str) and value in choices:
        return
    from difflib import get_close_matches

    near = get_close_matches(quoted(value).strip("'"), choices, n=2, cutoff=0.4)
    hint = f"; did you mean {' or '.join(repr(choice) for choice in near)}?" if near else "."
    listed = ", ".join(repr(choice) for choice in choices)
    raise ValueError(f"{name}={quoted(value)} is unknown, choose from {listed}{hint}")


def thread_count(n_jobs: int | None) -> int:
    """Return the number of threads behind scikit-learn's `n_jobs`; None is one.

    There are never more than `MOST_THREADS`, or cores of a larger machine. Where all cores are
    asked for (-1), OMP_NUM_THREADS is a limit: joblib sets it in its workers to each one's share
    of the machine.
    """
    if n_jobs is None:
        return 1
    check_jobs(n_jobs)
    threads = min(int(effective_n_jobs(n_jobs)), max(MOST_THREADS, os.cpu_count() or 1))
    share = os.environ.get("OMP_NUM_THREADS", "") if n_jobs < 0 else ""
    return min(threads, max(1, int(share))) if share.isdecimal() else threads


def check_jobs(n_jobs: Any) -> None:
    """Raise unless `n_jobs` is None or an integer other than 0."""
    if n_jobs is None:
        return
    if not is_integer(n_jobs):
        raise TypeError(f"n_jobs must be an integer or None, got {quoted(n_jobs)}.")
    if n_jobs == 0:
        raise ValueError("n_jobs must not be 0: take 1, or -1 for all cores.")


def jobs_for(n_jobs: Any, n_tasks: int) -> int | None:
    """Return `n_jobs` for joblib: no more than there are tasks, since it starts as many as asked.

    >>> jobs_for(10**9, n_tasks=5), jobs_for(-1, n_tasks=5), jobs_for(None, n_tasks=5)
    (5, -1, None)
    """
    check_jobs(n_jobs)
    return None if n_jobs is None else min(int(n_jobs), max(1, n_tasks))


def draw_seed(random_state: Any) -> int:
    """Return a seed for the core: an integer as it is, otherwise drawn as scikit-learn draws."""
    if is_integer(random_state):
        check_integer("random_state", random_state, low=0, high=2**64 - 1)
        return int(random_state)
    return int(read_random(random_state).randint(2**63 - 1, dtype=np.int64))


def read_random(random_state: Any) -> np.random.RandomState:
    """Return the random numbers behind scikit-learn's `random_state`."""
    if is_integer(random_state):
        check_integer("random_state", random_state, low=0, high=2**32 - 1)
    try:
        random: np.random.RandomState = check_random_state(random_state)
    except ValueError:
        raise ValueError(
            "random_state must be an integer, a RandomState of NumPy or None, got "
            f"{quoted(random_state)}."
        ) from None
    return random
