"""The whole procedure once more: on other rows, or on labels that mean nothing.

A condition was chosen because it looked bad on the rows that grew the tree, so these rows cannot
speak for it. What can: trees grown without a row (out of fold), trees grown on bootstrap
samples, and trees grown on permuted labels, each read and shortened as the first one was.
"""

from collections.abc import Callable, Sequence
from math import ceil
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold, check_cv
from sklearn.utils.parallel import Parallel, delayed

from thresher.column import Matrix
from thresher.condition.condition import SIMILAR, Condition, Members, jaccard, members
from thresher.condition.counterparts import Counterparts
from thresher.condition.evidence import Tally
from thresher.condition.readable_tree import Reading, read_model
from thresher.errors import NoVotesError, RuleNotMetError
from thresher.frames import take_rows
from thresher.matrix import Columns
from thresher.progress import progress_bar
from thresher.statistics import Vector, fisher_p
from thresher.tree.classifier import single_leaves_allowed
from thresher.validation import jobs_for

COUNTERPART = 0.1
"""Least Jaccard similarity at which a condition of another tree can stand for one that is shown.

Low on purpose: to count only those that agree well would flatter conditions found by chance.
"""

MAX_TREES = 25
"""Of a forest that is fitted on permuted labels and bootstrap samples."""
MIN_RARE = 100
"""Rows of the rarer class that a sample of the table has on average."""

Labels = NDArray[Any]
Positive = NDArray[np.bool_]
Places = NDArray[np.intp]


class LabelledRows(NamedTuple):
    """A table in the codes of a model, its labels, and whether each row is positive."""

    matrix: Matrix
    labels: Labels
    is_positive: Positive


class Again(NamedTuple):
    """How models are fitted again: what draws, in how many threads, with a bar or without."""

    seed: int = 0
    n_jobs: int | None = None
    shown: bool = False

    def run(self, text: str, work: Callable[[Any], Any], items: Sequence[Any]) -> list[Any]:
        """Do the work for each item, in order."""
        with progress_bar(text, len(items), shown=self.shown) as done, single_leaves_allowed():
            # Threads: closures need no pickling, and the core lets others run while it grows.
            n_jobs = jobs_for(self.n_jobs, len(items))
            pool = Parallel(n_jobs, prefer="threads", return_as="generator")
            results = []
            for result in pool(delayed(work)(item) for item in items):
                results.append(result)
                done(len(results))
        return results


class ReadAgain(NamedTuple):
    """Conditions of another model, and the whole table in its codes."""

    conditions: Sequence[Condition]
    matrix: Matrix
    names: Sequence[str]

    @property
    def met(self) -> Members:
        """Which rows of the whole table meet each condition."""
        return members(self.conditions, self.matrix, self.names)


class Procedure(NamedTuple):
    """How conditions came about: the model, the rows that it was fitted on, how it was read.

    With `keeps_model` bootstrap samples make its imitation again, not the model.
    """

    model: Any
    X: Any
    rows: LabelledRows
    columns: Columns
    weights: Vector | None
    max_leaf_nodes: int
    shorten: bool
    is_sampled: bool = False
    keeps_model: bool = False

    def sampled(self, most: int, seed: int) -> tuple["Procedure", Places]:
        """Return the procedure for many fits, on about `most` rows, and which these are.

        More rows where one class is rare; all of them where they are not many more. A forest has
        fewer trees.
        """
        n, positive = len(self.rows.labels), int(self.rows.is_positive.sum())
        size = max(most, ceil(MIN_RARE * n / min(positive, n - positive)))
        whole = self._replace(is_sampled=True)
        if size >= n:
            return whole, np.arange(n)
        rows = np.sort(np.random.default_rng(seed).choice(n, size, replace=False))
        matrix, labels, is_positive = self.rows
        part = LabelledRows(matrix[rows], labels[rows], is_positive[rows])
        weights = None if self.weights is None else self.weights[rows]
        model = self.model.on_rows(rows) if self.keeps_model else self.model
        X = take_rows(self.X, rows)
        return whole._replace(model=model, X=X, rows=part, weights=weights), rows

    def read(self, reading: Reading, rows: Places, is_positive: Positive) -> Sequence[Condition]:
        """Read the conditions of a model as those of the first one, on the rows that grew it."""
        if not self.shorten:
            return reading.leaf_conditions()
        return reading.short_conditions(self._coded(reading.columns)[rows], is_positive[rows])

    def again(self, rows: Places, order: Places | None = None) -> "ReadAgain":
        """Fit and read on some rows, with labels in another `order` where one is given."""
        weights = {} if self.weights is None else {"sample_weight": self.weights[rows]}
        labels, is_positive = self.rows.labels, self.rows.is_positive
        if order is not None:
            labels, is_positive = labels[order], is_positive[order]
        try:
            model = self._unfitted().fit(take_rows(self.X, rows), labels[rows], **weights)
        except (NoVotesError, RuleNotMetError):
            # No threshold keeps the rule on these rows, as on labels that mean nothing: no alert.
            return ReadAgain((), self.rows.matrix, self.columns.wide_names)
        self._keep_threshold(model)
        return self._read_again(model, rows, is_positive)

    def imitated_again(self, rows: Places) -> "ReadAgain":
        """Read what imitates the same fitted model on some rows, as `again` does another fit."""
        return self._read_again(self.model.on_rows(rows), rows, self.rows.is_positive)

    def _read_again(self, model: Any, rows: Places, is_positive: Positive) -> "ReadAgain":
        reading = read_model(model, self.max_leaf_nodes)
        found = self.read(reading, rows, is_positive)
        return ReadAgain(found, self._coded(reading.columns), reading.names)

    def _unfitted(self) -> Any:
        """Return the model as it was before its fit, with the positive class that it found."""
        positive = self.rows.labels[self.rows.is_positive.argmax()]
        model = self.model
        if self.is_sampled and hasattr(model, "stand_in"):
            model = model.stand_in()
        names = model.get_params()
        wanted = {"pos_label": positive, "estimator__pos_label": positive, "n_bootstrap": 0}
        wanted |= self._anew("pairs") | self._anew("estimator__pairs")
        if self.is_sampled and "n_estimators" in names:
            wanted["n_estimators"] = min(model.n_estimators, MAX_TREES)
        if self.is_sampled and hasattr(model, "min_samples_leaf_"):
            # Chosen once: to choose again a hundred times would cost three forests each.
            wanted["min_samples_leaf"] = model.min_samples_leaf_
        return clone(model).set_params(
            **{name: value for name, value in wanted.items() if name in names}
        )

    def _anew(self, pairs: str) -> dict[str, Any]:
        """Return parameters that let a model choose derived columns again, without their test.

        Where the first model has kept none, the others, most of which would keep none, are
        spared the choice.
        """
        if not self.columns.derived:
            return {pairs: None}
        return {f"{pairs}__pairs": None, f"{pairs}__test": False}

    def _keep_threshold(self, fitted: Any) -> None:
        """Read other fits at the threshold of the first, unless they choose one of their own."""
        own = getattr(fitted, "threshold", None)
        chooses = getattr(fitted, "rule", None) is not None or own == "prior"
        if not chooses:
            fitted.threshold_ = self.model.threshold_

    def _coded(self, columns: Columns) -> Matrix:
        """Return the whole table in the codes of a model that may not have seen every level."""
        if columns == self.columns:
            return self.rows.matrix
        return columns.matrix(self.X, "conditions")


def permutation_p(
    procedure: Procedure, shown: Members, n_permutations: int, again: Again
) -> Vector:
    """Return adjusted p-values: how often the best condition on permuted labels is as good.

    "Good" by Fisher's test on the rows that grew the tree, with the single-step maximum of
    Westfall and Young: one probability of error for all conditions together.
    """
    is_positive = procedure.rows.is_positive

    def best_of_permuted(number: int) -> float:
        order = np.random.default_rng([again.seed, number]).permutation(len(is_positive))
        met = procedure.again(np.arange(len(order)), order).met
        return float(_p_inside(met, is_positive[order]).min(initial=1.0))

    best = np.array(again.run("Permuting labels", best_of_permuted, range(n_permutations)))
    p = _p_inside(shown, is_positive)
    # The slack makes equal tables of counts equal, whatever the rounding.
    as_good = best[None, :] <= p[:, None] * (1.0 + 1e-9)
    result: Vector = (1.0 + as_good.sum(axis=1)) / (1.0 + len(best))
    return result


def _p_inside(met: Members, is_positive: Positive) -> Vector:
    hits = (met & is_positive).sum(axis=1)
    return fisher_p(hits, met.sum(axis=1), int(is_positive.sum()), len(is_positive))


def stability(procedure: Procedure, shown: Members, n_bootstrap: int, again: Again) -> Vector:
    """Return the share of bootstrap samples whose tree finds a similar condition again."""
    find_again = procedure.imitated_again if procedure.keeps_model else procedure.again

    def finds(number: int) -> NDArray[np.bool_]:
        random = np.random.default_rng([again.seed, number])
        met = find_again(_bootstrap_rows(procedure.rows.is_positive, random)).met
        return np.asarray(jaccard(met, shown).max(axis=0, initial=0.0) >= SIMILAR)

    shares: Vector = np.mean(again.run("Drawing rows", finds, range(n_bootstrap)), axis=0)
    return shares


def _bootstrap_rows(is_positive: Positive, random: np.random.Generator) -> Places:
    while True:
        rows = random.integers(len(is_positive), size=len(is_positive))
        if 0 < is_positive[rows].sum() < len(rows):
            return rows


def fold_counterparts(
    procedure: Procedure, shown: Members, cv: Any, again: Again
) -> list[Counterparts]:
    """Return what stands for each shown condition on the rows of each fold.

    In a tree grown without a fold, the condition that shares most rows with the shown one
    (Jaccard, on the rows that grew it) stands for it, one for one, unless they share next to
    none.
    """
    is_positive = procedure.rows.is_positive

    def stand(split: tuple[Places, Places]) -> Counterparts:
        train, test = split
        found = procedure.again(train)
        pairs = counterparts(jaccard(found.met[:, train], shown[:, train]))
        standing = {place: found.conditions[other] for other, place in pairs}
        return Counterparts(standing, found.matrix[test], found.names, is_positive[test])

    splits = list(_splitter(cv, is_positive, again.seed).split(procedure.rows.matrix, is_positive))
    return again.run("Holding rows out", stand, splits)


def out_of_fold(folds: Sequence[Counterparts], n_conditions: int) -> Tally:
    """Count, for each shown condition, rows and positives that trees have not seen.

    The rows of a fold that meet what stands for it count, so that about as many rows are unseen as
    there are in training, as far as they were held out.
    """
    counts = [[fold.counted(place) for place in range(n_conditions)] for fold in folds]
    n, hits = np.sum(np.array(counts, dtype=np.int64).reshape(len(folds), -1, 2), axis=0).T
    judged = np.concatenate([fold.is_positive for fold in folds])
    return Tally(n, hits, len(judged), int(judged.sum()))


def counterparts(likeness: Vector) -> list[tuple[int, int]]:
    """Return pairs (row, column) of a table of likeness, most alike first, each at most once.

    >>> counterparts(np.array([[0.9, 0.8], [0.6, 0.05]]))
    [(0, 0)]
    """
    pairs = []
    left = np.where(likeness >= COUNTERPART, likeness, 0.0)
    while left.size and left.max() > 0.0:
        row, column = (int(place) for place in np.unravel_index(left.argmax(), left.shape))
        pairs.append((row, column))
        left[row, :], left[:, column] = 0.0, 0.0
    return pairs


def _splitter(cv: Any, is_positive: Positive, seed: int) -> Any:
    if isinstance(cv, int):
        return StratifiedKFold(cv, shuffle=True, random_state=seed % 2**32)
    return check_cv(cv, is_positive, classifier=True)
