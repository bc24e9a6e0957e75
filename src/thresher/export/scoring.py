"""How a model scores a row, as plain data: what every export reads, and nothing else.

A score comes from trees or from a line; steps turn it into the probability of the positive class.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from thresher.column import Levels
from thresher.matrix import Columns
from thresher.pair import Pair
from thresher.threshold.groups import Group
from thresher.threshold.prior_shift import scale_odds


@dataclass(frozen=True)
class CostCut:
    """The cut (fp + gain_tn + least_saving) / (fp + fn + gain_tp + gain_tn); 1 if that is 0 / 0.

    `fp` and `fn` are columns of the table to score, or numbers that hold for all of its rows. Sums
    are from left to right: their order decides the last bit.
    """

    fp: str | float
    fn: str | float
    gain_tp: float
    gain_tn: float
    least_saving: float

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns with costs."""
        return tuple(dict.fromkeys(one for one in (self.fp, self.fn) if isinstance(one, str)))


@dataclass(frozen=True)
class GroupCut:
    """The cut of the group that a column of the model names; others have the threshold."""

    place: int
    groups: tuple[Group, ...]
    cuts: tuple[float, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns beside those of the model."""
        return ()


RowCut: TypeAlias = CostCut | GroupCut


# ---------------------------------------------------------------------------------------- the score

Floats: TypeAlias = NDArray[np.float64]

ZERO = float(np.float32(1e-35))
"""What is not further from zero is zero, where zeros are missing values."""


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
    levels_left : for each set whether each level code goes left.
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
    combination : "only" (one tree), "sum" (`base` and their sum), "votes" (their sum over their
        number), or a running mean `mean + (value - mean) * (1 / count)` ("shares") or
        `mean + (value - mean) / count` ("counts"): the order of operations decides the last bit.
    base : what a sum begins with.
    """

    trees: tuple[ScoringTree, ...]
    combination: str
    base: float = 0.0


@dataclass(frozen=True, eq=False)
class Line:
    """The score `X @ coefficients + intercept`; missing values have none."""

    coefficients: Floats
    intercept: float


Score: TypeAlias = Trees | Line


@dataclass(frozen=True)
class Clip:
    """Step: the score, brought into [0, 1]."""

    def __call__(self, score: Floats) -> Floats:
        """Return probabilities."""
        return np.clip(score, 0.0, 1.0)


@dataclass(frozen=True)
class Logistic:
    """Step: 1 / (1 + exp(-slope * score))."""

    slope: float = 1.0

    def __call__(self, score: Floats) -> Floats:
        """Return probabilities."""
        with np.errstate(over="ignore"):
            result: Floats = 1.0 / (1.0 + np.exp(-self.slope * score))
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
    cut : what gives rows a cut of their own instead; None for nothing.
    threshold_alert : what alerts exceed, where rows between the two are referred; otherwise None.
    decides_on_score : whether by the score before the steps, not by the probability.
    zero_is_missing : columns of numbers in which what is within `ZERO` is missing.
    is_rounded : whether the model adds in 32 bits, where exports add in 64: probabilities are
        within 1e-6 then, and so are those whose decisions differ from the threshold.
    """

    columns: Columns
    classes: tuple[Any, Any]
    positive: int
    score: Score
    steps: tuple[Step, ...]
    threshold: float
    decides_on_score: bool = False
    zero_is_missing: frozenset[int] = frozenset()
    is_rounded: bool = False
    cut: RowCut | None = None
    threshold_alert: float | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the given columns; x[0], x[1], ... where the training table had none."""
        return self.columns.given_names

    @property
    def levels(self) -> tuple[Levels | None, ...]:
        """Levels of the given columns, None for columns of numbers."""
        return self.columns.levels

    @property
    def wide_levels(self) -> tuple[Levels | None, ...]:
        """The same of the columns that trees ask: the given ones, then the derived ones."""
        return self.columns.wide_levels

    @property
    def has_leaves(self) -> bool:
        """Whether a row falls into one leaf."""
        return isinstance(self.score, Trees) and self.score.combination == "only"

    @property
    def used(self) -> list[int]:
        """The given columns that the score depends on."""
        asked, n_given = self._asked, len(self.columns)
        parts = {part for pair in self.derived.values() for part in pair.parts}
        return sorted({place for place in asked if place < n_given} | parts)

    @cached_property
    def derived(self) -> dict[int, Pair]:
        """The derived columns that the score depends on, by the place at which trees ask them."""
        pairs = enumerate(self.columns.derived, start=len(self.columns))
        return {place: pair for place, pair in pairs if place in self._asked}

    @cached_property
    def _asked(self) -> set[int]:
        if isinstance(self.score, Line):
            return set(range(len(self.columns)))
        asked = [np.unique(tree.feature[tree.feature >= 0]) for tree in self.score.trees]
        return {int(place) for places in asked for place in places}
