"""One readable tree for any fitted classifier."""

from typing import Any

from thresher.threshold.imitated import ImitatedClassifier
from thresher.tree.classifier import ImbalancedTreeClassifier
from thresher.tree.imitation import check_size
from thresher.validation import draw_seed


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
