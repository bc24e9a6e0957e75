"""What every estimator of two classes shares: the positive class, its labels, its threshold."""

from collections.abc import Iterable, Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from thresher.validation import check_number


class TwoClassMixin:
    """Decisions between a positive class and the other, in the terms of scikit-learn.

    An estimator calls `set_classes` in `fit`.
    """

    classes_: NDArray[Any]
    threshold_alert_: float | None = None
    """Above it rows alert, where rows between it and `threshold_` are referred; otherwise None."""
    _positive: int

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn: two classes only."""
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.classifier_tags.multi_class = False
        return tags

    @property
    def pos_label_(self) -> Any:
        """The positive class."""
        return self.classes_[self._positive]

    @property
    def positive_index_(self) -> int:
        """Place of the positive class in `classes_`, and in the columns of `predict_proba`."""
        return self._positive

    def set_classes(self, classes: NDArray[Any], positive: int) -> None:
        """Set the sorted classes, and which of them is the positive one."""
        self.classes_, self._positive = classes, positive

    def rename_classes(self, names: Mapping[Any, Any]) -> Self:
        """Give the classes of a fitted model other names, in place; decisions stay as they are.

        Parameters
        ----------
        names : mapping
            A new name for each class. Parameters that name classes, `pos_label` and
            `class_weight`, follow.

        Returns
        -------
        self

        Examples
        --------
        >>> from thresher import ImbalancedTreeClassifier
        >>> X, y = [[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]], [0, 0, 0, 0, 1, 1]
        >>> model = ImbalancedTreeClassifier("gini").fit(X, y)
        >>> model.rename_classes({0: "good", 1: "bad"}).classes_.tolist(), model.pos_label_.item()
        (['bad', 'good'], 'bad')
        >>> model.predict([[4.0], [5.0]]).tolist()
        ['good', 'bad']
        """
        old = self.classes_.tolist()
        new = [_new_name(names, label) for label in old]
        classes = np.unique(np.array(new))
        if len(classes) < 2 or {*map(type, new)} != {type(new[0])}:
            raise ValueError(f"Two different names of one type are needed, got {new!r}.")
        for part in self._parts():
            part.rename_classes(names)
        parameters: Any = self
        if getattr(self, "pos_label", None) is not None:
            parameters.pos_label = _new_name(names, self.pos_label_)
        if isinstance(getattr(self, "class_weight", None), dict):
            weights = parameters.class_weight.items()
            parameters.class_weight = {_new_name(names, one): weight for one, weight in weights}
        self.set_classes(classes, classes.tolist().index(new[self._positive]))
        return self

    def _parts(self) -> "Iterable[TwoClassMixin]":
        """Return the fitted estimators inside that name the classes too."""
        return ()

    def _labels(self, is_positive: NDArray[np.bool_]) -> NDArray[Any]:
        labels: NDArray[Any] = self.classes_.take(is_positive == bool(self._positive))
        return labels

    def _both_classes(self, positive: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probability of the positive class and its rest, in the order of `classes_`."""
        result = np.empty((len(positive), 2))
        result[:, self._positive] = positive
        np.subtract(1.0, positive, out=result[:, 1 - self._positive])
        return result


def _new_name(names: Mapping[Any, Any], label: Any) -> Any:
    if label not in names:
        raise ValueError(f"The class {label!r} has no new name.")
    return names[label]


def check_threshold(threshold: Any) -> None:
    """Raise unless the parameter `threshold` is a probability or "prior"."""
    if not isinstance(threshold, str):
        check_number("threshold", threshold, 0.0, 1.0)
    elif threshold != "prior":
        raise ValueError(f"threshold must be a number or 'prior', got {threshold!r}.")


def threshold_as_number(threshold: Any, negative: float, positive: float) -> float:
    """Return the parameter `threshold` as a number; "prior" is the share of these weights.

    >>> threshold_as_number("prior", 3.0, 1.0), threshold_as_number(0.5, 3.0, 1.0)
    (0.25, 0.5)
    """
    if threshold == "prior":
        return positive / (negative + positive)
    return float(threshold)


def name_features(estimator: Any, names: tuple[str, ...] | None) -> None:
    """Set scikit-learn's `feature_names_in_`; without names, remove it."""
    if names is not None:
        estimator.feature_names_in_ = np.array(names, dtype=object)
    elif hasattr(estimator, "feature_names_in_"):
        del estimator.feature_names_in_
