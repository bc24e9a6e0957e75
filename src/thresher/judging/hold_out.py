"""How rows are held out: at random, whole groups at a time, or the later ones."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.errors import TableError

Rows = NDArray[np.intp]
Splits = list[tuple[Rows, Rows]]

STEPS = "steps in time"
"""What the words say where later rows are judged by several models, each of what came before."""


@dataclass(frozen=True)
class HoldOut:
    """The rows of a table as far as their folds go.

    Attributes
    ----------
    is_positive : of each row.
    groups : rows of one group are never on both sides; None for none.
    is_ordered : whether the rows stand in the order of time, so that only later ones are judged.
    count, seed : the number of folds, and what deals rows to them.
    """

    is_positive: NDArray[np.bool_]
    groups: NDArray[Any] | None
    is_ordered: bool
    count: int
    seed: int

    @property
    def is_bound(self) -> bool:
        """Whether time or groups bind rows together, so that votes out of bag would flatter."""
        return self.is_ordered or self.groups is not None

    @property
    def words(self) -> str:
        """How rows are held out, for people."""
        what = "groups" if self.groups is not None else "rows"
        if self.is_ordered:
            return f"{self.count} {STEPS}, each judged by what came before it"
        return f"{self.count} folds of {what}"

    def at(self, rows: Rows) -> "HoldOut":
        """Return the same for some of the rows, in fewer folds where these are too few."""
        groups = None if self.groups is None else self.groups[rows]
        is_positive = self.is_positive[rows]
        rare = int(min(is_positive.sum(), (~is_positive).sum()))
        most = rare if groups is None else min(rare, len(np.unique(groups)))
        count = max(2, min(self.count, most))
        return HoldOut(is_positive, groups, self.is_ordered, count, self.seed)

    def splits(self) -> Splits:
        """Return (train, test) positions; every training part has both classes."""
        found = [split for split in self._all() if self._has_both(split[0])]
        if not found:
            raise TableError(
                f"{self.words[0].upper()}{self.words[1:]} cannot be made: no part to train on has "
                "both classes; take fewer folds, or add rows of the rare class."
            )
        if not self._has_both(np.concatenate([test for _, test in found])):
            raise TableError(
                f"{self.words[0].upper()}{self.words[1:]}: the rows that are left to judge are of "
                "one class only, since the rare class lies in one stretch of the table; leave out "
                "time= and group=, or add rows of the rare class."
            )
        return found

    def _has_both(self, rows: Rows) -> bool:
        return bool(0 < self.is_positive[rows].sum() < len(rows))

    def _all(self) -> Splits:
        from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold, TimeSeriesSplit

        if self.is_ordered:
            return [self._apart(split) for split in TimeSeriesSplit(self.count).split(self.places)]
        how = {"n_splits": self.count, "shuffle": True, "random_state": self.seed}
        splitter = StratifiedKFold if self.groups is None else StratifiedGroupKFold
        return list(splitter(**how).split(self.places, self.is_positive, self.groups))

    @property
    def places(self) -> Rows:
        """The positions of the rows."""
        return np.arange(len(self.is_positive))

    def _apart(self, split: tuple[Rows, Rows]) -> tuple[Rows, Rows]:
        """Leave groups that are judged out of what is trained on."""
        train, test = split
        if self.groups is None:
            return train, test
        return train[~np.isin(self.groups[train], self.groups[test])], test

    def check(self) -> None:
        """Raise where there is too little of something for so many folds."""
        rare = int(min(self.is_positive.sum(), (~self.is_positive).sum()))
        groups = len(self.is_positive) if self.groups is None else len(np.unique(self.groups))
        for what, there in {"rows of the rare class": rare, "groups": groups}.items():
            if there < self.count:
                way_out = f"take folds={there}" if there > 1 else "two are needed at least"
                raise TableError(
                    f"The table has {there} {what}, too few for {self.count} folds: {way_out}."
                )
