"""How the trees of a forest are grown and vote, as plain data that any machine can be sent."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher import _core
from thresher.forest.smoothing import added_rows, smoothed
from thresher.forest.structure import Forest
from thresher.tree.growing import Growth


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
    smoothing, smoothing_m : how the votes of leaves are smoothed.
    prior : share of positives with the classes weighted as in growth.
    """

    growth: Growth
    is_category: NDArray[np.uint8]
    class_factors: tuple[float, float]
    seed: int
    bootstrap: str
    smoothing: str | None
    smoothing_m: float
    prior: float

    def options(self) -> _core.GrowOptions:
        """Return the parameters of growth in the units of the core."""
        return self.growth.core_options(len(self.is_category), self.class_factors, self.seed)

    def leaf_vote(self) -> tuple[float, float, float, float]:
        """Return how the core makes votes of counts: weights of the classes, rows added."""
        return *self.class_factors, *added_rows(self.smoothing, self.smoothing_m, self.prior)

    def values(self, forest: Forest) -> NDArray[np.float64]:
        """Return what each node of a forest votes."""
        counts = forest.counts * np.array(self.class_factors)
        return smoothed(counts, self.smoothing, self.smoothing_m, self.prior)


def bag_of(forest: Any) -> str:
    """Return how the trees of an estimator draw their rows, in the words of the core."""
    return "none" if forest.bootstrap is False else str(forest.bootstrap)
