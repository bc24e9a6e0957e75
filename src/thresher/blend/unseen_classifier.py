"""What models share that choose their threshold on unseen scores of all training rows."""

from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from thresher.blend.state import UnseenState
from thresher.column import Matrix, refuse_infinity
from thresher.errors import ParameterError
from thresher.explain.explained import ExplainedMixin
from thresher.explain.weighed import WeighedTrees
from thresher.forest.classifier import ImbalancedForestClassifier
from thresher.frames import frame_kind
from thresher.matrix import Columns
from thresher.threshold.counts import Vector
from thresher.threshold.rules import Rule
from thresher.threshold.state import ThresholdState
from thresher.threshold.thresholded import ThresholdedMixin
from thresher.tree.classifier import ImbalancedTreeClassifier
from thresher.tree.imitation import check_size, imitate, kept_imitation
from thresher.tree.sample import Rows, Sample, derive_columns, read_rows
from thresher.two_classes import TwoClassMixin
from thresher.validation import draw_seed

FOR_A_FOREST = {
    *("rule", "beta", "cost_fp", "cost_fn", "gain_tp", "gain_tn", "floor", "per_1000"),
    *(
        "correct_prior",
        "confidence",
        "miss",
        "false_alarm",
        "price",
        "categorical_features",
        "pos_label",
        "random_state",
        "n_jobs",
    ),
    "pairs",
}
"""Parameters that mean the same for a forest."""


class UnseenClassifier(
    ExplainedMixin,
    ThresholdedMixin,
    ClassifierMixin,
    BaseEstimator,
    ABC,
):
    """Parts that leave out rows, which they then score; the rule chooses on these scores.

    A class says in `checked_parameters` what it refuses, fits its parts in `_fit_parts` and scores
    rows in `_raw_scores`.
    """

    columns_: Columns
    n_features_in_: int
    imitation_: ImbalancedTreeClassifier
    unseen_state_: UnseenState
    categorical_features: Any
    pos_label: Any
    random_state: Any
    n_jobs: int | None

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn: missing values welcome."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "unseen_state_")

    @abstractmethod
    def checked_parameters(self) -> Rule:
        """Return the rule; raise one sentence for the first parameter that is out of range."""

    @abstractmethod
    def _fit_parts(self, sample: Sample, seed: int) -> Vector:
        """Fit the parts and return the unseen score of each row, NaN where it has none."""

    @abstractmethod
    def _raw_scores(self, matrix: Matrix) -> Vector:
        """Return the scores of the parts together, for the share of positives in the fit."""

    def weighed_trees(self) -> WeighedTrees:
        """Refuse: probabilities of several models are mixed, which is no sum of trees."""
        check_is_fitted(self)
        raise ParameterError(
            f"{type(self).__name__} mixes the probabilities of several models, and contributions "
            "to these do not add up; explain the tree that imitates it (to_tree), or a forest."
        )

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, X_unlabelled: Any = None) -> Self:
        """Fit the parts and choose the threshold on their unseen scores.

        Parameters
        ----------
        X : data frame or array-like of shape (n_samples, n_features)
            pandas, polars, pyarrow or anything that NumPy reads; NaN and null are missing values.
        y : array-like of shape (n_samples,)
            Two classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of a row in every part and in the choice of the threshold.
        X_unlabelled : table, default=None
            More rows to promise a budget of alerts on, of which nobody knows the class.

        Returns
        -------
        self
        """
        rule = self.checked_parameters()
        self._refuse_to_promise(None, X_unlabelled)
        sample = derive_columns(self, read_rows(self, X, y, sample_weight))
        seed, frame = draw_seed(self.random_state), frame_kind(X)
        return self.fit_sample(sample, rule, seed, frame=frame, X_unlabelled=X_unlabelled)

    def fit_sample(
        self,
        sample: Sample,
        rule: Rule,
        seed: int,
        *,
        frame: str | None = None,
        X_unlabelled: Any = None,
    ) -> Self:
        """Fit on rows that are read already, with parameters that are checked."""
        rows = sample.to_grow
        self._refuse_to_promise(rows.weights)
        refuse_infinity(rows.matrix)
        sample.describe(self)
        self.__dict__.pop("imitation_", None)
        scores = self._fit_parts(sample.in_rows(), seed)
        state = UnseenState(scores, sample.totals, seed, training_rows=rows)
        self.unseen_state_ = state
        chosen_on = ThresholdState.of(
            scores[state.is_scored],
            rows.is_positive[state.is_scored].astype(bool),
            None if rows.weights is None else rows.weights[state.is_scored],
            state.prior,
            correct_prior=self.correct_prior,
            seed=seed,
            frame_kind=frame,
        )
        more = None
        if X_unlabelled is not None:
            more = chosen_on.shifted(self._raw_scores(self._matrix(X_unlabelled)))
        self._settle(rule, chosen_on, more)
        return self

    @property
    def oob_decision_function_(self) -> NDArray[np.float64]:
        """Probabilities of the training rows by parts that had not seen them; NaN without any."""
        check_is_fitted(self)
        return self._both_classes(self.unseen_state_.scores)

    def _positive_scores(self, X: Any) -> Vector:
        check_is_fitted(self)
        return self.matrix_scores(self._matrix(X))

    def _matrix(self, X: Any) -> Matrix:
        matrix = self.columns_.matrix(X, type(self).__name__)
        refuse_infinity(matrix)
        return matrix

    def matrix_scores(self, matrix: Matrix) -> Vector:
        """Return the probability of the positive class for rows as `columns_` reads them."""
        return self.threshold_state_.shifted(self._raw_scores(matrix))

    def _parts(self) -> list[TwoClassMixin]:
        return [self.imitation_] if hasattr(self, "imitation_") else []

    # ----------------------------------------------------------------------------- one tree for it

    def to_tree(
        self,
        max_leaf_nodes: int = 32,
        refer: float = 0.0,
        *,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        cv: None = None,
    ) -> ImbalancedTreeClassifier:
        """Return one tree that imitates the model's decisions, small enough to read.

        Parameters
        ----------
        max_leaf_nodes : int, default=32
            Most leaves.
        refer : float, default=0.0
            Largest share of rows that the tree has not seen that it may refer to this model.
        X, y, sample_weight : as in fit, default=None
            The training rows, for a model from a file or a pickle; it has left them behind.
        cv : None
            As in `ImbalancedForestClassifier.to_tree`; there is no cross-validation here.

        Returns
        -------
        ImbalancedTreeClassifier
            `tree_.rows` are the training rows of its nodes with their true labels; its
            probabilities are shares of rows on which the model alerts. A tree that refers rows
            has `referred_`, `front_` and `referred_to_`.
        """
        check_is_fitted(self)
        check_size(max_leaf_nodes, refer)
        if cv is not None:
            raise ValueError(f"cv must be None for {type(self).__name__}, got {cv!r}.")
        rows = self._rows_to_imitate("to_tree", X, y, sample_weight)
        if rows is None:
            return kept_imitation(self, max_leaf_nodes, refer)
        above = self._unseen_scores(rows) - self.threshold_
        seed, frame = self.unseen_state_.seed, self.threshold_state_.frame_kind
        tree = imitate(
            self, rows, above, self._above, max_leaf_nodes, seed, refer=refer, frame=frame
        )
        tree.distillation_ = None
        return tree

    def stand_in(self) -> ImbalancedForestClassifier:
        """Return a forest, not fitted, with the same rule and columns.

        A hundred fits on labels that mean nothing, or on drawn rows, would cost hours with this
        model; what a forest finds in such rows is what chance holds for both.
        """
        shared = set(self.get_params(deep=False)) & FOR_A_FOREST
        parameters = {name: getattr(self, name) for name in shared}
        return ImbalancedForestClassifier(**parameters | {"rule": self.rule or "f1"})

    def _rows_to_imitate(self, user: str, X: Any, y: Any, sample_weight: Any) -> Rows | None:
        if X is None and y is None:
            return self.unseen_state_.training_rows
        rows = read_rows(self, X, y, sample_weight).to_grow
        if len(rows.matrix) != self.unseen_state_.n_rows:
            raise ValueError(
                f"{user} needs the {self.unseen_state_.n_rows} rows of the fit; X has "
                f"{len(rows.matrix)}."
            )
        return rows._replace(matrix=self.columns_.widened(rows.matrix, to_learn=True))

    @property
    def has_training_rows(self) -> bool:
        """Whether the rows of the fit are at hand; files and pickles leave them out."""
        return self.unseen_state_.training_rows is not None

    def _above(self, matrix: Matrix) -> Vector:
        return self.matrix_scores(matrix) - self.threshold_

    def _unseen_scores(self, rows: Rows) -> Vector:
        state = self.unseen_state_
        scores = self.threshold_state_.shifted(state.scores.copy())
        scores[~state.is_scored] = self.matrix_scores(rows.matrix[~state.is_scored])
        return scores
