"""Any classifier as a tree can imitate it: what it decides about rows that it has not seen."""

from copy import copy
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.metrics import f1_score
from sklearn.model_selection import StratifiedKFold

from thresher.frames import frame_kind, is_frame, mixed_cells, take_rows
from thresher.matrix import Columns
from thresher.threshold.classifier import ThresholdClassifier
from thresher.threshold.counts import Vector
from thresher.threshold.unseen import splitter
from thresher.tree.classifier import ImbalancedTreeClassifier
from thresher.tree.imitation import (
    Decisions,
    Exchanged,
    Taught,
    check_size,
    exchanged_rows,
    imitate_on,
)
from thresher.tree.sample import Rows, read_rows
from thresher.two_classes import TwoClassMixin
from thresher.validation import draw_seed, read_labels

FOLDS = 5
"""Of the unseen scores of a classifier without a threshold, and of the fidelity of its tree."""


class Fidelity(NamedTuple):
    """How well trees imitate a model, on training rows that neither had seen.

    Attributes
    ----------
    share : of the rows on which tree and model decide alike.
    f1 : of the tree's alerts with the model's as the truth.
    """

    share: float
    f1: float


class ImitatedClassifier(TwoClassMixin, ClassifierMixin, BaseEstimator):
    """Any two-class classifier with a threshold, fitted so that a tree can imitate it.

    `fit` scores the training rows out of fold. The tree learns the decisions about these rows,
    and about rows made of them, in the original columns, whatever the classifier does to them.

    Parameters
    ----------
    estimator : ThresholdClassifier
        Around the classifier.
    pos_label : label, default=None
        The positive class; by default the rarer one.
    seed : int, default=0
        Of made rows and folds.

    Attributes
    ----------
    estimator_ : the fitted ThresholdClassifier.
    X_, rows_ : the training rows, as they were given and as the tree reads them.
    unseen_ : their scores by models that had not seen them; NaN where there are none.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> X = np.linspace(0.0, 1.0, 200)[:, None]
    >>> model = ThresholdClassifier(LogisticRegression(C=1000.0), "f1")
    >>> tree = ImitatedClassifier(model).fit(X, X[:, 0] > 0.8).to_tree(4)
    >>> tree.predict([[0.7], [0.9]])
    array([False,  True])
    """

    categorical_features = "from_dtype"
    n_jobs = None
    rule = "of the classifier"
    """Its threshold is chosen again in each fit."""

    is_bare = False
    """Whether the classifier came without a threshold."""
    estimator_: ThresholdClassifier
    columns_: Columns
    rows_: Rows
    unseen_: Vector
    X_: Any

    def __init__(self, estimator: Any, *, pos_label: Any = None, seed: int = 0) -> None:
        self.estimator = estimator
        self.pos_label = pos_label
        self.seed = seed

    @classmethod
    def of(cls, model: Any, X: Any, y: Any, sample_weight: Any = None, seed: int = 0) -> Self:
        """Return a fitted classifier, with its own threshold where it has one, to be imitated.

        Otherwise the threshold is that of the best F1 on unseen scores.
        """
        is_own = isinstance(model, ThresholdClassifier)
        if not hasattr(model, "classes_"):
            raise ValueError(f"This {type(model).__name__} is not fitted; call its fit first.")
        around = model if is_own else bare_with_threshold(model, seed)
        found = cls(around, pos_label=model.pos_label_ if is_own else None, seed=seed)
        found.is_bare = not is_own
        if not found.can_be_fitted:
            found._read(X, y, sample_weight)
            found.estimator_, found.unseen_ = model, np.full(len(found.rows_.matrix), np.nan)
            return found
        found.fit(X, y, sample_weight)
        if is_own:
            found.estimator_ = model
        else:  # what somebody has fitted is explained, not another fit of it
            found.estimator_.estimator_ = model
        return found

    @property
    def can_be_fitted(self) -> bool:
        """Whether the classifier, which may have come fitted, can be fitted again."""
        return not (isinstance(self.estimator.cv, str) and self.estimator.cv == "prefit")

    @property
    def name(self) -> str:
        """The class of the classifier; of a pipeline that of its last step too."""
        inner = self.estimator_.estimator_
        last = inner.steps[-1][1] if hasattr(inner, "steps") else None
        return type(inner).__name__ + ("" if last is None else f" ({type(last).__name__})")

    @property
    def threshold_(self) -> float:
        """That of the classifier, where all rows have one."""
        return self.estimator_.threshold_

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the classifier, and score its training rows out of fold.

        Parameters
        ----------
        X : table
            Anything that both the classifier and a tree take.
        y : array-like
            Two classes.
        sample_weight : array-like, default=None

        Returns
        -------
        self
        """
        self._read(X, y, sample_weight)
        given = self.estimator
        by = splitter(given.cv, read_labels(y), given.random_state)
        splits = [*by.split(self.X_, y)]
        wanted = {"cv": splits, "n_bootstrap": 0, "pos_label": self.pos_label_}
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        self.estimator_ = _copied(given).set_params(**wanted).fit(self.X_, y, **weights)
        held_out = np.concatenate([np.asarray(test) for _, test in splits])
        self.unseen_ = np.full(len(self.rows_.matrix), np.nan)
        self.unseen_[held_out] = self.estimator_.threshold_state_.scores
        return self

    def _read(self, X: Any, y: Any, sample_weight: Any) -> None:
        sample = read_rows(self, X, y, sample_weight)
        sample.describe(self)
        self.rows_ = sample.to_grow
        self.X_ = X if is_frame(X) else np.asarray(X)

    def decisions(self) -> Decisions:
        """Whether it calls each training row positive, unseen where it has such a score."""
        decided: Decisions = self._above_unseen() > 0.0
        return decided

    def _above_unseen(self) -> Vector:
        """Return how far the scores of training rows are above their cuts, unseen if possible."""
        model, is_unseen = self.estimator_, ~np.isnan(self.unseen_)
        scores = model.threshold_state_.shifted(self.unseen_)
        above: Vector = scores - model.cuts_of(self.X_, len(scores))
        if not is_unseen.all():
            seen = np.flatnonzero(~is_unseen)
            above[seen] = self.estimator_.above_cuts(take_rows(self.X_, seen))
        return above

    def to_tree(
        self, max_leaf_nodes: int = 32, refer: float = 0.0, *, cv: None = None
    ) -> ImbalancedTreeClassifier:
        """Return the tree of at most so many leaves that decides as the classifier does."""
        n_rows, n_columns = self.rows_.matrix.shape
        numbers = np.broadcast_to(np.arange(n_rows)[:, None], (n_rows, n_columns))
        # Which row each cell of a made row comes from: the classifier wants cells as they were.
        places, origin = exchanged_rows(numbers, np.random.default_rng(self.seed))
        made = Exchanged(np.take_along_axis(self.rows_.matrix, places, axis=0), origin)
        of_made = self.estimator_.above_cuts(mixed_cells(self.X_, places))
        taught = Taught(self.rows_, made, np.concatenate([self._above_unseen(), of_made]))
        frame = frame_kind(self.X_)
        return imitate_on(
            self, taught, max_leaf_nodes, refer=refer, frame=frame, asked=self.estimator_
        )

    def on_rows(self, rows: NDArray[np.intp]) -> Self:
        """Return the same fitted classifier, to be imitated on some of its rows alone."""
        found = copy(self)
        found.X_, found.rows_ = take_rows(self.X_, rows), self.rows_.where(rows)
        found.unseen_ = self.unseen_[rows]
        return found

    def fidelity(self, max_leaf_nodes: int) -> Fidelity:
        """Return how well trees imitate it on rows that they have not seen, by cross-validation."""
        wanted = self.decisions()
        found = np.zeros(len(wanted), dtype=np.bool_)
        folds = StratifiedKFold(FOLDS, shuffle=True, random_state=self.seed % 2**32)
        for train, test in folds.split(self.rows_.matrix, self.rows_.is_positive):
            tree = self.on_rows(train).to_tree(max_leaf_nodes)
            found[test] = tree.predict(take_rows(self.X_, test)) == self.pos_label_
        share, f1 = (found == wanted).mean(), f1_score(wanted, found, zero_division=1)
        return Fidelity(float(share), float(f1))


def _copied(model: ThresholdClassifier) -> ThresholdClassifier:
    """Return the model as it was before its fit; one sentence where scikit-learn cannot do that."""
    try:
        copied: ThresholdClassifier = clone(model)
    except RuntimeError as error:  # CatBoost changes lists among its parameters
        raise ValueError(
            f"scikit-learn cannot copy this {type(model.estimator).__name__} ({error}); change "
            "that parameter, or give the fitted one as ThresholdClassifier(..., cv='prefit') and "
            "test its conditions with X_test and y_test."
        ) from None
    return copied


def bare_with_threshold(model: Any, seed: int) -> ThresholdClassifier:
    """Return a classifier with the threshold of the best F1 on unseen scores, not fitted."""
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed % 2**32)
    return ThresholdClassifier(model, "f1", cv=folds, n_bootstrap=0, random_state=seed % 2**32)


def distil(
    model: Any,
    X: Any,
    y: Any,
    max_leaf_nodes: int = 32,
    refer: float = 0.0,
    *,
    sample_weight: Any = None,
    random_state: Any = 0,
) -> ImbalancedTreeClassifier:
    """Return one tree that imitates a fitted classifier, small enough to read.

    Models of this library do it themselves (`to_tree`). Any other one, a pipeline too, is fitted
    again in 5 folds, so that the tree learns from scores of rows that the classifier had not seen.

    Parameters
    ----------
    model : fitted classifier of two classes
        Its threshold is imitated where it has one (a ThresholdClassifier, models of this library);
        otherwise that of the best F1 on unseen scores, which is seldom the one behind `predict`.
    X, y : table and labels
        The rows that it was fitted on.
    max_leaf_nodes : int, default=32
        Most leaves.
    refer : float, default=0.0
        Largest share of rows that the tree may refer to the classifier, or to whoever looks closer:
        `decide` answers "alert", "pass" or "refer". It is kept as far as trees that are grown
        without some of these rows can tell how many of such rows are referred.
    sample_weight : array-like, default=None
        As it was fitted with.
    random_state : int, RandomState or None, default=0
        Of folds and made rows; models of this library have their own seed.

    Returns
    -------
    ImbalancedTreeClassifier
        In the columns of X, whatever the classifier does to them. A tree that refers rows has
        `referred_`, `front_` and `referred_to_`, the classifier with its threshold.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from thresher import distil
    >>> from thresher.datasets import load_dataset
    >>> X, y = load_dataset("Thyroid1")
    >>> model = LogisticRegression(max_iter=1000).fit(X, y)
    >>> tree = distil(model, X, y, max_leaf_nodes=6, refer=0.1)
    >>> tree.get_n_leaves() <= 6, tree.referred_.share <= 0.1
    (True, True)
    """
    check_size(max_leaf_nodes, refer)
    if hasattr(model, "to_tree"):
        rows = {"X": X, "y": y, "sample_weight": sample_weight}
        quiet = {"cv": None} if hasattr(model, "oob_decision_function_") else {}
        tree: ImbalancedTreeClassifier = model.to_tree(max_leaf_nodes, refer, **rows, **quiet)
        return tree
    imitated = ImitatedClassifier.of(model, X, y, sample_weight, draw_seed(random_state))
    return imitated.to_tree(max_leaf_nodes, refer)
