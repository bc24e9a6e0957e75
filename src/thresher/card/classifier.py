"""The scikit-learn estimator: a card of points that says what a forest would say."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.validation import check_is_fitted

from thresher.answers import answers
from thresher.card.fitting import Size
from thresher.card.lesson import Floats, Lesson
from thresher.card.link import cut_at
from thresher.card.making import make_card
from thresher.card.readable import ReadableCardMixin
from thresher.column import Matrix, refuse_infinity
from thresher.explain.explained import ExplainedMixin
from thresher.explain.weighed import WeighedTrees
from thresher.matrix import Columns
from thresher.tree.additive import AdditiveTrees
from thresher.tree.sample import describe
from thresher.two_classes import TwoClassMixin
from thresher.validation import (
    check_integer,
    check_jobs,
    check_number,
    check_truth,
    draw_seed,
    thread_count,
)

MAX_SPLITS = 1000
MAX_TREES = 100


class ScoreCardClassifier(
    ReadableCardMixin, ExplainedMixin, TwoClassMixin, ClassifierMixin, BaseEstimator
):
    """Score card for two classes of which one is rare: few questions, points, and a sum.

    A forest is fitted first. The card is a sum of a few small trees that is near the forest's
    probabilities, those of the training rows as told by trees that had not seen them. Each leaf has
    whole points, -10 to 10; a row alerts if and only if its points add up to more than `cut_`.

    Parameters
    ----------
    estimator : estimator, default=None
        The model that the card says it like: one of this library with unseen scores, that is
        ImbalancedForestClassifier, which is the default, or ImbalancedBlendClassifier.
    max_splits : int, default=31
        Most questions on the card.
    max_trees : int, default=5
        Most trees that are added up.
    points : bool, default=True
        Whether leaves have whole points. Otherwise they add shares of a probability.
    refer : float, default=0.0
        Largest share of rows to refer: those whose sums are next to the cut, where card and forest
        disagree most. The share is kept on the training rows.
    n_estimators : int, default=200
        Trees of the default forest; another estimator has its own.
    derive : PairFeatures, default=None
        Columns made of two others, for the default forest.
    categorical_features : "from_dtype", None, or names, indices or booleans, default="from_dtype"
        Category columns, for the default forest; another estimator has its own.
    pos_label : object, default=None
        The positive class, for the default forest; by default the rarer one.
    random_state : int, RandomState or None, default=None
        Seed of made rows and of the estimator, where that has none of its own.
    n_jobs : int, default=None
        Threads; -1 for all processors. They change no result.

    Attributes
    ----------
    trees_ : AdditiveTrees
        The trees with their points, and the curve from the sum to a probability.
    threshold_ : float
        A row is positive if and only if its probability is above it.
    threshold_alert_ : float or None
        With `refer`: rows above it alert, rows between it and `threshold_` are referred.
    cut_ : float
        The same in points: a row is positive if and only if its sum is above it.
    classes_, pos_label_, positive_index_, columns_, n_features_in_, feature_names_in_
        As those of every model here.

    Notes
    -----
    The probability is a rising logistic curve of the sum, fitted to the forest's probabilities. The
    card is fitted on the training rows, so its own F1 there is too good; cross-validate it.

    Examples
    --------
    >>> from thresher import ScoreCardClassifier
    >>> from thresher.datasets import load_dataset
    >>> X, y = load_dataset("Thyroid1")
    >>> card = ScoreCardClassifier(max_splits=3, random_state=0).fit(X, y)
    >>> points = card.predict_score(X)
    >>> bool(((points > card.cut_) == (card.predict(X) == card.pos_label_)).all())
    True
    """

    trees_: AdditiveTrees
    columns_: Columns
    threshold_: float

    def __init__(
        self,
        estimator: Any = None,
        max_splits: int = 31,
        max_trees: int = 5,
        *,
        points: bool = True,
        refer: float = 0.0,
        n_estimators: int = 200,
        derive: Any = None,
        categorical_features: Any = "from_dtype",
        pos_label: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.max_splits = max_splits
        self.max_trees = max_trees
        self.points = points
        self.refer = refer
        self.n_estimators = n_estimators
        self.derive = derive
        self.categorical_features = categorical_features
        self.pos_label = pos_label
        self.random_state = random_state
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn: missing values welcome."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "trees_")

    # ----------------------------------------------------------------------------------------- fit

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the estimator, and the card to what it says.

        Parameters
        ----------
        X : data frame or array-like of shape (n_samples, n_features)
            pandas, polars, pyarrow or anything that NumPy reads; NaN and null are missing values.
        y : array-like of shape (n_samples,)
            Two classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of a row for the estimator and for the card.

        Returns
        -------
        self
        """
        self.check_parameters()
        teacher = self._teacher()
        seed = draw_seed(self.random_state)
        teacher.fit(X, y, sample_weight)
        return self.fit_to(teacher, seed=seed)

    def check_parameters(self) -> None:
        """Raise an error of one sentence for the first parameter that is out of range."""
        check_integer("max_splits", self.max_splits, low=1, high=MAX_SPLITS)
        check_integer("max_trees", self.max_trees, low=1, high=MAX_TREES)
        check_truth("points", self.points)
        check_number("refer", self.refer, 0.0, 1.0)
        check_jobs(self.n_jobs)

    def _teacher(self) -> Any:
        if self.estimator is not None:
            model = clone(self.estimator)
            if self.random_state is not None and getattr(model, "random_state", 0) is None:
                model.set_params(random_state=draw_seed(self.random_state) % 2**32)
            return model
        # By its public name: forests stand above cards, since they make some.
        import thresher

        return thresher.ImbalancedForestClassifier(
            self.n_estimators,
            derive=self.derive,
            categorical_features=self.categorical_features,
            pos_label=self.pos_label,
            random_state=self.random_state,
            n_jobs=self.n_jobs,
            n_bootstrap=0,
        )

    def stand_in(self) -> Any:
        """Return what is fitted instead on labels that mean nothing: the model without a card."""
        return self._teacher()

    def fit_to(self, model: Any, *, seed: int) -> Self:
        """Fit the card to a fitted forest or blend that still has its training rows."""
        if not hasattr(model, "fresh_lesson"):
            raise TypeError(
                "estimator must be an ImbalancedForestClassifier or an ImbalancedBlendClassifier, "
                f"got {type(model).__name__}."
            )
        return self.fit_lesson(model, model.fresh_lesson(seed))

    def fit_lesson(self, model: Any, lesson: Lesson) -> Self:
        """Fit the card to what a model with `columns_` and classes says of some rows."""
        self.check_parameters()
        made = make_card(
            lesson,
            model.columns_,
            Size(int(self.max_splits), int(self.max_trees)),
            points=bool(self.points),
            refer=float(self.refer),
            n_threads=thread_count(self.n_jobs),
        )
        describe(self, model.columns_, model.classes_, model.positive_index_)
        self.trees_, self.threshold_ = made.trees, made.threshold
        self.threshold_alert_ = made.threshold_alert
        self._training_rows = lesson.rows
        self.__dict__.pop("imitation_", None)
        return self

    # ------------------------------------------------------------------------------------- predict

    def predict_score(self, X: Any) -> Floats:
        """Return the sum of points of each row; they speak of the positive class."""
        return self._sums(self._matrix(X))

    def predict_proba(self, X: Any) -> Floats:
        """Return the probabilities, in the order of `classes_`."""
        return self._both_classes(self._positive_scores(X))

    def decision_function(self, X: Any) -> Floats:
        """Return by how many points a row is above `cut_`, on the side of `classes_[1]`."""
        above = self.predict_score(X) - self.cut_
        return above if self._positive == 1 else -above

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each row: positive if and only if its probability > `threshold_`.

        That is where its points are more than `cut_`. With `refer` it is a row that does not pass:
        an alert, or one to look at.
        """
        return self._labels(self._positive_scores(X) > self.threshold_)

    def decide(self, X: Any) -> NDArray[Any]:
        """Return "alert", "pass" or, with `refer`, "refer" for each row, an array of texts."""
        return answers(self._positive_scores(X), self.threshold_, self.threshold_alert_)

    def _positive_scores(self, X: Any) -> Floats:
        return self.matrix_scores(self._matrix(X))

    def _matrix(self, X: Any) -> Matrix:
        check_is_fitted(self)
        return self.columns_.matrix(X, type(self).__name__)

    def matrix_scores(self, matrix: Matrix) -> Floats:
        """Return the probability of the positive class for a matrix of `columns_`."""
        return self.trees_.probability(self._raw(matrix))

    def _sums(self, matrix: Matrix) -> Floats:
        # Exact: the base and all points are whole numbers of a power of two.
        return self._raw(matrix) - self.trees_.base

    def _raw(self, matrix: Matrix) -> Floats:
        try:
            return self.trees_.scores(matrix, thread_count(self.n_jobs))
        except OverflowError:
            refuse_infinity(matrix)
            raise

    @property
    def cut_(self) -> float:
        """Rows with more points are positive; halfway between two whole numbers of points."""
        return self.cut_at(self.threshold_)

    def cut_at(self, threshold: float) -> float:
        """Return the points that decide as a probability does, say of a threshold around this."""
        check_is_fitted(self)
        return cut_at(self.trees_, threshold, whole=self.has_whole_points)

    @property
    def has_whole_points(self) -> bool:
        """Whether all points are whole."""
        check_is_fitted(self)
        return bool((self.trees_.value == np.rint(self.trees_.value)).all())

    # ---------------------------------------------------------------------------------- to read it

    def weighed_trees(self) -> WeighedTrees:
        """Return the trees as an explanation reads them: their sum is the sum of points."""
        check_is_fitted(self)
        trees = self.trees_.weighed().scaled(1.0 / (self.trees_.slope or 1.0))
        return trees.scaled(1.0, -self.trees_.base)

    @property
    def n_splits_(self) -> int:
        """Number of questions on the card."""
        check_is_fitted(self)
        return int((~self.trees_.is_leaf).sum())
