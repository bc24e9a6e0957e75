"""The whole procedure once more: on other rows, or on labels that mean nothing.

A condition was chosen because it looked bad on the rows that grew the tree, so these rows cannot
speak for it. What can: trees grown without a row (out of fold), trees grown on bootstrap
samples, and trees grown on permuted labels, each read and shortened as the first one was.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold, check_cv
from sklearn.utils.parallel import Parallel, delayed

from thresher.condition.condition import Condition, Members, jaccard, members
from thresher.condition.reading import Reading, read_model
from thresher.condition.statistics import Vector, fisher_p
from thresher.frames import Columns, Matrix, take_rows

SIMILAR = 0.5
"""Two conditions are similar if they share at least this part of the rows in either (Jaccard)."""

Labels = NDArray[Any]
Places = NDArray[np.intp]


class Found(NamedTuple):
    """The conditions of a model fitted again, and the rows of the whole table that meet them."""

    conditions: list[Condition]
    members: Members


class Procedure(NamedTuple):
    """How conditions came about: the model, its table and labels, and how it was read."""

    model: Any
    X: Any
    matrix: Matrix
    columns: Columns
    labels: Labels
    pos_label: Any
    sample_weight: Vector | None
    max_leaf_nodes: int
    shorten: bool

    @property
    def is_positive(self) -> NDArray[np.bool_]:
        """Whether each row is positive."""
        result: NDArray[np.bool_] = self.labels == self.pos_label
        return result

    def read(self, reading: Reading, rows: Places, labels: Labels) -> list[Condition]:
        """Read the conditions of a model as those of the first one, on the rows that grew it."""
        if not self.shorten:
            return reading.leaf_conditions()
        matrix = self._coded(reading.columns)[rows]
        return reading.short_conditions(matrix, labels[rows] == self.pos_label)

    def again(self, rows: Places, labels: Labels) -> Found:
        """Fit and read on some rows."""
        weights = {} if self.sample_weight is None else {"sample_weight": self.sample_weight[rows]}
        model = self._unfitted().fit(take_rows(self.X, rows), labels[rows], **weights)
        reading = read_model(model, self.max_leaf_nodes)
        conditions = self.read(reading, rows, labels)
        return Found(conditions, members(conditions, self._coded(reading.columns), reading.names))

    def _unfitted(self) -> Any:
        """Return the model as it was before its fit, with the positive class that it found."""
        names = self.model.get_params()
        wanted = [name for name in ("pos_label", "estimator__pos_label") if name in names]
        return clone(self.model).set_params(**dict.fromkeys(wanted, self.pos_label))

    def _coded(self, columns: Columns) -> Matrix:
        """Return the whole table in the codes of a model that may not have seen every level."""
        return self.matrix if columns == self.columns else columns.matrix(self.X, "conditions")


def permutation_p(
    procedure: Procedure, shown: Members, n_permutations: int, seed: int, n_jobs: int | None
) -> Vector:
    """Return adjusted p-values: how often the best of all conditions on permuted labels is better.

    "Better" by Fisher's test on the rows that grew the tree, with the single-step maximum of
    Westfall and Young: one probability of error for all conditions together.
    """

    def best_of_permuted(number: int) -> float:
        order = np.random.default_rng([seed, number]).permutation(len(procedure.labels))
        labels = procedure.labels[order]
        found = procedure.again(np.arange(len(labels)), labels)
        return float(_p_inside(found.members, labels == procedure.pos_label).min(initial=1.0))

    best = np.array(_repeated(best_of_permuted, range(n_permutations), n_jobs))
    p = _p_inside(shown, procedure.is_positive)
    result: Vector = (1.0 + (best[None, :] <= p[:, None]).sum(axis=1)) / (1.0 + len(best))
    return result


def _p_inside(met: Members, is_positive: NDArray[np.bool_]) -> Vector:
    hits = (met & is_positive).sum(axis=1)
    return fisher_p(hits, met.sum(axis=1), int(is_positive.sum()), len(is_positive))


def stability(
    procedure: Procedure, shown: Members, n_bootstrap: int, seed: int, n_jobs: int | None
) -> Vector:
    """Return the share of bootstrap samples whose tree finds a similar condition again."""

    def finds(number: int) -> NDArray[np.bool_]:
        rows = _bootstrap_rows(procedure, np.random.default_rng([seed, number]))
        found = procedure.again(rows, procedure.labels)
        likeness = jaccard(found.members, shown)
        return np.asarray(likeness.max(axis=0, initial=0.0) >= SIMILAR)

    return np.mean(_repeated(finds, range(n_bootstrap), n_jobs), axis=0)


def _bootstrap_rows(procedure: Procedure, random: np.random.Generator) -> Places:
    while True:
        rows = random.integers(len(procedure.labels), size=len(procedure.labels))
        if 0 < procedure.is_positive[rows].sum() < len(rows):
            return rows


def out_of_fold_counts(
    procedure: Procedure, shown: Members, cv: Any, seed: int, n_jobs: int | None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Count, for each shown condition, rows and positives among rows that trees have not seen.

    Each condition of a tree grown without a fold stands for the shown condition that it shares
    most rows with (Jaccard, on the rows that grew it). The fold's rows that meet it are counted
    there.
    """

    def count(split: tuple[Places, Places]) -> NDArray[np.int64]:
        train, test = split
        found = procedure.again(train, procedure.labels)
        likeness = jaccard(found.members[:, train], shown[:, train])
        tally = np.zeros((2, len(shown)), dtype=np.int64)
        for met, alike in zip(found.members[:, test], likeness, strict=True):
            if alike.max() > 0.0:
                tally[:, alike.argmax()] += met.sum(), (met & procedure.is_positive[test]).sum()
        return tally

    splits = list(_splitter(cv, procedure, seed).split(procedure.matrix, procedure.is_positive))
    n, hits = np.sum(_repeated(count, splits, n_jobs), axis=0)
    return n, hits


def _splitter(cv: Any, procedure: Procedure, seed: int) -> Any:
    if isinstance(cv, int):
        return StratifiedKFold(cv, shuffle=True, random_state=seed % 2**32)
    return check_cv(cv, procedure.is_positive, classifier=True)


def _repeated(work: Callable[[Any], Any], items: Sequence[Any], n_jobs: int | None) -> list[Any]:
    # Threads: closures need no pickling, and the core gives the interpreter free while it grows.
    return list(Parallel(n_jobs=n_jobs, prefer="threads")(delayed(work)(item) for item in items))
