"""The members of a blend: how each is fitted, and what it says of rows that it has not seen."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from thresher.blend.boosted import BoostedTreesClassifier
from thresher.blend.committee import Committee, fit_committee
from thresher.blend.folds import deal_folds
from thresher.blend.kernel_machine import fit_kernel_machine
from thresher.blend.logistic_line import fit_logistic_line
from thresher.blend.preparation import level_counts
from thresher.column import Matrix
from thresher.forest.classifier import ImbalancedForestClassifier
from thresher.forest.state import begin
from thresher.forest.training_rows import NumberedRows
from thresher.threshold.counts import Vector
from thresher.threshold.platt import Platt, logits
from thresher.tree.sample import Rows, Sample


class Model(Protocol):
    """A fitted member."""

    def matrix_scores(self, matrix: Matrix) -> Vector:
        """Return a score from 0 to 1 for each row."""


class Member(NamedTuple):
    """A fitted member and the curve that puts its scores on the scale of all."""

    name: str
    model: Model
    curve: Platt

    def log_odds(self, matrix: Matrix) -> Vector:
        """Return the member's log-odds of each row."""
        return self.curve.log_odds(logits(self.model.matrix_scores(matrix)))


class Setting(NamedTuple):
    """What members are fitted with.

    Attributes
    ----------
    sample : the rows.
    n_estimators : trees of the forest; the forest of random cuts has half as many.
    cv : folds of the committees.
    seed : of all draws.
    n_jobs : threads.
    """

    sample: Sample
    n_estimators: int
    cv: int
    seed: int
    n_jobs: int | None

    @property
    def rows(self) -> Rows:
        """The training rows."""
        return self.sample.to_grow


Fitted = tuple[Model, Vector]
"""A member and the unseen scores of the training rows, NaN where a row has none."""


def fit_member(name: str, setting: Setting) -> tuple[Member, Vector]:
    """Fit a member; return it and the log-odds of the training rows by what had not seen them."""
    model, unseen = FITTERS[name](setting)
    scored, rows = ~np.isnan(unseen), setting.rows
    found = np.full(len(unseen), np.nan)
    found[scored] = logits(unseen[scored])
    weights = np.ones(len(unseen)) if rows.weights is None else rows.weights
    positive = np.where(rows.is_positive, weights, 0.0)[scored]
    curve = Platt.fit(found[scored], weights[scored] - positive, positive, penalty=1.0)
    return Member(name, model, curve), curve.log_odds(found)


# ----------------------------------------------------------------------------------------- fitting


def _fit_forest(setting: Setting) -> Fitted:
    return _grow(setting, n_estimators=setting.n_estimators, random_state=setting.seed)


def _fit_random_cuts(setting: Setting) -> Fitted:
    # Another seed: the same one would draw the same rows for its trees as for the forest's.
    seed, trees = (setting.seed + 1) % 2**64, max(1, setting.n_estimators // 2)
    return _grow(setting, n_estimators=trees, random_state=seed, splitter="random")


def _grow(setting: Setting, **parameters: Any) -> Fitted:
    forest = ImbalancedForestClassifier(
        rule=None, n_bootstrap=0, n_jobs=setting.n_jobs, **parameters
    )
    _, sample, state = begin(forest, setting.sample)
    sample.describe(forest)
    rule = forest.checked_rule()
    forest.fit_sample(sample, NumberedRows(setting.rows), rule, state)
    return forest, forest.forest_state_.votes.probability


def _fit_boosted(setting: Setting) -> Fitted:
    model = BoostedTreesClassifier(
        rule=None,
        n_bootstrap=0,
        cv=setting.cv,
        random_state=setting.seed,
        n_jobs=setting.n_jobs,
    )
    model.fit_sample(setting.sample, model.checked_parameters(), setting.seed)
    return model, model.unseen_state_.scores


def _fit_folds(fit: Callable[[Rows, NDArray[np.intp]], Any], setting: Setting) -> Fitted:
    rows = setting.rows
    n_levels = level_counts(setting.sample.columns, rows.matrix.shape[1])
    fold = deal_folds(rows, setting.cv, setting.seed)
    found: tuple[Committee, Vector] = fit_committee(
        rows, fold, lambda part, held: fit(part, n_levels)
    )
    return found


FITTERS: dict[str, Callable[[Setting], Fitted]] = {
    "forest": _fit_forest,
    "random_cuts": _fit_random_cuts,
    "boosted": _fit_boosted,
    "svm": partial(_fit_folds, fit_kernel_machine),
    "logistic": partial(_fit_folds, fit_logistic_line),
}
