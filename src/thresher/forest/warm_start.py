"""The begin of a fit: anew, or with the trees of the last one."""

from dataclasses import replace
from typing import Any, NamedTuple
from warnings import warn

from thresher.forest.state import ForestState
from thresher.tree.sample import Sample, derive_columns
from thresher.validation import draw_seed


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
    sample = sample.with_pairs(forest.columns_.derived, getattr(forest, "derive_", None))
    return before, sample, _state(forest, sample, kept.seed).plus(kept.votes)


def _state(forest: Any, sample: Sample, seed: int) -> ForestState:
    state = ForestState.of(sample, forest.class_weight, seed=seed, is_sorted=False)
    return replace(state, training_rows=sample.to_grow)
