"""What a fitted forest keeps of its fit, beside its trees."""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from thresher import _core
from thresher.forest.out_of_bag import OutOfBag
from thresher.forest.parameters import bins_for
from thresher.forest.recipe import Recipe, bag_of
from thresher.tree.growing import Growth
from thresher.tree.sample import Rows, Sample
from thresher.validation import class_factors


@dataclass(frozen=True, eq=False)
class ForestState:
    """Votes and weights of the training rows, and the seed of the draws.

    Attributes
    ----------
    votes : sum and number of the out-of-bag votes for each training row.
    totals : sample weight of the training rows, (negative, positive).
    class_factors : what `class_weight` multiplies these by.
    seed : of the rows and the columns that trees draw.
    is_sorted : whether the votes are not in the order of the rows given to `fit`.
    training_rows : the rows themselves, None where they are not at hand; pickles leave them out.
    importances : what `importance` found in the fit for each column, None for "impurity".
    leaf_size : least rows of a leaf where the forest chose it, None where its parameter tells.

    Examples
    --------
    >>> votes = OutOfBag(np.array([2**40, 0]), np.array([2, 0], dtype=np.int32))
    >>> state = ForestState(votes, (8.0, 2.0), (1.0, 4.0), seed=0, is_sorted=False)
    >>> state.n_rows, state.prior, state.weighted_prior
    (2, 0.2, 0.5)
    """

    votes: OutOfBag
    totals: tuple[float, float]
    class_factors: tuple[float, float]
    seed: int
    is_sorted: bool
    training_rows: Rows | None = None
    importances: NDArray[np.float64] | None = None
    leaf_size: int | None = None

    @classmethod
    def of(cls, sample: Sample, class_weight: Any, *, seed: int, is_sorted: bool) -> Self:
        """Return the state of a fit on a sample, before any tree has voted."""
        factors = class_factors(class_weight, sample.classes, sample.positive, sample.totals)
        votes = OutOfBag.none(len(sample.to_grow.matrix))
        return cls(votes, sample.totals, factors, seed, is_sorted)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the training rows."""
        return {**vars(self), "training_rows": None}

    @property
    def n_rows(self) -> int:
        """Number of training rows."""
        return len(self.votes.total)

    @property
    def prior(self) -> float:
        """Share of positives in the training rows."""
        negative, positive = self.totals
        return positive / (negative + positive)

    @property
    def weighted_prior(self) -> float:
        """Share of positives with the classes weighted as in growth."""
        negative, positive = np.array(self.totals) * self.class_factors
        return float(positive / (negative + positive))

    def recipe(self, forest: Any) -> Recipe:
        """Return how the trees of an estimator are grown, and vote."""
        growth = replace(Growth.of(forest), max_bins=bins_for(forest, self.n_rows))
        if self.leaf_size is not None:
            growth = replace(growth, min_samples_leaf=self.leaf_size)
        return Recipe(
            growth,
            forest.columns_.is_category,
            self.class_factors,
            self.seed,
            bag_of(forest),
            forest.smoothing,
            forest.smoothing_m,
            self.weighted_prior,
        )

    def core_options(self, forest: Any) -> _core.GrowOptions:
        """Return the options that trees of an estimator are grown with, and unpacked with."""
        return self.recipe(forest).options()

    def with_leaf_size(self, size: int) -> Self:
        """Return the state for trees whose leaves have at least so many rows."""
        return replace(self, leaf_size=size)

    def plus(self, votes: OutOfBag) -> Self:
        """Return the state with the votes of more trees."""
        return replace(self, votes=self.votes.plus(votes))
