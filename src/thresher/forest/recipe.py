"""How the trees of a forest are grown and vote, as plain data that any machine can be sent."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher import _core
from thresher.forest.structure import Forest
from thresher.tree.growing import Growth

SMOOTHINGS = ("laplace", "m_estimate")


def added_rows(smoothing: str | None, m: float, prior: float) -> tuple[float, float]:
    """Return how many rows smoothing adds to a leaf: (positives, rows of both classes).

    >>> added_rows("m_estimate", m=2.0, prior=0.1)
    (0.2, 2.0)
    """
    if smoothing == "laplace":
        return 1.0, 2.0
    return (m * prior, m) if smoothing == "m_estimate" else (0.0, 0.0)


def smoothed(counts: NDArray[Any], of_positive: float, of_both: float) -> NDArray[np.float64]:
    """Return the probability of the positive class from weights of (negative, positive).

    `of_positive` and `of_both` are the weights that smoothing adds: of one row each class
    ("laplace"), or of m rows of the mix of all ("m_estimate").

    Examples
    --------
    >>> smoothed(np.array([[2.0, 2.0]]), *added_rows("laplace", m=2.0, prior=0.1)).tolist()
    [0.5]
    >>> smoothed(np.array([[0.0, 2.0]]), *added_rows("m_estimate", m=2.0, prior=0.1)).tolist()
    [0.55]
    """
    negative, positive = counts[:, 0], counts[:, 1]
    result: NDArray[np.float64] = (positive + of_positive) / (negative + positive + of_both)
    return result


@dataclass(frozen=True, eq=False)
class Recipe:
    """What a tree depends on beside its number and its rows.

    Attributes
    ----------
    growth : how a tree is grown.
    is_category : 1 for each category column.
    class_factors : what the weights of the (negative, positive) class are multiplied by.
    seed : of the rows and the columns that trees draw.
    bootstrap : how trees draw rows, in the words of the core.
    random_cuts : share of trees that draw their cuts.
    smoothing, smoothing_m : how the votes of leaves are smoothed.
    prior : share of positives with the classes weighted as in growth.
    """

    growth: Growth
    is_category: NDArray[np.uint8]
    class_factors: tuple[float, float]
    seed: int
    bootstrap: str
    random_cuts: float
    smoothing: str | None
    smoothing_m: float
    prior: float

    def options(self) -> _core.GrowOptions:
        """Return the parameters of growth in the units of the core."""
        return self.growth.core_options(len(self.is_category), self.class_factors, self.seed)

    def options_of(self, tree: int) -> _core.GrowOptions:
        """Return the same for one tree, by its number."""
        splitter = "random" if _core.draws_cuts(tree, self.random_cuts) else "best"
        growth, seed = replace(self.growth, splitter=splitter), _core.tree_seed(self.seed, tree)
        return growth.core_options(len(self.is_category), self.class_factors, seed)

    def leaf_vote(self) -> tuple[float, float, float, float]:
        """Return how the core makes votes of counts: weights of the classes, rows added."""
        return *self.class_factors, *self._added_weight()

    def values(self, forest: Forest) -> NDArray[np.float64]:
        """Return what each node of a forest votes."""
        counts = forest.counts * np.array(self.class_factors)
        return smoothed(counts, *self._added_weight())

    def _added_weight(self) -> tuple[float, float]:
        """Return the weight that smoothing adds to a leaf: (positives, rows of both classes)."""
        of_positive, of_both = added_rows(self.smoothing, self.smoothing_m, self.prior)
        return of_positive * self.growth.row_weight, of_both * self.growth.row_weight


def bag_of(forest: Any) -> str:
    """Return how the trees of an estimator draw their rows, in the words of the core."""
    return "none" if forest.bootstrap is False else str(forest.bootstrap)
