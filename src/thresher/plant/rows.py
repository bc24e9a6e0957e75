"""Rows as a model sees them: decided, or with labels to judge it by."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.condition.table import HOLD_OUT
from thresher.tables.features import Features
from thresher.tables.table import Table
from thresher.threshold.counts import Vector


class Decided(NamedTuple):
    """A table as the model takes it, notes on its columns, and the decision about each row."""

    features: Features
    notes: dict[str, str]
    probability: Vector
    is_alert: NDArray[np.bool_]


class UnseenRows(NamedTuple):
    """A table whose target is known, its features for a model, its labels, and what it is."""

    table: Table
    features: Features
    labels: NDArray[Any]
    evidence: str = HOLD_OUT
