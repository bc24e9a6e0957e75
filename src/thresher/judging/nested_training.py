"""Choose, fit and judge a model: every choice is made again inside each fold that judges it."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from thresher.errors import NoVotesError, RuleNotMetError, TableError
from thresher.frames import take_rows
from thresher.judging.candidates import Candidate, Candidates
from thresher.judging.contest import Contest, Entry, Money, MoneyContest, Standing
from thresher.judging.hold_out import HoldOut
from thresher.judging.judgement import Fold, Judgement, judged_by
from thresher.judging.recipe import Recipe
from thresher.pairs.features import PairFeatures
from thresher.progress import progress_bar
from thresher.tables.features import Features
from thresher.threshold.by_row import NOTHING, ByRow
from thresher.threshold.counts import Counts, Vector
from thresher.threshold.groups import Groups
from thresher.threshold.promise import OUT_OF_BAG, OUT_OF_FOLD, Promise, ReferPromise
from thresher.threshold.row_cuts import CostCuts, GroupCuts, RowCuts
from thresher.threshold.rules import choose_pair
from thresher.threshold.score_counts import ScoreCounts
from thresher.threshold.unseen import (
    Problem,
    Rows,
    Unseen,
    can_vote,
    out_of_bag,
    out_of_fold,
)

Done: TypeAlias = Callable[[int], None]

logger = logging.getLogger(__name__)


class Rival(NamedTuple):
    """A candidate with its unseen scores, the threshold chosen on them, and what it reaches there.

    Attributes
    ----------
    candidate : the estimator, not fitted, and its name.
    unseen, scores : scores of rows by models that have not seen them, by row and as counts.
    threshold : what the rule chose on these scores.
    fitted : the estimator where its scores needed it fitted on all rows.
    standing : what it reaches among all candidates.
    groups : of the scored rows, with factors, where groups have cuts of their own.
    threshold_alert : above it rows alert, where those between are referred; otherwise None.
    """

    candidate: Candidate
    unseen: Unseen
    scores: ScoreCounts
    threshold: float
    fitted: Any
    standing: Standing | None = None
    groups: Groups | None = None
    threshold_alert: float | None = None

    def scaled(self, scores: Vector, groups: Groups | None) -> Vector:
        """Return scores of rows in some groups on the scale of the threshold."""
        if self.groups is None or groups is None:
            return scores
        return replace(self.groups, codes=groups.codes).scaled(scores)


class Trained(NamedTuple):
    """The chosen candidate, fitted on all rows, all that competed, and what pairs were found."""

    estimator: Any
    chosen: Rival
    rivals: list[Rival]
    pairing: PairFeatures | None = None


class NestedJudgement(NamedTuple):
    """How a procedure was judged.

    Attributes
    ----------
    judgement, folds : the judgement, and the folds behind it.
    unseen : the judged rows with their scores, fold after fold.
    inner, outer : by fold, rows of the table with the scores that chose, and those that judge.
    """

    judgement: Judgement
    folds: list[Fold]
    unseen: Unseen
    inner: list[Unseen]
    outer: list[Unseen]


@dataclass(frozen=True)
class Training:
    """A table to train on and how to do it.

    Attributes
    ----------
    recipe : candidates and rule.
    features, labels : the table.
    positive : the rare class.
    hold_out : how rows are held out.
    pairing : what looks for columns made of two others, None for nothing.
    by_row : costs or groups of the rows, where they have cuts of their own.
    """

    recipe: Recipe
    features: Features
    labels: NDArray[Any]
    positive: str
    hold_out: HoldOut
    pairing: PairFeatures | None = None
    by_row: ByRow = NOTHING

    @property
    def is_positive(self) -> NDArray[np.bool_]:
        """Whether each row is of the positive class."""
        return self.hold_out.is_positive

    def at(self, rows: Rows) -> "Training":
        """Return the same for some of the rows."""
        features = self.features._replace(X=take_rows(self.features.X, rows))
        return replace(
            self,
            features=features,
            labels=self.labels[rows],
            hold_out=self.hold_out.at(rows),
            by_row=self.by_row.take(rows),
        )

    def candidates(self) -> list[Candidate]:
        """Return the estimators that compete."""
        return self._candidates(self._paired())

    def _candidates(self, found: PairFeatures | None) -> list[Candidate]:
        pairs = [] if found is None else [pair.named(self.features.names) for pair in found.pairs_]
        may_vote = not self.hold_out.is_bound
        return Candidates(self.recipe, self.features, self.positive, may_vote, pairs).listed()

    def _paired(self) -> PairFeatures | None:
        """Look for columns made of two others that earn their place on these rows."""
        if self.pairing is None:
            return None
        found: PairFeatures = clone(self.pairing)
        return found.fit(self.features.X, self.labels)

    def problem(self, estimator: Any) -> Problem:
        """Return the table for an estimator."""
        classes = np.unique(self.labels)
        place = int(np.flatnonzero(classes == self.positive)[0])
        return Problem(estimator, self.features.X, self.labels, classes, place)

    # ------------------------------------------------------------------------------ choose and fit

    def run(self, *, shown: bool = False) -> Trained:
        """Choose candidate and threshold on unseen scores, and fit the chosen one on all rows."""
        with progress_bar("Comparing candidates", self._steps, shown=shown) as done:
            return self._run(done)

    @property
    def _steps(self) -> int:
        """How many candidates there are at most."""
        return 2 * len(Candidates(self.recipe, self.features, self.positive).listed())

    def _run(self, done: Done) -> Trained:
        found = self._paired()
        rivals = self._rivals(self._candidates(found), done)
        chosen = self.choose(rivals)
        return Trained(self._fitted(chosen), chosen, rivals, found)

    def _fitted(self, chosen: Rival) -> Any:
        """Return the chosen estimator, fitted on all rows, with its threshold."""
        fitted = chosen.fitted
        if fitted is None:
            fitted = chosen.candidate.estimator.fit(self.features.X, self.labels)
        fitted.threshold_, fitted.threshold_alert_ = chosen.threshold, chosen.threshold_alert
        cuts = self._cuts(chosen)
        if cuts is not None:
            fitted.row_cuts_ = cuts
        return fitted

    def _cuts(self, chosen: Rival) -> RowCuts | None:
        """Return what gives rows cuts of their own."""
        if chosen.groups is not None:
            groups = chosen.groups
            return GroupCuts(groups.column, groups.names, groups.cuts(chosen.threshold))
        if self.by_row.costs is None:
            return None
        assert self.recipe.costs is not None
        return CostCuts(self.recipe.costs, 0.0, *self.recipe.cost_columns)

    def decide(self, chosen: Rival, unseen: Unseen) -> NDArray[np.bool_]:
        """Return the decisions about scored rows of the table."""
        by_row = self.by_row.take(unseen.rows)
        if by_row.costs is not None:
            return unseen.scores > by_row.costs.cuts()
        return chosen.scaled(unseen.scores, by_row.groups) > chosen.threshold

    def choose(self, rivals: list[Rival]) -> Rival:
        """Return the simplest candidate within the noise of the best; `rivals` get standings."""
        entries = [self._entry(rival) for rival in rivals]
        contest: Contest | MoneyContest
        contest = Contest(self.is_positive, self.recipe.values, self.recipe.seed)
        if self.by_row.costs is not None:
            contest = MoneyContest(self.is_positive, self.by_row.costs)
        standings = contest.standings(entries)
        rivals[:] = [
            rival._replace(standing=one) for rival, one in zip(rivals, standings, strict=True)
        ]
        return rivals[contest.winner(entries, standings)]

    def _entry(self, rival: Rival) -> Entry:
        is_alert, is_known = (np.zeros(len(self.labels), dtype=np.bool_) for _ in range(2))
        is_alert[rival.unseen.rows] = self.decide(rival, rival.unseen)
        is_known[rival.unseen.rows] = True
        is_sure = None
        if rival.threshold_alert is not None:
            is_sure = np.zeros(len(self.labels), dtype=np.bool_)
            is_sure[rival.unseen.rows] = rival.unseen.scores > rival.threshold_alert
        return Entry(rival.candidate.complexity, is_alert, is_known, is_sure)

    def _rivals(self, candidates: list[Candidate], done: Done) -> list[Rival]:
        """Return the candidates on which the rule can be met; raise where it is met on none."""
        rivals: list[Rival] = []
        missed: Exception | None = None
        for place, candidate in enumerate(candidates):
            found = self._tried(candidate)
            if isinstance(found, Rival):
                rivals.append(found)
            else:
                missed = found
            done(place + 1)
        if not rivals:
            assert missed is not None
            if isinstance(missed, NoVotesError):
                raise TableError(
                    f"The table has {int(self.is_positive.sum())} rows of the class to find, too "
                    "few for a forest: take model='tree', or more rows."
                )
            raise missed
        return rivals

    def _tried(self, candidate: Candidate) -> Rival | Exception:
        """Return a candidate with its scores, or why it cannot compete."""
        try:
            return self._rival(candidate)
        except (RuleNotMetError, NoVotesError) as error:
            return error

    def _rival(self, candidate: Candidate) -> Rival:
        unseen, fitted = self._score(candidate)
        truth, groups = self.is_positive[unseen.rows], self.by_row.groups
        shown = unseen.scores
        if groups is not None:
            groups = groups.take(unseen.rows).fitted(unseen.scores, truth, None)
            shown = groups.scaled(unseen.scores)
        scores = ScoreCounts.of(shown, truth)
        share = float(self.is_positive.mean())
        threshold, alert = choose_pair(self.recipe.make_rule(), scores.cuts(), share)
        more: dict[str, Any] = {"groups": groups, "threshold_alert": alert}
        return Rival(candidate, unseen, scores, threshold, fitted, **more)

    def _votes(self, candidate: Candidate) -> bool:
        """Whether a candidate scores its own training rows."""
        return can_vote(candidate.estimator) and not self.hold_out.is_bound

    def _score(self, candidate: Candidate) -> tuple[Unseen, Any]:
        """Score rows by models that have not seen them; a forest is fitted for it, once."""
        problem = self.problem(candidate.estimator)
        if self._votes(candidate):
            fitted = candidate.estimator.fit(problem.X, problem.labels)
            votes = out_of_bag(problem, fitted)
            assert votes is not None
            return votes, fitted
        return out_of_fold(problem, self.hold_out.splits()), None

    def promise(self, chosen: Rival) -> Promise | ReferPromise | None:
        """Return what the chosen threshold promises; other models scored its rows."""
        unseen = OUT_OF_BAG if self._votes(chosen.candidate) else OUT_OF_FOLD
        return self.recipe.promise(chosen.scores, chosen.threshold, unseen)

    # --------------------------------------------------------------------------------------- judge

    def judge(self, *, shown: bool = False) -> NestedJudgement:
        """Run the whole procedure without each fold, and judge it on the fold's rows."""
        splits, steps = self.hold_out.splits(), self._steps
        folds, inner, outer = [], [], []
        with progress_bar("Judging the model", len(splits) * steps, shown=shown) as done:
            for number, (train, test) in enumerate(splits):
                trained, part = self._fitted_on(train, partial(_after, number * steps, done))
                fold, chose, scores = self._fold(trained, part, train, test)
                folds.append(fold)
                inner.append(chose)
                outer.append(Unseen(test, scores))
        rows, scores = (np.concatenate(part) for part in zip(*outer, strict=True))
        never = len(self.labels) - len(np.unique(rows))
        judgement = judged_by(
            folds,
            self.hold_out.words,
            never_judged=never,
            costs=self.recipe.costs,
            price=self.recipe.price,
        )
        return NestedJudgement(judgement, folds, Unseen(rows, scores), inner, outer)

    def _fitted_on(self, rows: Rows, done: Done) -> tuple[Trained, "Training"]:
        part = self.at(rows)
        return part._run(done), part

    def _fold(
        self, trained: Trained, part: "Training", train: Rows, test: Rows
    ) -> tuple[Fold, Unseen, NDArray[np.float64]]:
        estimator, chosen, *_ = trained
        X = take_rows(self.features.X, test)
        scores = self.problem(estimator).scores(estimator, X)
        truth, by_row = self.is_positive[test], self.by_row.take(test)
        shown = chosen.scaled(scores, by_row.groups)
        name, alert = chosen.candidate.name, chosen.threshold_alert
        outer = ScoreCounts.of(shown, truth, chosen.threshold, alert)
        share = float(part.is_positive.mean())
        fold = Fold(chosen.threshold, name, chosen.scores, outer, share, threshold_alert=alert)
        if by_row.costs is not None:
            is_alert = self.decide(chosen, Unseen(test, scores))
            money = Money.of(by_row.costs, is_alert, truth)
            fold = replace(fold, decided=Counts.of(is_alert, truth), money=money)
        chose = Unseen(train[chosen.unseen.rows], chosen.unseen.scores)
        return fold, chose, shown


def _after(before: int, done: Done, more: int) -> None:
    done(before + more)
