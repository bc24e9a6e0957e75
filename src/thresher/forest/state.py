"""What a fitted forest keeps of its fit, beside its trees."""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self
from warnings import warn

import numpy as np
from numpy.typing import NDArray

from thresher import _core
from thresher.forest.out_of_bag import OutOfBag
from thresher.forest.parameters import bins_for
from thresher.forest.recipe import Recipe, bag_of
from thresher.tree.growing import Growth
from thresher.tree.sample import Rows, Sample, derive_columns
from thresher.validation import class_factors, draw_seed


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
    row_weight : the sample weight that counts as one row.

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
    row_weight: float = 1.0

    @classmethod
    def of(cls, sample: Sample, class_weight: Any, *, seed: int, is_sorted: bool) -> Self:
        """Return the state of a fit on a sample, before any tree has voted."""
        factors = class_factors(class_weight, sample.classes, sample.positive, sample.totals)
        votes = OutOfBag.none(len(sample.to_grow.matrix))
        return cls(votes, sample.totals, factors, seed, is_sorted, row_weight=sample.row_weight)

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
        growth = Growth.of(forest, self.row_weight)
        growth = replace(growth, max_bins=bins_for(forest, self.n_rows))
        if self.leaf_size is not None:
            growth = replace(growth, min_samples_leaf=self.leaf_size)
        return Recipe(
            growth,
            forest.columns_.is_category,
            self.class_factors,
            self.seed,
            bag_of(forest),
            float(forest.random_cuts),
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


class Contents(NamedTuple):
    """What tells the training rows of one fit from those of another.

    Examples
    --------
    >>> print(Contents(400, 5, [0, 1], (363.0, 37.0)))
    400 rows, 5 columns and the classes [0, 1] (weight 363.0 against 37.0)
    """

    n_rows: int
    n_columns: int
    classes: list[Any]
    totals: tuple[float, float]

    def __str__(self) -> str:
        negative, positive = self.totals
        return (
            f"{self.n_rows} rows, {self.n_columns} columns and the classes {self.classes} "
            f"(weight {negative!r} against {positive!r})"
        )


def check_addition(before: int, n_estimators: int, there: Contents, here: Contents) -> None:
    """Raise unless `n_estimators` keeps the trees grown before, and the rows look the same.

    >>> rows = Contents(400, 5, [0, 1], (363.0, 37.0))
    >>> check_addition(50, 100, rows, rows)
    """
    if before > n_estimators:
        raise ValueError(
            f"n_estimators={n_estimators} must be at least {before}, the number of trees that "
            "warm_start=True keeps."
        )
    if here != there:
        raise ValueError(
            f"warm_start=True adds trees to those of the last fit, on {there}; X and y have "
            f"{here}; set warm_start=False for other data."
        )


def begin(forest: Any, sample: Sample) -> tuple[int, Sample, ForestState]:
    """Return the number of trees to keep, and the state with their seed and their votes.

    And the sample with derived columns: those of the trees to keep, or such as are chosen now.
    Warns the caller of the public method that calls this where no tree is to be added.
    """
    if not (forest.warm_start and hasattr(forest, "forest_")):
        sample = derive_columns(forest, sample)
        return 0, sample, _state(forest, sample, draw_seed(forest.random_state))
    kept, before = forest.forest_state_, len(forest.forest_)
    classes, n_rows = sample.classes.tolist(), len(sample.to_grow.matrix)
    there = Contents(kept.n_rows, forest.n_features_in_, forest.classes_.tolist(), kept.totals)
    here = Contents(n_rows, len(sample.columns), classes, sample.totals)
    check_addition(before, forest.n_estimators, there, here)
    if before == forest.n_estimators:
        warn("warm_start=True without a larger n_estimators grows no new trees.", stacklevel=3)
    sample = sample.with_pairs(forest.columns_.derived, getattr(forest, "pair_features_", None))
    return before, sample, _state(forest, sample, kept.seed).plus(kept.votes)


def _state(forest: Any, sample: Sample, seed: int) -> ForestState:
    state = ForestState.of(sample, forest.class_weight, seed=seed, is_sorted=False)
    return replace(state, training_rows=sample.to_grow)
