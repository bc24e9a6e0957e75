"""How a model scores a row, as plain data: what every export reads, and nothing else.

A score comes from trees or from a line; steps turn it into the probability of the positive class.
"""

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from thresher.frames import Columns, Levels
from thresher.threshold.prior_shift import scale_odds

Floats: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ScoringTree:
    """A tree: children stand behind their parent, node 0 is the root.

    Attributes
    ----------
    feature : column that an inner node asks about, -1 at leaves.
    cut : a number goes left if and only if it is at most this.
    left, right : child nodes, -1 at leaves.
    missing_left : whether a missing value or an unknown level goes left.
    level_set : row of `levels_left`, -1 where the node asks no category column.
    levels_left : for each set whether each level code, 0 to 255, goes left.
    value : what each leaf says.
    """

    feature: NDArray[np.int64]
    cut: Floats
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    missing_left: NDArray[np.bool_]
    level_set: NDArray[np.int64]
    levels_left: NDArray[np.bool_]
    value: Floats

    @property
    def leaves(self) -> list[int]:
        """The leaves, in order."""
        return np.flatnonzero(self.feature < 0).tolist()

    def left_levels(self, node: int, n_levels: int) -> list[int]:
        """Return the codes of the levels that go left at a node."""
        return np.flatnonzero(self.levels_left[self.level_set[node], :n_levels]).tolist()


@dataclass(frozen=True, eq=False)
class Trees:
    """Trees and how what they say becomes one score.

    Attributes
    ----------
    trees : in the order in which they are summed.
    combination : "only" (one tree), "votes" (their sum over their number), or a running mean
        `mean + (value - mean) * (1 / count)` ("shares") or `mean + (value - mean) / count`
        ("counts"): the order of operations decides the last bit.
    """

    trees: tuple[ScoringTree, ...]
    combination: str


@dataclass(frozen=True, eq=False)
class Line:
    """The score `X @ coefficients + intercept`; missing values have none."""

    coefficients: Floats
    intercept: float


@dataclass(frozen=True)
class Clip:
    """Step: the score, brought into [0, 1]."""

    def __call__(self, score: Floats) -> Floats:
        """Return probabilities."""
        return np.clip(score, 0.0, 1.0)


@dataclass(frozen=True)
class Logistic:
    """Step: 1 / (1 + exp(-score))."""

    def __call__(self, score: Floats) -> Floats:
        """Return probabilities."""
        with np.errstate(over="ignore"):
            result: Floats = 1.0 / (1.0 + np.exp(-score))
        return result


@dataclass(frozen=True)
class Complement:
    """Step: 1 - probability, where an inner model's positive class is the other one."""

    def __call__(self, score: Floats) -> Floats:
        """Return the probabilities of the other class."""
        return 1.0 - score


@dataclass(frozen=True)
class Odds:
    """Step: the odds times a factor, for another share of positives."""

    factor: float

    def __call__(self, score: Floats) -> Floats:
        """Return the moved probabilities."""
        return scale_odds(score, self.factor)


Step: TypeAlias = Clip | Logistic | Complement | Odds


@dataclass(frozen=True, eq=False)
class Scoring:
    """A model as exports see it: positive if and only if what it decides on is above `threshold`.

    Attributes
    ----------
    columns : names and levels of the columns.
    classes : the labels, sorted as in `classes_`.
    positive : place of the positive class among them.
    score : where the score comes from.
    steps : from the score to the probability of the positive class.
    threshold : what must be exceeded.
    decides_on_score : whether by the score before the steps, not by the probability.
    """

    columns: Columns
    classes: tuple[Any, Any]
    positive: int
    score: Trees | Line
    steps: tuple[Step, ...]
    threshold: float
    decides_on_score: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns; x[0], x[1], ... where the training table had none."""
        return self.columns.names or tuple(f"x[{place}]" for place in range(len(self.columns)))

    @property
    def levels(self) -> tuple[Levels | None, ...]:
        """Levels of the category columns, None for columns of numbers."""
        return self.columns.levels

    @property
    def has_leaves(self) -> bool:
        """Whether a row falls into one leaf."""
        return isinstance(self.score, Trees) and self.score.combination == "only"

    @property
    def used(self) -> list[int]:
        """The columns that the score depends on."""
        if isinstance(self.score, Line):
            return list(range(len(self.columns)))
        asked = [np.unique(tree.feature[tree.feature >= 0]) for tree in self.score.trees]
        return sorted({int(place) for places in asked for place in places})
