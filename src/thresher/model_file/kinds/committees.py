"""Committees of kernel machines and of logistic lines as plain data with arrays, and back."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.blend.boosted import MAX_FOLDS
from thresher.blend.committee import Committee
from thresher.blend.kernel_machine import KernelMachine
from thresher.blend.logistic_line import LogisticLine
from thresher.blend.preparation import Preparation, level_counts
from thresher.matrix import Columns
from thresher.model_file.record import Record, require

LARGEST = 1e100
"""Numbers beyond this are no model: scores of ordinary values would overflow."""


def describe_committee(committee: Committee) -> dict[str, Any]:
    """Return plain data."""
    return {"parts": [_describe_part(part) for part in committee.parts]}


def _describe_part(part: Any) -> dict[str, Any]:
    preparation: Preparation = part.preparation
    names = ("median", "mean", "scale")
    shared = {name: getattr(preparation, name) for name in names}
    if isinstance(part, LogisticLine):
        return {**shared, "slopes": part.slopes, "intercept": part.intercept}
    machine = {"vectors": part.vectors, "weights": part.weights}
    return {**shared, **machine, "intercept": part.intercept, "gamma": part.gamma}


def machines_from(record: Record, columns: Columns) -> Committee:
    """Return kernel machines after all checks."""
    return _committee([_machine(part, columns) for part in record.records("parts")])


def lines_from(record: Record, columns: Columns) -> Committee:
    """Return logistic lines after all checks."""
    return _committee([_line(part, columns) for part in record.records("parts")])


def _committee(parts: list[Any]) -> Committee:
    require(1 < len(parts) <= MAX_FOLDS, "a committee has the wrong number of parts")
    return Committee(tuple(parts))


def _machine(record: Record, columns: Columns) -> KernelMachine:
    preparation = _preparation(record, columns)
    vectors = _numbers(record, "vectors", (None, preparation.width))
    require(len(vectors), "a machine has no vectors")
    weights = _numbers(record, "weights", (len(vectors),))
    gamma = record.positive("gamma")
    require(gamma <= LARGEST, "a machine has a gamma that is out of range")
    return KernelMachine(preparation, vectors, weights, _intercept(record), gamma)


def _line(record: Record, columns: Columns) -> LogisticLine:
    preparation = _preparation(record, columns)
    slopes = _numbers(record, "slopes", (preparation.width,))
    return LogisticLine(preparation, slopes, _intercept(record))


def _intercept(record: Record) -> float:
    return record.within("intercept", -LARGEST, LARGEST)


def _preparation(record: Record, columns: Columns) -> Preparation:
    n_levels = level_counts(columns, len(columns.is_category))
    shape = (int((n_levels == 0).sum()),)
    parts = [_numbers(record, name, shape) for name in ("median", "mean", "scale")]
    require((parts[2] >= 1.0 / LARGEST).all(), "a column has a scale that is out of range")
    return Preparation(n_levels, *parts)


def _numbers(record: Record, name: str, shape: tuple[int | None, ...]) -> NDArray[np.float64]:
    values = record.floats(name, shape)
    require((np.abs(values) <= LARGEST).all(), f"{record.place}.{name} is out of range")
    return values
