"""Scrap by day: predicted and real, control limits, and a threshold that follows the rate."""

from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from thresher.frames import frame_kind, make_frame, read_vector
from thresher.judging.plot import plot_monitoring
from thresher.threshold.counts import Vector
from thresher.threshold.prior_shift import estimate_rate, shift
from thresher.threshold.unseen import positive_scores
from thresher.validation import check_integer, check_number, read_labels

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SIGMAS = 3.0
"""Half the width of the control limits, in standard deviations."""

Days = NDArray[np.datetime64]


@dataclass(frozen=True)
class Monitoring:
    """One entry a day, for days with parts.

    Attributes
    ----------
    day : the days.
    parts, scrap : parts, and scrapped ones among them.
    predicted : scrap rate that the model predicts, the mean of its probabilities.
    center : the rate that the chart's limits are drawn around.
    kind : library of the data frame.
    estimated : share of scrap estimated from unlabelled parts of the last days, by EM; NaN where
        the model cannot.
    threshold : the threshold for that share, on the model's probabilities as they were fitted.
    alerts, hits : alerts with that threshold, and true ones among them.
    fixed_threshold : the threshold of the model as it is.
    fixed_alerts, fixed_hits : the same with that one.
    """

    day: Days
    parts: NDArray[np.int64]
    scrap: NDArray[np.int64]
    predicted: Vector
    center: float
    fixed_threshold: float
    kind: str | None
    estimated: Vector
    threshold: Vector
    alerts: Vector
    hits: Vector
    fixed_alerts: Vector
    fixed_hits: Vector

    @property
    def rate(self) -> Vector:
        """Real scrap rate."""
        return self.scrap / self.parts

    @property
    def limits(self) -> tuple[Vector, Vector]:
        """Control limits of a p-chart: three standard deviations of a binomial share."""
        return control_limits(self.center, self.parts)

    @property
    def is_out(self) -> NDArray[np.bool_]:
        """Whether the real rate is out of the control limits."""
        low, high = self.limits
        return (self.rate < low) | (self.rate > high)

    def columns(self) -> dict[str, Any]:
        """Return the table's columns by name."""
        low, high = self.limits
        return {
            "day": self.day,
            "parts": self.parts,
            "scrap": self.scrap,
            "rate": self.rate,
            "predicted": self.predicted,
            "center": np.full(len(self.day), self.center),
            "low": low,
            "high": high,
            "out_of_control": self.is_out,
            "estimated": self.estimated,
            "threshold": self.threshold,
            "alerts": self.alerts,
            "hits": self.hits,
            "fixed_threshold": np.full(len(self.day), self.fixed_threshold),
            "fixed_alerts": self.fixed_alerts,
            "fixed_hits": self.fixed_hits,
        }

    def to_frame(self) -> Any:
        """Return a data frame of the library of X, one row a day."""
        return make_frame(self.columns(), self.kind)

    def plot(self) -> "Figure":
        """Draw the p-chart, and below it the threshold that follows the rate; needs matplotlib."""
        return plot_monitoring(self.columns())


def control_limits(center: float, parts: NDArray[Any]) -> tuple[Vector, Vector]:
    """Return the limits of a p-chart around a rate, for so many parts each.

    >>> low, high = control_limits(0.1, np.array([400]))
    >>> low.round(3), high.round(3)
    (array([0.055]), array([0.145]))
    """
    reach = SIGMAS * np.sqrt(center * (1.0 - center) / parts)
    return np.maximum(center - reach, 0.0), np.minimum(center + reach, 1.0)


def daily_monitoring(
    model: Any,
    X: Any,
    y: Any,
    time: Any,
    *,
    probability: Any = None,
    window: int = 7,
    center: float | None = None,
) -> Monitoring:
    """Compare predicted and real scrap by day, and let the threshold follow the rate.

    Parameters
    ----------
    model : fitted classifier with probabilities
        With `adjust_prior`, as forests and ThresholdClassifier have it, the threshold follows.
    X, y : table and labels
        Parts that the model has not seen, or any with honest probabilities.
    time : array-like of dates or times, one a part
    probability : array-like, default=None
        Probability of the positive class for each part, where the model's own would flatter it,
        such as a forest's out-of-bag votes for the parts that it was fitted on.
    window : int, default=7
        Days, the present one included, whose unlabelled parts tell the present rate.
    center : float, default=None
        Scrap rate of a line under control; by default that of all parts given.

    Returns
    -------
    Monitoring
        With `to_frame()` and `plot()`.

    Examples
    --------
    >>> from thresher import ImbalancedForestClassifier
    >>> from thresher.datasets import make_assembly_line
    >>> line = make_assembly_line(random_state=0)
    >>> early, late = slice(0, 2500), slice(2500, None)
    >>> model = ImbalancedForestClassifier(50, random_state=0).fit(line.X[early], line.y[early])
    >>> days = daily_monitoring(model, line.X[late], line.y[late], line.time[late])
    >>> len(days.day), bool(np.corrcoef(days.rate, days.predicted)[0, 1] > 0.8)
    (31, True)
    """
    check_integer("window", window, low=1)
    label = getattr(model, "pos_label_", model.classes_[-1])
    is_positive = read_labels(y) == label
    p = _probabilities(model, X, label, probability)
    dates = _dates(time)
    _check_lengths(p, is_positive, dates)
    center = float(is_positive.mean()) if center is None else center
    check_number("center", center, 0.0, 1.0)
    day, place = np.unique(dates, return_inverse=True)
    parts = np.bincount(place)
    follower = _Follower(model, p, is_positive, dates, window)
    followed = np.array([follower.on(one) for one in day])
    return Monitoring(
        day,
        parts,
        np.bincount(place, is_positive).astype(np.int64),
        np.bincount(place, p) / parts,
        float(center),
        follower.fixed,
        frame_kind(X),
        *followed.T,
    )


def _probabilities(model: Any, X: Any, label: Any, given: Any) -> Vector:
    if given is None:
        return positive_scores(model, X, int(np.flatnonzero(model.classes_ == label)[0]))
    p: Vector = np.asarray(read_vector(given, "probability"), dtype=np.float64)
    if not ((p >= 0.0) & (p <= 1.0)).all():
        raise ValueError(
            "probability must be numbers from 0 to 1, without missing ones; leave out parts "
            "without a probability."
        )
    return p


def _dates(time: Any) -> Days:
    """Return the day of each part."""
    try:
        dates: Days = np.asarray(read_vector(time, "time")).astype("datetime64[D]")
    except ValueError as error:
        raise ValueError(f"time must be dates or times: {error}.") from error
    if np.isnat(dates).any():
        row = int(np.flatnonzero(np.isnat(dates))[0])
        raise ValueError(f"time is missing in row {row} (counted from 0); leave such parts out.")
    return dates


def _check_lengths(p: Vector, is_positive: NDArray[np.bool_], dates: Days) -> None:
    if not len(p) == len(is_positive) == len(dates):
        raise ValueError(
            f"There are {len(p)} probabilities, {len(is_positive)} labels and {len(dates)} times; "
            "one of each is needed for every part."
        )


def _can_move(model: Any) -> bool:
    """Whether a model can be moved to another rate without breaking what it promises."""
    promise = getattr(model, "promise_", None)
    survives = promise is None or promise.survives_new_share
    return hasattr(model, "adjust_prior") and survives


class _Follower:
    """Moves a model to the rate of the last days, one day after the other."""

    def __init__(
        self,
        model: Any,
        p: Vector,
        is_positive: NDArray[np.bool_],
        dates: Days,
        window: int,
    ) -> None:
        self._p, self._is_positive, self._dates, self._window = p, is_positive, dates, window
        self.fixed = float(getattr(model, "threshold_", 0.5))
        self._model = None
        if _can_move(model):
            # A shallow copy: adjust_prior replaces attributes, and the model given must stay.
            self._model, self._prior = copy(model).set_params(n_bootstrap=0), float(model.prior_)

    def on(self, day: np.datetime64) -> tuple[float, ...]:
        """Return rate, threshold, alerts and hits of a day, and alerts and hits without moving."""
        today = self._dates == day
        p, is_positive = self._p[today], self._is_positive[today]
        fixed = self._count(p > self.fixed, is_positive)
        if self._model is None:
            return (np.nan, np.nan, np.nan, np.nan, *fixed)
        recent = (self._dates <= day) & (self._dates > day - np.timedelta64(self._window, "D"))
        rate = estimate_rate(self._p[recent], self._prior)
        # Half a part more or less than none or all of them: a rate of 0 has no odds.
        half = 0.5 / np.count_nonzero(recent)
        rate = float(np.clip(rate, half, 1.0 - half))
        threshold = self._model.adjust_prior(rate).threshold_
        moved = self._count(shift(p, self._prior, rate) > threshold, is_positive)
        as_fitted = float(shift(np.clip(threshold, 0.0, 1.0), rate, self._prior))
        return (rate, as_fitted, *moved, *fixed)

    @staticmethod
    def _count(alert: NDArray[np.bool_], is_positive: NDArray[np.bool_]) -> tuple[float, float]:
        return float(alert.sum()), float((alert & is_positive).sum())
