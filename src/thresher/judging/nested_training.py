"""Choose, fit and judge a model: every choice is made again inside each fold that judges it."""

import logging
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.errors import NoVotesError, TableError
from thresher.frames import take_rows
from thresher.judging.hold_out import HoldOut
from thresher.judging.judgement import Fold, Judgement, judged_by
from thresher.judging.recipe import Candidate, Recipe
from thresher.progress import progress_bar
from thresher.tables.features import Features, name_columns
from thresher.threshold.bootstrap import threshold_interval
from thresher.threshold.rules import RuleNotMetError
from thresher.threshold.score_counts import ScoreCounts
from thresher.threshold.search import ScoredRows
from thresher.threshold.unseen import (
    Problem,
    Rows,
    Unseen,
    can_vote,
    out_of_bag,
    out_of_fold,
)

BOOTSTRAPS = 200
MAX_ROWS_TO_RESAMPLE = 200_000

logger = logging.getLogger(__name__)


class Rival(NamedTuple):
    """A candidate with its unseen scores, the threshold chosen on them, and what it reaches there.

    `fitted` is the estimator where its scores needed it fitted on all rows.
    """

    candidate: Candidate
    unseen: Unseen
    scores: ScoreCounts
    threshold: float
    value: float
    fitted: Any


class Trained(NamedTuple):
    """The chosen candidate, fitted on all rows, its threshold, and all that competed."""

    estimator: Any
    chosen: Rival
    rivals: list[Rival]


class NestedJudgement(NamedTuple):
    """The judgement, its folds, and the judged rows with their scores, fold after fold."""

    judgement: Judgement
    folds: list[Fold]
    unseen: Unseen


@dataclass(frozen=True)
class Training:
    """A table to train on and how to do it.

    Attributes
    ----------
    recipe : candidates and rule.
    features, labels : the table.
    positive : the rare class.
    hold_out : how rows are held out.
    """

    recipe: Recipe
    features: Features
    labels: NDArray[Any]
    positive: str
    hold_out: HoldOut

    @property
    def is_positive(self) -> NDArray[np.bool_]:
        """Whether each row is of the positive class."""
        return self.hold_out.is_positive

    def at(self, rows: Rows) -> "Training":
        """Return the same for some of the rows."""
        features = self.features._replace(X=take_rows(self.features.X, rows))
        return replace(
            self, features=features, labels=self.labels[rows], hold_out=self.hold_out.at(rows)
        )

    def candidates(self) -> list[Candidate]:
        """Return the estimators that compete."""
        may_vote = not self.hold_out.is_bound
        return self.recipe.candidates(self.features, self.positive, may_vote=may_vote)

    def problem(self, estimator: Any) -> Problem:
        """Return the table for an estimator."""
        classes = np.unique(self.labels)
        place = int(np.flatnonzero(classes == self.positive)[0])
        return Problem(estimator, self.features.X, self.labels, classes, place)

    # ------------------------------------------------------------------------------ choose and fit

    def run(self) -> Trained:
        """Choose candidate and threshold on unseen scores, and fit the chosen one on all rows."""
        rivals = self._rivals()
        chosen = max(rivals, key=lambda rival: rival.value)
        fitted = chosen.fitted
        if fitted is None:
            fitted = chosen.candidate.estimator.fit(self.features.X, self.labels)
        fitted.threshold_ = chosen.threshold
        name_columns(fitted, self.features)
        return Trained(fitted, chosen, rivals)

    def _rivals(self) -> list[Rival]:
        """Return the candidates on which the rule can be met; raise where it is met on none."""
        rivals: list[Rival] = []
        missed: Exception | None = None
        for candidate in self.candidates():
            try:
                rivals.append(self._rival(candidate))
            except (RuleNotMetError, NoVotesError) as error:
                missed = error
        if not rivals:
            assert missed is not None
            if isinstance(missed, NoVotesError):
                raise TableError(
                    f"The table has {int(self.is_positive.sum())} rows of the class to find, too "
                    "few for a forest: take model='tree', or more rows."
                )
            raise missed
        return rivals

    def _rival(self, candidate: Candidate) -> Rival:
        unseen, fitted = self._score(candidate)
        scores = ScoreCounts.of(unseen.scores, self.is_positive[unseen.rows])
        share = float(self.is_positive.mean())
        threshold = self.recipe.make_rule().choose(scores.cuts(), share)
        value = self.recipe.value(scores.counts_at(threshold))
        return Rival(candidate, unseen, scores, threshold, value, fitted)

    def _score(self, candidate: Candidate) -> tuple[Unseen, Any]:
        """Score rows by models that have not seen them; a forest is fitted for it, once."""
        problem = self.problem(candidate.estimator)
        if can_vote(candidate.estimator) and not self.hold_out.is_bound:
            fitted = candidate.estimator.fit(problem.X, problem.labels)
            votes = out_of_bag(problem, fitted)
            assert votes is not None
            return votes, fitted
        return out_of_fold(problem, self.hold_out.splits()), None

    def interval(self, chosen: Rival) -> tuple[float, float] | None:
        """Return the central 95 % of thresholds over bootstrap samples; None for many rows."""
        if len(chosen.unseen.rows) > MAX_ROWS_TO_RESAMPLE:
            return None
        rows = ScoredRows.of(chosen.unseen.scores, self.is_positive[chosen.unseen.rows])
        rule = self.recipe.make_rule()
        low, high = threshold_interval(rows, rule, BOOTSTRAPS, self.recipe.seed)
        return None if np.isnan(low) else (low, high)

    # --------------------------------------------------------------------------------------- judge

    def judge(self, *, shown: bool = False) -> NestedJudgement:
        """Run the whole procedure without each fold, and judge it on the fold's rows."""
        splits = self.hold_out.splits()
        folds, unseen = [], []
        with progress_bar("Judging the model", len(splits), shown=shown) as done:
            for number, (train, test) in enumerate(splits):
                fold, scores = self._fold(train, test)
                folds.append(fold)
                unseen.append(Unseen(test, scores))
                done(number + 1)
        rows, scores = (np.concatenate(part) for part in zip(*unseen, strict=True))
        never = len(self.labels) - len(np.unique(rows))
        judgement = judged_by(
            folds, self.hold_out.words, never_judged=never, costs=self.recipe.costs
        )
        return NestedJudgement(judgement, folds, Unseen(rows, scores))

    def _fold(self, train: Rows, test: Rows) -> tuple[Fold, NDArray[np.float64]]:
        part = self.at(train)
        estimator, chosen, _ = part.run()
        X = take_rows(self.features.X, test)
        scores = self.problem(estimator).scores(estimator, X)
        outer = ScoreCounts.of(scores, self.is_positive[test])
        share = float(part.is_positive.mean())
        fold = Fold(chosen.threshold, chosen.candidate.name, chosen.scores, outer, share)
        return fold, scores
