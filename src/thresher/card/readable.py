"""A card to read: as text, as a picture, as one tree."""

from typing import TYPE_CHECKING, Any

from sklearn.utils.validation import check_is_fitted

from thresher.card.lesson import Floats
from thresher.card.plot import plot_card
from thresher.card.text import card_html, card_text
from thresher.column import Matrix
from thresher.tree.classifier import ImbalancedTreeClassifier
from thresher.tree.imitation import imitate, kept_imitation
from thresher.tree.sample import Rows, read_rows
from thresher.validation import check_integer

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class ReadableCardMixin:
    """What people look at; an estimator has the attributes of `ScoreCardClassifier`."""

    imitation_: ImbalancedTreeClassifier
    _training_rows: Rows | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the training rows."""
        base: Any = super()
        return {k: v for k, v in base.__getstate__().items() if k != "_training_rows"}

    @property
    def has_training_rows(self) -> bool:
        """Whether the rows of the fit are at hand; files and pickles leave them out."""
        return self._training_rows is not None

    def export_text(self, threshold: float | None = None) -> str:
        """Return the card as text: questions, points, and from which sum on it alerts.

        Parameters
        ----------
        threshold : float, default=None
            A threshold of probability around this card, instead of its own.
        """
        return card_text(self, threshold)

    def _repr_html_(self) -> str:
        return card_html(self) if hasattr(self, "trees_") else repr(self)

    def plot(self, *, ax: "Axes | None" = None) -> "Figure":
        """Draw the card on one page (A4) and return the figure; needs matplotlib.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Where to draw; a new page by default.
        """
        check_is_fitted(self)
        return plot_card(self, ax)

    def to_tree(
        self,
        max_leaf_nodes: int = 32,
        *,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        cv: None = None,
    ) -> ImbalancedTreeClassifier:
        """Return one tree that imitates the card's decisions, for conditions to be read from.

        Parameters
        ----------
        max_leaf_nodes : int, default=32
            Most leaves.
        X, y, sample_weight : as in fit, default=None
            The training rows, for a card from a file or a pickle; it has left them behind.
        cv : None
            As in `ImbalancedForestClassifier.to_tree`; there is no cross-validation here.
        """
        check_is_fitted(self)
        check_integer("max_leaf_nodes", max_leaf_nodes, low=2)
        if cv is not None:
            raise ValueError(f"cv must be None for {type(self).__name__}, got {cv!r}.")
        rows = self._training_rows
        if X is not None or y is not None:
            card: Any = self
            read = read_rows(self, X, y, sample_weight).to_grow
            rows = read._replace(matrix=card.columns_.matrix(X, type(self).__name__))
        if rows is None:
            return kept_imitation(self, max_leaf_nodes)
        tree = imitate(self, rows, self._above(rows.matrix), self._above, max_leaf_nodes, seed=0)
        tree.distillation_ = None
        return tree

    def _above(self, matrix: Matrix) -> Floats:
        card: Any = self
        above: Floats = card.matrix_scores(matrix) - card.threshold_
        return above

    def _parts(self) -> list[ImbalancedTreeClassifier]:
        return [self.imitation_] if hasattr(self, "imitation_") else []
