"""What a forest says in one tree, or on one card, that people can read."""

from typing import Any

from sklearn.utils.validation import check_is_fitted

from thresher.card.carded import CardedMixin
from thresher.card.lesson import Floats
from thresher.forest.distillation import cross_validated, distil, unseen_scores
from thresher.forest.state import ForestState
from thresher.matrix import Columns
from thresher.tree.classifier import ImbalancedTreeClassifier
from thresher.tree.imitation import check_size, kept_imitation
from thresher.tree.sample import Rows, read_rows
from thresher.validation import check_integer


class ReadableForestMixin(CardedMixin):
    """A fitted forest that a small tree or a card imitates."""

    forest_state_: ForestState
    columns_: Columns
    n_features_in_: int

    def to_tree(
        self,
        max_leaf_nodes: int = 32,
        refer: float = 0.0,
        *,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        cv: int | None = 5,
    ) -> ImbalancedTreeClassifier:
        """Return one tree that imitates the forest's decisions, small enough to read.

        Parameters
        ----------
        max_leaf_nodes : int, default=32
            Most leaves.
        refer : float, default=0.0
            Largest share of rows that the tree may refer to the forest, or to whoever looks
            closer: `decide` answers "alert", "pass" or "refer". It is kept as far as trees that are
            grown without some training rows can tell how many of such rows are referred.
        X, y, sample_weight : as in fit, default=None
            The training rows, for a forest from a file or a pickle; it has left them behind.
        cv : int, default=5
            Folds of the cross-validation behind `distillation_`, each of which grows the forest
            anew; None for no cross-validation.

        Returns
        -------
        ImbalancedTreeClassifier
            `tree_.rows` are the training rows of its nodes with their true labels; its
            probabilities are shares of rows on which the forest alerts. `distillation_` tells its
            fidelity to the forest and its cross-validated F1 (None without `cv`); print it.
            A tree that refers rows has `referred_`, `front_` and `referred_to_`, too.

        Examples
        --------
        >>> from thresher import ImbalancedForestClassifier
        >>> from thresher.datasets import load_dataset
        >>> X, y = load_dataset("Yeast-me1")
        >>> forest = ImbalancedForestClassifier(100, random_state=0).fit(X, y)
        >>> tree = forest.to_tree(max_leaf_nodes=8, cv=None)
        >>> tree.get_n_leaves() <= 8
        True
        >>> tree = forest.to_tree(max_leaf_nodes=8, refer=0.05, cv=None)
        >>> 0.0 < tree.referred_.share <= 0.05
        True
        """
        check_is_fitted(self, "forest_")
        check_size(max_leaf_nodes, refer)
        if cv is not None:
            check_integer("cv", cv, low=2)
        rows = self._rows_to_imitate("to_tree", X, y, sample_weight)
        if rows is None:
            return kept_imitation(self, max_leaf_nodes, refer)
        forest: Any = self
        tree = distil(forest, rows, max_leaf_nodes, refer)
        if cv is not None:
            tree.distillation_ = cross_validated(forest, rows, max_leaf_nodes, refer, cv)
        else:
            tree.distillation_ = None
        return tree

    @property
    def has_training_rows(self) -> bool:
        """Whether the rows of the fit are at hand; files and pickles leave them out."""
        return self.forest_state_.training_rows is not None

    def _card_seed(self) -> int:
        return self.forest_state_.seed

    def _unseen_scores(self, rows: Rows) -> Floats:
        forest: Any = self
        return unseen_scores(forest, rows)

    def _rows_to_imitate(self, user: str, X: Any, y: Any, sample_weight: Any) -> Rows | None:
        if X is None and y is None:
            return self.forest_state_.training_rows
        sample = read_rows(self, X, y, sample_weight)
        rows = sample.to_grow
        n_rows, n_columns = self.forest_state_.n_rows, self.n_features_in_
        if rows.matrix.shape != (n_rows, n_columns):
            raise ValueError(
                f"{user} needs the rows of the fit, {n_rows} of {n_columns} columns; X has "
                f"{len(rows.matrix)} of {rows.matrix.shape[1]}."
            )
        return sample.with_pairs(self.columns_.derived).to_grow
