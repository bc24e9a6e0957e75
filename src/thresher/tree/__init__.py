"""One decision tree: its structure, its growth, its pruning and its scikit-learn estimator."""

from thresher.tree.classifier import ImbalancedTreeClassifier
from thresher.tree.structure import Tree

__all__ = ["ImbalancedTreeClassifier", "Tree"]
