"""Greedy growth of a card by brute force: every question of every leaf, in NumPy."""

from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

MISSING = 255


@dataclass
class Leaf:
    """Rows of a leaf, and its value."""

    rows: np.ndarray
    tree: int
    value: float = 0.0


@dataclass
class Reference:
    """A sum of trees as a list of leaves; every row is in one leaf of each tree."""

    codes: np.ndarray
    categorical: np.ndarray
    target: np.ndarray
    weight: np.ndarray
    ridge: float
    min_weight: float
    leaves: list = field(default_factory=list)
    n_trees: int = 0
    intercept: float = 0.0

    def __post_init__(self):
        self.refit()

    @property
    def residual(self):
        said = np.full(len(self.target), self.intercept)
        for leaf in self.leaves:
            said[leaf.rows] += leaf.value
        return self.target - said

    def loss(self):
        values = np.array([leaf.value for leaf in self.leaves])
        return (self.weight * self.residual**2).sum() + self.ridge * (values**2).sum()

    def gain_of(self, rows, left, value):
        """Return by how much the loss falls if a leaf of these rows is split, values chosen anew.

        It is the loss of the best one value less that of the best two.
        """
        pull = self.weight * (self.residual + value)

        def saved(part):
            return pull[part].sum() ** 2 / (self.weight[part].sum() + self.ridge)

        sides = rows[left], rows[~left]
        if min(self.weight[side].sum() for side in sides) < self.min_weight:
            return -np.inf
        return sum(map(saved, sides)) - saved(rows)

    def questions(self, feature, rows):
        """Return every way in which a column may deal rows to two sides: codes that go left."""
        seen = sorted(set(self.codes[rows, feature].tolist()) - {MISSING})
        if self.categorical[feature]:
            sets = [
                set(some) for size in range(1, len(seen) + 1) for some in combinations(seen, size)
            ]
        else:
            sets = [set(seen[:size]) for size in range(1, len(seen) + 1)]
        return [one | more for one in sets for more in (set(), {MISSING})]

    def best_gain(self, max_trees):
        """Return the largest gain of any split of any leaf, or of a new tree."""
        places = [(leaf.rows, leaf.value) for leaf in self.leaves]
        if self.n_trees < max_trees:
            places.append((np.arange(len(self.target)), 0.0))
        return max(
            self.gain_of(rows, np.isin(self.codes[rows, feature], list(left)), value)
            for rows, value in places
            for feature in range(self.codes.shape[1])
            for left in self.questions(feature, rows)
        )

    def refit(self):
        for _ in range(2):
            for leaf in self.leaves:
                pull = (self.weight * (self.residual + leaf.value))[leaf.rows].sum()
                leaf.value = pull / (self.weight[leaf.rows].sum() + self.ridge)
        self.intercept += np.average(self.residual, weights=self.weight)
