"""A fitted model as plain data with arrays, and back: what model files and JSON share."""

from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.utils.validation import check_is_fitted

from thresher.errors import DamagedModelError, ModelFileError
from thresher.model_file.kinds.registry import INNER, Kind, kind_of
from thresher.model_file.kinds.threshold import (
    check_threshold,
    describe_threshold,
    restore_threshold,
)
from thresher.model_file.record import Record, require
from thresher.threshold.classifier import ThresholdClassifier

MAX_REASON_LENGTH = 300
"""Most characters of a reason."""

KINDS = {
    **{name: kind for name, kind in INNER.items() if kind.type is not LogisticRegression},
    "threshold": Kind(ThresholdClassifier, describe_threshold, restore_threshold, check_threshold),
}


def describe_model(model: Any) -> dict[str, Any]:
    """Return a fitted model as dicts, lists, texts, numbers and arrays.

    Examples
    --------
    >>> from thresher import LeastSquaresClassifier
    >>> model = LeastSquaresClassifier().fit([[0.0], [1.0], [2.0]], ["ok", "ok", "scrap"])
    >>> found = describe_model(model)
    >>> found["kind"], found["threshold"], found["coef"].round(3)
    ('least_squares', 0.5, array([0.5]))
    """
    kind = "threshold" if type(model) is ThresholdClassifier else kind_of(model)
    if kind not in KINDS:
        raise ModelFileError(
            f"A {type(model).__name__} cannot be kept in a file; "
            f"{', '.join(kind.type.__name__ for kind in KINDS.values())} can, the last one around "
            "any of these or a LogisticRegression."
        )
    check_is_fitted(model)
    return {"kind": kind, **KINDS[kind].describe(model)}


def restore_model(data: Any) -> Any:
    """Return the model behind plain data; a DamagedModelError where they are not sound."""
    record = Record(data, "model")
    kind = record.text("kind")
    require(kind in KINDS, f"its kind {kind[:80]!r} is unknown")
    try:
        # Sums of numbers that are out of range are checked, not warned of.
        with np.errstate(all="ignore"):
            return KINDS[kind].restore(record)
    except DamagedModelError:
        raise
    except RecursionError:
        raise DamagedModelError("its data are nested too deeply") from None
    except (TypeError, ValueError, OverflowError) as error:
        # The checks of estimators, trees and of the compiled core.
        raise DamagedModelError(_short(str(error))) from None


def _short(message: str) -> str:
    """Return a message in one line, without its full stop; values in it may be of any length."""
    line = " ".join(message[: 2 * MAX_REASON_LENGTH].split()).rstrip(".")
    return line if len(line) <= MAX_REASON_LENGTH else f"{line[:MAX_REASON_LENGTH]}..."
