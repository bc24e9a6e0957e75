"""What models share that a card can be made of."""

from typing import Any

from sklearn.utils.validation import check_is_fitted

from thresher.card.classifier import ScoreCardClassifier
from thresher.card.lesson import Floats, Lesson
from thresher.column import Matrix
from thresher.tree.sample import Rows


class CardedMixin:
    """A fitted model of two classes that says what it thinks of rows that it has not seen."""

    def _card_seed(self) -> int:
        """Return the seed of made rows."""
        return 0

    def _rows_to_imitate(self, user: str, X: Any, y: Any, sample_weight: Any) -> Rows | None:
        """Return the training rows: those that are given, or else kept; None without any."""
        raise NotImplementedError  # each kind of model has its own

    def _unseen_scores(self, rows: Rows) -> Floats:
        """Return the score of each training row, as far as possible by what has not seen it."""
        raise NotImplementedError  # each kind of model has its own

    def matrix_scores(self, matrix: Matrix) -> Floats:
        """Return the probability of the positive class for rows as `columns_` reads them."""
        raise NotImplementedError  # each kind of model has its own

    def to_scorecard(
        self,
        max_splits: int = 31,
        max_trees: int = 5,
        points: bool = True,
        *,
        refer: float = 0.0,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
    ) -> ScoreCardClassifier:
        """Return a card of points that says what the model says, on one page.

        Parameters
        ----------
        max_splits : int, default=31
            Most questions.
        max_trees : int, default=5
            Most trees that are added up.
        points : bool, default=True
            Whether leaves have whole points, -10 to 10.
        refer : float, default=0.0
            Largest share of rows to refer, those whose sums are next to the cut.
        X, y, sample_weight : as in fit, default=None
            The training rows, for a model without them: from a file, from a pickle, or taken over.

        Returns
        -------
        ScoreCardClassifier

        Examples
        --------
        >>> from thresher import ImbalancedForestClassifier
        >>> from thresher.datasets import load_dataset
        >>> X, y = load_dataset("Thyroid1")
        >>> forest = ImbalancedForestClassifier(100, random_state=0).fit(X, y)
        >>> card = forest.to_scorecard(max_splits=3)
        >>> card.n_splits_ <= 3, bool(abs(card.trees_.value).max() <= 10)
        (True, True)
        """
        check_is_fitted(self)
        model: Any = self
        card = ScoreCardClassifier(
            max_splits=max_splits,
            max_trees=max_trees,
            points=points,
            refer=refer,
            derive=getattr(model, "derive", None),
            categorical_features=getattr(model, "categorical_features", "from_dtype"),
            pos_label=model.pos_label,
            random_state=getattr(model, "random_state", None),
            n_jobs=model.n_jobs,
        )
        card.check_parameters()
        rows = self._rows_to_imitate("to_scorecard", X, y, sample_weight)
        return card.fit_lesson(self, self.card_lesson(rows, self._card_seed()))

    def card_lesson(self, rows: Rows | None, seed: int) -> Lesson:
        """Return what a card learns from this model on its training rows."""
        if rows is None:
            raise ValueError(
                "This model came from a file or a pickle, without its training rows: give X and y "
                "to to_scorecard."
            )
        return Lesson.of(self, rows, self._unseen_scores(rows), self.matrix_scores, seed)

    def fresh_lesson(self, seed: int) -> Lesson:
        """Return what a card learns from this model right after its fit."""
        return self.card_lesson(self._rows_to_imitate("to_scorecard", None, None, None), seed)
