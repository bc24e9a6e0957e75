"""Scores of rows by models that have not seen them: held out, out of bag, or out of fold.

Whatever a threshold is chosen on or a model is judged by comes from here.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import StratifiedShuffleSplit, check_cv
from sklearn.utils.parallel import Parallel, delayed

from thresher.frames import take_rows
from thresher.threshold.counts import Vector
from thresher.threshold.rules import RULE_PARAMETERS
from thresher.tree.classifier import single_leaves_allowed
from thresher.validation import check_integer, check_number, jobs_for, read_random
from thresher.wording import quoted

Rows = NDArray[np.intp]
Splits = Iterable[tuple[Any, Any]]


class Unseen(NamedTuple):
    """Scores of rows.

    Attributes
    ----------
    rows : which row each score belongs to. A row that is never held out has none; a row that is
        held out several times has several.
    scores : of the positive class.
    """

    rows: Rows
    scores: Vector


class Problem(NamedTuple):
    """What a fold needs: the estimator, the table, its labels, the classes, the positive one."""

    estimator: Any
    X: Any
    labels: NDArray[Any]
    classes: NDArray[Any]
    positive: int

    def scores(self, fitted: Any, X: Any) -> Vector:
        """Return the scores of the positive class: probabilities where the estimator has them."""
        if list(fitted.classes_) != list(self.classes):
            raise ValueError(
                f"The estimator knows the classes {list(fitted.classes_)}, but y has "
                f"{list(self.classes)}."
            )
        return positive_scores(fitted, X, self.positive)


def positive_scores(fitted: Any, X: Any, positive: int) -> Vector:
    """Return the probability of a class, or the decision function towards it."""
    if hasattr(fitted, "predict_proba"):
        return np.asarray(fitted.predict_proba(X)[:, positive], dtype=np.float64)
    decision = np.asarray(fitted.decision_function(X), dtype=np.float64)
    return decision if positive == 1 else -decision


def scorer_of(estimator: Any) -> Any:
    """Return an estimator that scores like another one, not fitted, and chooses no threshold.

    Where scores are all that is asked for, a rule costs time, and these rows may not keep it.
    """
    scorer = clone(estimator)
    known = scorer.get_params(deep=False)
    if "rule" not in known or "estimator" in known:
        return scorer
    off = {"rule": None, "n_bootstrap": 0, "threshold_by": None}
    off |= dict.fromkeys(name for name in RULE_PARAMETERS if name != "beta")
    return scorer.set_params(**{name: value for name, value in off.items() if name in known})


def held_out(problem: Problem, fitted: Any) -> Unseen:
    """Score all rows of the problem by a model that was fitted on others."""
    return Unseen(np.arange(len(problem.labels)), problem.scores(fitted, problem.X))


def can_vote(estimator: Any) -> bool:
    """Whether an estimator scores its training rows by members that have not seen them."""
    bootstrap = getattr(estimator, "bootstrap", None)
    return hasattr(type(estimator), "oob_decision_function_") and bootstrap is not False


def out_of_bag(problem: Problem, fitted: Any) -> Unseen | None:
    """Return the unseen scores that a model keeps of its training rows, those of the problem.

    None where it has none.
    """
    votes = getattr(fitted, "oob_decision_function_", None)
    if votes is None or len(votes) != len(problem.labels):
        return None
    scores = votes[:, problem.positive]
    rows = np.flatnonzero(~np.isnan(scores))
    return Unseen(rows, scores[rows])


def splitter(cv: Any, labels: NDArray[Any], random_state: Any) -> Any:
    """Return the splitter behind `cv`: a number of folds, a share to hold out, or itself."""
    if isinstance(cv, float | np.floating):
        check_number("cv", cv, 0.0, above=True)
        if cv >= 1.0:
            raise ValueError(f"cv as a share of the rows must be below 1, got {cv!r}.")
        read_random(random_state)  # which raises for what is none
        return StratifiedShuffleSplit(1, test_size=float(cv), random_state=random_state)
    is_list = isinstance(cv, list | tuple) or (isinstance(cv, np.ndarray) and cv.ndim > 0)
    are_pairs = is_list and all(hasattr(one, "__len__") and len(one) == 2 for one in cv)
    if isinstance(cv, bool | int | np.bool_ | np.integer):
        check_integer("cv", cv, low=2)
    elif isinstance(cv, str | np.ndarray | list | tuple) and not are_pairs:
        raise ValueError(
            "cv must be a number of folds, a share of rows, a splitter, a list of splits or "
            f"'prefit', got {quoted(cv)}."
        )
    return check_cv(cv, labels, classifier=True)


def out_of_fold(
    problem: Problem, splits: Splits, fit_params: dict[str, Any] | None = None, n_jobs: Any = None
) -> Unseen:
    """Fit a clone for each split and score the rows that were held out."""
    tasks = [delayed(_score_fold)(problem, train, test, fit_params or {}) for train, test in splits]
    with single_leaves_allowed():
        found = Parallel(n_jobs=jobs_for(n_jobs, len(tasks)))(tasks)
    return Unseen(*(np.concatenate(part) for part in zip(*found, strict=True)))


def _score_fold(problem: Problem, train: Any, test: Any, fit_params: dict[str, Any]) -> Unseen:
    # A process that fits a fold sends back its scores, not its model.
    return fitted_and_scored(problem, train, test, fit_params)[1]


def checked_splits(splits: Splits, n_rows: int) -> list[tuple[Rows, Rows]]:
    """Return splits as positions; raise where a row is held out twice or trained on as well."""
    found = [(_positions(train), _positions(test)) for train, test in splits]
    every = np.concatenate([test for _, test in found]) if found else np.empty(0, np.intp)
    if np.bincount(every % n_rows).max(initial=0) > 1:
        raise ValueError(
            "confidence counts a row once, but cv holds out some rows several times; take a cv "
            "that holds out each row once at most."
        )
    if any(np.isin(test, train).any() for train, test in found):
        raise ValueError(
            "confidence needs rows that the model has not seen, but a split of cv trains on rows "
            "that it holds out."
        )
    return found


def fitted_and_scored(
    problem: Problem, train: Any, test: Any, fit_params: dict[str, Any]
) -> tuple[Any, Unseen]:
    """Fit a clone on rows of a split; return it with its scores of the rows that it holds out."""
    train, test = _positions(train), _positions(test)
    labels = problem.labels[train]
    if len(np.unique(labels)) < 2:
        raise ValueError(
            "A split of cv has rows of one class only to train on; use fewer folds, or a splitter "
            "whose training rows hold both classes."
        )
    params = {
        name: take_rows(value, train) if _is_by_row(value, len(problem.labels)) else value
        for name, value in fit_params.items()
    }
    fitted = clone(problem.estimator).fit(take_rows(problem.X, train), labels, **params)
    return fitted, Unseen(test, problem.scores(fitted, take_rows(problem.X, test)))


def _positions(split: Any) -> Rows:
    """Return rows of a split as positions; some splitters give masks."""
    rows = np.asarray(split)
    return np.flatnonzero(rows) if rows.dtype == np.bool_ else rows.astype(np.intp)


def _is_by_row(value: Any, n_rows: int) -> bool:
    """Whether a parameter of fit has one entry for each row."""
    if isinstance(value, str | bytes | dict) or not hasattr(value, "__len__"):
        return False
    shape = getattr(value, "shape", None)
    return bool((shape[0] if shape else len(value)) == n_rows)
