"""The trees of a forest as estimators, each made when it is asked for."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from thresher.tree.classifier import ImbalancedTreeClassifier
from thresher.tree.sample import describe
from thresher.tree.structure import Tree
from thresher.two_classes import threshold_as_number

if TYPE_CHECKING:
    from thresher.forest.classifier import ImbalancedForestClassifier


class Members(Sequence[ImbalancedTreeClassifier]):
    """A forest's trees: `members[3]`, `members[:5]`, `for tree in members`.

    A tree shows the share of positives in its leaves as they are, without the forest's smoothing.
    """

    def __init__(self, forest: "ImbalancedForestClassifier") -> None:
        self._forest = forest

    def __len__(self) -> int:
        return len(self._forest.forest_)

    @overload
    def __getitem__(self, index: int) -> ImbalancedTreeClassifier: ...
    @overload
    def __getitem__(self, index: slice) -> list[ImbalancedTreeClassifier]: ...
    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self._member(i) for i in range(*index.indices(len(self)))]
        return self._member(range(len(self))[index])

    def __repr__(self) -> str:
        return f"<{len(self)} trees>"

    def tree(self, index: int) -> Tree:
        """Return a tree without an estimator around it."""
        return self._forest.forest_.tree(
            index, self._forest.forest_state_.core_options(self._forest)
        )

    def importances(self) -> NDArray[np.float64]:
        """Return each column's share in the weighted gain of splits, averaged over the trees."""
        columns = self._forest.columns_
        shares = [self.tree(index).importances(columns.width) for index in range(len(self))]
        mean = columns.given_shares(np.mean(shares, axis=0))
        return mean / (mean.sum() or 1.0)

    def _member(self, index: int) -> ImbalancedTreeClassifier:
        forest = self._forest
        member = ImbalancedTreeClassifier(pruning=None, random_state=index)
        own = {"random_state", "importance"}
        shared = set(member.get_params()) & set(forest.get_params()) - own
        member.set_params(**{name: getattr(forest, name) for name in shared})
        member.min_samples_leaf = forest.min_samples_leaf_
        member.max_bins = forest.max_bins_
        describe(member, forest.columns_, forest.classes_, forest.positive_index_)
        member.tree_ = member.unpruned_tree_ = self.tree(index)
        member.threshold_ = threshold_as_number(member.threshold, *member.tree_.weight[0].tolist())
        return member
