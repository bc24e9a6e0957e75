"""How a threshold was chosen: the scored rows and shares of positives behind it, and back."""

from math import isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.model_file.kinds.row_cuts import describe_by_row, restore_by_row
from thresher.model_file.record import Record, is_number, require
from thresher.model_file.stored_promise import describe_promise, promise_from, unseen_from
from thresher.threshold.prior_shift import odds
from thresher.threshold.promise import UNSEEN
from thresher.threshold.state import ThresholdState

FRAMES = (None, "pandas", "polars", "pyarrow")


def describe_choice(model: Any, *, with_scores: bool) -> dict[str, Any]:
    """Return what `ThresholdedMixin` keeps; a forest's scores follow from its votes."""
    state, interval = model.threshold_state_, model.threshold_interval_
    found = {
        "prior": float(state.prior),
        "fit_prior": float(state.fit_prior),
        "correction": float(state.correction),
        "factor": float(state.factor),
        "seed": int(state.seed),
        "frame": state.frame_kind if state.frame_kind in FRAMES else None,
        "interval": None if interval is None else [_known(end) for end in interval],
        "unseen": state.unseen,
        "promise": describe_promise(model.promise_),
        "is_positive": state.is_positive,
        "weights": state.weights,
        **describe_by_row(state),
    }
    return found | {"scores": state.scores} if with_scores else found


def _known(end: float) -> float | None:
    return None if isnan(end) else float(end)


def restore_choice(model: Any, record: Record, scores: NDArray[np.float64] | None = None) -> None:
    """Set what `ThresholdedMixin` keeps."""
    if scores is None:
        scores = record.floats("scores", (None,))
        in_range = bool(((scores >= 0.0) & (scores <= 1.0)).all())
        require(in_range and len(scores), "the scores of the training rows are not probabilities")
    is_positive = record.array("is_positive", "b", (len(scores),))
    require(not len(scores) or 0 < is_positive.sum() < len(scores), "one class has no scored row")
    state = ThresholdState(
        scores,
        is_positive,
        _weights(record, is_positive),
        prior=record.share("prior"),
        fit_prior=record.share("fit_prior"),
        correction=record.positive("correction"),
        factor=record.positive("factor"),
        seed=record.integer("seed", 0, 2**64 - 1),
        frame_kind=record["frame"],
        unseen=unseen_from(record) if record.has("unseen") else UNSEEN,
        **restore_by_row(record, len(scores), model.row_cuts_),
    )
    require(state.frame_kind in FRAMES, "the library of its data frames is unknown")
    model.threshold_state_ = state
    model.threshold_interval_ = _interval(record)
    model.promise_ = promise_from(record)
    # A rule that is out of range would only be noticed when the prior changes.
    model.checked_rule()
    require(odds(state.prior) > 0.0, "the share of positives is out of range")


def _weights(record: Record, is_positive: NDArray[np.bool_]) -> NDArray[np.float64] | None:
    if not record.has("weights"):
        return None
    weights = record.floats("weights", is_positive.shape)
    of_classes = [weights[is_positive].sum(), weights[~is_positive].sum()]
    is_sound = bool((weights >= 0.0).all()) and min(of_classes) > 0.0 and sum(of_classes) < 1e300
    require(is_sound, "the weights of the scored rows are out of range")
    return weights


def _interval(record: Record) -> tuple[float, float] | None:
    if not record.has("interval"):
        return None
    ends = record.items("interval")
    require(
        len(ends) == 2 and all(one is None or is_number(one) for one in ends),
        "its interval is wrong",
    )
    low, high = (np.nan if one is None else float(one) for one in ends)
    return low, high
