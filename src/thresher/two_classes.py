"""What every estimator of two classes shares: the positive class, its labels, its threshold."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.validation import check_number


class TwoClassMixin:
    """Decisions between a positive class and the other, in the terms of scikit-learn.

    An estimator sets `classes_` and `_positive`, the place of the positive class in it.
    """

    classes_: NDArray[Any]
    _positive: int
    threshold: Any

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn: two classes only."""
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.classifier_tags.multi_class = False
        return tags

    @property
    def pos_label_(self) -> Any:
        """The positive class."""
        return self.classes_[self._positive]

    def _labels(self, is_positive: NDArray[np.bool_]) -> NDArray[Any]:
        labels: NDArray[Any] = self.classes_.take(is_positive == bool(self._positive))
        return labels

    def _both_classes(self, positive: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probability of the positive class and its rest, in the order of `classes_`."""
        result = np.empty((len(positive), 2))
        result[:, self._positive] = positive
        np.subtract(1.0, positive, out=result[:, 1 - self._positive])
        return result

    def _check_threshold(self) -> None:
        if not isinstance(self.threshold, str):
            check_number("threshold", self.threshold, 0.0, 1.0)
        elif self.threshold != "prior":
            raise ValueError(f"threshold must be a number or 'prior', got {self.threshold!r}.")

    def _threshold_for(self, negative: float, positive: float) -> float:
        """Return the threshold as a number; "prior" is the share of positives in these weights."""
        if self.threshold == "prior":
            return positive / (negative + positive)
        return float(self.threshold)


def name_features(estimator: Any, names: tuple[str, ...] | None) -> None:
    """Set scikit-learn's `feature_names_in_`; without names, remove it."""
    if names is not None:
        estimator.feature_names_in_ = np.array(names, dtype=object)
    elif hasattr(estimator, "feature_names_in_"):
        del estimator.feature_names_in_
