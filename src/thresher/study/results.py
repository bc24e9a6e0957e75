"""What a study measured, and what the statistics say of it.

Ranks first (1 is best, ties share their mean), then Friedman's test of whether the methods differ
at all with the correction by Iman and Davenport, then Holm's comparison of each with a control;
Wilcoxon's test looks at pairs.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import average_precision_score

from thresher.frames import make_frame
from thresher.statistics import holm_adjusted
from thresher.study.methods import CONTROL
from thresher.threshold.counts import Counts, Vector
from thresher.validation import check_choice
from thresher.wording import counted, finite

LEVEL = 0.05
"""The paper's level of significance."""
SAME_WITHIN = 12
"""Decimals to which scores are compared: means of the same folds differ by rounding only."""
RANKED = ("f1", "accuracy")
"""The metrics by which methods are ranked, the paper's two."""


@dataclass(frozen=True)
class Run:
    """One run: one fold of one method on one data set.

    Attributes
    ----------
    dataset, method : str
    repeat, fold : int
        Counted from 0.
    key : str
        Names all that the outcome depends on.
    status : {"done", "failed", "timeout", "pending"}
    error, warnings : str or None
        Why there is no outcome; what the method warned of, one line each.
    tn, fp, fn, tp : int
        Rows held out by truth and decision; this and what follows is None unless the run is done.
    average_precision : float or None
        Of the probabilities, or else of the decision function; None without both, and where no row
        is positive.
    brier : float or None
        Mean squared error of the probability; None without probabilities.
    fit_time, predict_time : float
        Seconds of CPU.
    leaves : int or None
        Of the tree, or of all trees together; None for other models.
    """

    dataset: str
    method: str
    repeat: int
    fold: int
    key: str = ""
    status: str = "pending"
    error: str | None = None
    warnings: str | None = None
    tn: int | None = None
    fp: int | None = None
    fn: int | None = None
    tp: int | None = None
    average_precision: float | None = None
    brier: float | None = None
    fit_time: float | None = None
    predict_time: float | None = None
    leaves: int | None = None


# ------------------------------------------------------------------------ measuring one model


def measure(model: Any, X: Any, is_positive: NDArray[np.int64]) -> dict[str, Any]:
    """Return what a fitted model decides of held-out rows, as the fields of `Run` say."""
    start = time.process_time()
    decisions = np.asarray(model.predict(X))
    predict_time = time.process_time() - start
    if decisions.shape != is_positive.shape or not np.isin(decisions, (0, 1)).all():
        raise ValueError(
            f"predict must return 0 or 1 for each of the {len(is_positive)} rows, got the shape "
            f"{decisions.shape} and values such as {decisions.ravel()[:3].tolist()}."
        )
    counts = Counts.of(decisions == 1, is_positive == 1)
    scores = brier = precision = None
    if hasattr(model, "predict_proba"):
        classes = np.asarray(getattr(model, "classes_", (0, 1)))
        column = int(np.flatnonzero(classes == 1)[0])
        scores = np.asarray(model.predict_proba(X), dtype=np.float64)[:, column]
        brier = float(np.mean((scores - is_positive) ** 2))
    elif hasattr(model, "decision_function"):
        scores = np.asarray(model.decision_function(X), dtype=np.float64)
    if scores is not None and np.any(is_positive):
        precision = float(average_precision_score(is_positive, scores))
    return {
        **{name: int(count[0]) for name, count in counts._asdict().items()},
        "average_precision": precision,
        "brier": brier,
        "predict_time": predict_time,
        "leaves": count_leaves(model),
    }


def count_leaves(model: Any) -> int | None:
    """Return the leaves of a tree, or of all trees of an ensemble; None for other models.

    Pipelines and estimators around another are looked into.

    >>> from thresher import ImbalancedTreeClassifier
    >>> count_leaves(ImbalancedTreeClassifier().fit([[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1]))
    2
    """
    if hasattr(model, "get_n_leaves"):
        return int(model.get_n_leaves())
    if hasattr(model, "steps"):
        return count_leaves(model.steps[-1][1])
    if hasattr(model, "estimators_"):
        parts = [count_leaves(member) for member in np.ravel(model.estimators_)]
        known = [part for part in parts if part is not None]
        return sum(known) if known and len(known) == len(parts) else None
    return count_leaves(model.estimator_) if hasattr(model, "estimator_") else None


Formula: TypeAlias = Callable[[Sequence[Run]], Vector]
"""From runs that are done to one number each, NaN where there is none."""


class Metric(NamedTuple):
    """A number for each run: its heading, its formula, and which end of it is the better one."""

    heading: str
    formula: Formula
    higher_is_better: bool = True


def _of_counts(formula: Callable[[Counts], Vector]) -> Formula:
    def of_runs(runs: Sequence[Run]) -> Vector:
        table = [(run.tn, run.fp, run.fn, run.tp) for run in runs]
        return formula(Counts(*np.array(table, dtype=np.float64).reshape(-1, 4).T))

    return of_runs


def _measured(name: str) -> Formula:
    return lambda runs: np.array([getattr(run, name) for run in runs], dtype=np.float64)


METRICS: Mapping[str, Metric] = MappingProxyType(
    {
        "f1": Metric("F1", _of_counts(Counts.fbeta)),
        "precision": Metric("precision", _of_counts(lambda counts: counts.precision)),
        "recall": Metric("recall", _of_counts(lambda counts: counts.recall)),
        "accuracy": Metric("ACC", _of_counts(lambda rows: (rows.tn + rows.tp) / rows.total)),
        "bcr": Metric("BCR", _of_counts(lambda counts: counts.bcr)),
        "gmean": Metric("G-mean", _of_counts(lambda counts: counts.gmean)),
        "mcc": Metric("MCC", _of_counts(lambda counts: counts.mcc)),
        "average_precision": Metric("AP", _measured("average_precision")),
        "brier": Metric("Brier", _measured("brier"), higher_is_better=False),
        "fit_time": Metric("fit time [s]", _measured("fit_time"), higher_is_better=False),
        "predict_time": Metric("predict time [s]", _measured("predict_time"), False),
        "leaves": Metric("leaves", _measured("leaves"), higher_is_better=False),
    }
)
"""The metrics of a run by name; those made of counts are 0 where they are undefined."""


# ------------------------------------------------------------------------- the runs of a study


@dataclass(frozen=True)
class Scores:
    """One measure of every method (column) on every data set (row); NaN where there is none."""

    datasets: tuple[str, ...]
    methods: tuple[str, ...]
    values: NDArray[np.float64]
    higher_is_better: bool = True

    def of(self, dataset: str, method: str) -> float:
        """Return one score."""
        return float(self.values[self.datasets.index(dataset), self.methods.index(method)])

    def column(self, method: str) -> NDArray[np.float64]:
        """Return the scores of a method on all data sets."""
        return self.values[:, self.methods.index(method)]

    def restricted(self, datasets: Sequence[str], methods: Sequence[str]) -> "Scores":
        """Return the part of some data sets and methods, in their order."""
        rows = [self.datasets.index(name) for name in datasets]
        columns = [self.methods.index(name) for name in methods]
        part = self.values[np.ix_(rows, columns)]
        return Scores(tuple(datasets), tuple(methods), part, self.higher_is_better)

    def complete(self) -> "Scores":
        """Return the part that can be ranked.

        Data sets without any score are left out first, then methods that lack a score.

        >>> table = np.array([[0.5, 0.4], [0.7, np.nan], [np.nan, np.nan]])
        >>> part = Scores(("a", "b", "c"), ("tree", "line"), table).complete()
        >>> part.datasets, part.methods
        (('a', 'b'), ('tree',))
        """
        missing = np.isnan(self.values)
        rows = np.logical_not(missing.all(axis=1))
        columns = rows.any() & np.logical_not(missing[rows].any(axis=0))
        return self.restricted(
            np.array(self.datasets, dtype=object)[rows].tolist(),
            np.array(self.methods, dtype=object)[columns].tolist(),
        )


@dataclass(frozen=True)
class StudyResult:
    """What a study has found.

    Attributes
    ----------
    runs : tuple of Run
        In the order of data sets, repeats, methods and folds.
    folds : int
        Of each cross-validation.

    Examples
    --------
    >>> from thresher.study import run_study
    >>> result = run_study(["Yeast-me1"], ["LinR", "ARDT"], folds=5)
    >>> result
    StudyResult(1 data set, 2 methods, 10 runs)
    >>> result.scores("f1").methods, result.scores("f1").values.round(1)
    (('LinR', 'ARDT'), array([[0. , 0.7]]))
    """

    runs: tuple[Run, ...]
    folds: int

    def __repr__(self) -> str:
        parts = {"data sets": self.datasets, "methods": self.methods, "runs": self.runs}
        return f"StudyResult({', '.join(counted(len(has), what) for what, has in parts.items())})"

    @cached_property
    def datasets(self) -> tuple[str, ...]:
        """Names of the data sets."""
        return tuple(dict.fromkeys(run.dataset for run in self.runs))

    @cached_property
    def methods(self) -> tuple[str, ...]:
        """Names of the methods."""
        return tuple(dict.fromkeys(run.method for run in self.runs))

    @cached_property
    def failures(self) -> list[Run]:
        """Runs that raised an error or ran out of time."""
        return [run for run in self.runs if run.status != "done"]

    @property
    def cpu_seconds(self) -> float:
        """Seconds of CPU that fitting and predicting took in all runs that are done."""
        return sum((run.fit_time or 0.0) + (run.predict_time or 0.0) for run in self.runs)

    @cached_property
    def _cells(self) -> dict[tuple[str, str], list[Run]]:
        cells: dict[tuple[str, str], list[Run]] = {}
        for run in self.runs:
            cells.setdefault((run.dataset, run.method), []).append(run)
        return cells

    def by_fold(self, metric: str, dataset: str, method: str) -> Vector | None:
        """Return a metric of each fold of each repeat; None if one of them is not done."""
        runs = self._cells[dataset, method]
        if any(run.status != "done" for run in runs):
            return None
        return METRICS[metric].formula(runs)

    def scores(self, metric: str) -> Scores:
        """Return the mean of a metric over folds and repeats for each data set and method.

        Parameters
        ----------
        metric : str
            A name of `thresher.study.METRICS`.

        Returns
        -------
        Scores
            NaN where a run is missing, since means over different folds cannot be compared. Runs
            for which a metric does not exist (average precision in a fold without positives) do
            not count.
        """
        check_choice("metric", metric, tuple(METRICS))
        values = np.full((len(self.datasets), len(self.methods)), np.nan)
        for dataset, method in self._cells:
            by_fold = self.by_fold(metric, dataset, method)
            if by_fold is not None and not np.isnan(by_fold).all():
                cell = self.datasets.index(dataset), self.methods.index(method)
                values[cell] = by_fold[~np.isnan(by_fold)].mean()
        return Scores(self.datasets, self.methods, values, METRICS[metric].higher_is_better)

    def ranking(self, metric: str = "f1", control: str | None = None) -> "Ranking | None":
        """Rank what can be ranked by a metric, and compare it with a control.

        Parameters
        ----------
        metric : str, default="f1"
            A name of `thresher.study.METRICS`.
        control : str, default=None
            A method; by default the paper's where it takes part, else the first.

        Returns
        -------
        Ranking or None
            None where nothing can be ranked.
        """
        part = self.scores(metric).complete()
        if control is None and len(self.methods) > 1:
            control = CONTROL if CONTROL in self.methods else self.methods[0]
        return rank(part, control) if part.values.size else None

    def to_frame(self, kind: str | None = None) -> Any:
        """Return a data frame with a row for each run.

        Parameters
        ----------
        kind : {"pandas", "polars", "pyarrow"}, default=None
            Its library; by default pandas, or a dict of columns where it is not installed.
        """
        labels = ("dataset", "method", "repeat", "fold", "status", "error", "warnings")
        columns = {name: np.array([getattr(run, name) for run in self.runs]) for name in labels}
        for name, metric in METRICS.items():
            values = [metric.formula([r])[0] if r.status == "done" else np.nan for r in self.runs]
            columns[name] = np.array(values)
        return make_frame(columns, kind)

    def to_dict(self, control: str | None = None) -> dict[str, Any]:
        """Return scores, rankings and failures as plain data for JSON; None for no value."""
        rankings = {name: self.ranking(name, control) for name in RANKED}
        return {
            "folds": self.folds,
            "datasets": list(self.datasets),
            "methods": list(self.methods),
            "scores": {
                name: {
                    dataset: dict(zip(self.methods, map(finite, row), strict=True))
                    for dataset, row in zip(self.datasets, self.scores(name).values, strict=True)
                }
                for name in METRICS
            },
            "rankings": {
                name: ranking.to_dict() for name, ranking in rankings.items() if ranking is not None
            },
            "failures": [asdict(run) for run in self.failures],
            "cpu_seconds": self.cpu_seconds,
        }


# -------------------------------------------------------------------- ranks on several data sets


class Friedman(NamedTuple):
    """Friedman's test and its correction by Iman and Davenport, each with its p-value."""

    chi_square: float
    chi_square_p: float
    f: float
    f_p: float

    @property
    def rejects(self) -> bool:
        """Whether the methods differ, by the correction, at the level of 0.05."""
        return self.f_p < LEVEL


class Difference(NamedTuple):
    """A method beside the control: the test's statistic and what Holm's procedure says of it.

    `is_kept`: the method is not told apart from the control at the level of the procedure.
    """

    z: float
    p: float
    adjusted_p: float
    is_kept: bool


class Pair(NamedTuple):
    """The control beside a method by Wilcoxon's signed-rank test.

    `effect` is the matched-pairs rank-biserial correlation: 1 where the control is never worse, -1
    where it is never better, 0 where the two are level.
    """

    wins: int
    ties: int
    losses: int
    p: float
    adjusted_p: float
    effect: float


@dataclass(frozen=True)
class Ranking:
    """The methods of complete scores, ranked and compared with a control.

    `friedman` is None for fewer than two data sets or three methods; `differences` and `pairs` are
    empty without a control, another method and a second data set.

    Examples
    --------
    >>> scores = Scores(("a", "b"), ("tree", "line"), np.array([[0.5, 0.4], [0.7, 0.2]]))
    >>> ranking = rank(scores, control="tree")
    >>> ranking.average
    {'tree': 1.0, 'line': 2.0}
    >>> ranking.kept
    ('tree', 'line')
    """

    scores: Scores
    ranks: NDArray[np.float64]
    control: str | None
    friedman: Friedman | None
    differences: dict[str, Difference]
    pairs: dict[str, Pair]

    @cached_property
    def average(self) -> dict[str, float]:
        """Average rank by method."""
        return dict(zip(self.scores.methods, self.ranks.mean(axis=0).tolist(), strict=True))

    @cached_property
    def by_rank(self) -> tuple[str, ...]:
        """The methods, the best average rank first."""
        return tuple(sorted(self.scores.methods, key=lambda method: self.average[method]))

    @cached_property
    def kept(self) -> tuple[str, ...]:
        """The control and the methods that Holm's procedure does not tell apart from it."""
        kept = {name for name, row in self.differences.items() if row.is_kept} | {self.control}
        return tuple(method for method in self.by_rank if method in kept)

    def to_dict(self) -> dict[str, Any]:
        """Return all of it but the scores as plain data."""
        return {
            "datasets": len(self.scores.datasets),
            "average_ranks": {name: self.average[name] for name in self.by_rank},
            "friedman": self.friedman and _plain(self.friedman),
            "control": self.control,
            "equivalent_to_control": list(self.kept),
            "holm": {name: _plain(row) for name, row in self.differences.items()},
            "wilcoxon": {name: _plain(row) for name, row in self.pairs.items()},
        }


def _plain(row: Any) -> dict[str, Any]:
    """Return a test as plain data; F may be infinite, which JSON does not have."""
    return {key: value if np.isfinite(value) else None for key, value in row._asdict().items()}


def rank(scores: Scores, control: str | None, ranks: NDArray[np.float64] | None = None) -> Ranking:
    """Rank complete scores; ranks that somebody printed may be given instead.

    Parameters
    ----------
    scores : Scores
        Without missing values; see `Scores.complete`.
    control : str or None
        Method that the others are compared with; None, or one that is not there, for no comparison.
    ranks : array, default=None
        The ranks to use where they are known better than the scores, as in the paper's tables.
    """
    if ranks is None:
        ranks = rank_methods(scores.values, higher_is_better=scores.higher_is_better)
    rows, columns = ranks.shape
    test = friedman(ranks) if rows >= 2 and columns >= 3 else None
    if control not in scores.methods or rows < 2 or columns < 2:
        known = control if control in scores.methods else None
        return Ranking(scores, ranks, known, test, {}, {})
    index = scores.methods.index(control)
    others = [method for method in scores.methods if method != control]
    differences = holm(ranks, index)
    pairs = wilcoxon(scores.values, index, higher_is_better=scores.higher_is_better)
    return Ranking(
        scores,
        ranks,
        control,
        test,
        dict(zip(others, differences, strict=True)),
        dict(zip(others, pairs, strict=True)),
    )


def rank_methods(scores: ArrayLike, *, higher_is_better: bool = True) -> NDArray[np.float64]:
    """Rank the methods on each data set: 1 is best, equal scores share the mean of their ranks.

    >>> rank_methods([[0.9, 0.7, 0.9], [0.5, 0.6, 0.1]])
    array([[1.5, 3. , 1.5],
           [2. , 1. , 3. ]])
    """
    from scipy.stats import rankdata

    table = np.asarray(scores, dtype=np.float64).round(SAME_WITHIN)
    return np.asarray(rankdata(-table if higher_is_better else table, axis=1), dtype=np.float64)


def friedman(ranks: ArrayLike) -> Friedman:
    """Test whether the methods differ, with the correction for ties.

    Parameters
    ----------
    ranks : array of shape (n_datasets, n_methods)
        Of at least two data sets and three methods.

    Examples
    --------
    >>> test = friedman([[1, 2, 3], [1, 2, 3], [2, 1, 3], [1, 3, 2]])
    >>> round(test.chi_square, 2), round(test.f, 2), test.rejects
    (4.5, 3.86, False)
    """
    from scipy.stats import f, friedmanchisquare

    table = np.asarray(ranks, dtype=np.float64)
    rows, methods = table.shape
    if (table == table[:, :1]).all():
        return Friedman(0.0, 1.0, 0.0, 1.0)
    chi_square, p = friedmanchisquare(*table.T)
    room = rows * (methods - 1) - chi_square
    ratio = (rows - 1) * chi_square / room if room > 0 else np.inf
    f_p = f.sf(ratio, methods - 1, (methods - 1) * (rows - 1))
    return Friedman(float(chi_square), float(p), float(ratio), float(f_p))


def holm(ranks: ArrayLike, control: int, *, level: float = LEVEL) -> list[Difference]:
    """Compare the average rank of every method with the control's, by Holm's step-down procedure.

    Parameters
    ----------
    ranks : array of shape (n_datasets, n_methods)
    control : int
        Column of the control.
    level : float, default=0.05
        Probability of any false difference.

    Returns
    -------
    list of Difference
        One for each other method, in the order of the columns. ``z > 0``: the control ranks better.

    Examples
    --------
    >>> ranks = np.tile([1.0, 2.0, 3.0], (12, 1))
    >>> [(round(row.z, 2), row.is_kept) for row in holm(ranks, control=0)]
    [(2.45, False), (4.9, False)]
    """
    from scipy.stats import norm

    table = np.asarray(ranks, dtype=np.float64)
    rows, methods = table.shape
    average = table.mean(axis=0)
    gaps = np.delete(average, control) - average[control]
    z = gaps / np.sqrt(methods * (methods + 1) / (6.0 * rows))
    p = 2.0 * norm.sf(np.abs(z))
    return [
        Difference(float(z_value), float(p_value), float(adjusted), bool(adjusted > level))
        for z_value, p_value, adjusted in zip(z, p, holm_adjusted(p), strict=True)
    ]


def wilcoxon(scores: ArrayLike, control: int, *, higher_is_better: bool = True) -> list[Pair]:
    """Compare the scores of the control with every other method's by Wilcoxon's signed-rank test.

    Data sets on which the two are equal are left out, as Wilcoxon did.

    Parameters
    ----------
    scores : array of shape (n_datasets, n_methods)
    control : int
        Column of the control.
    higher_is_better : bool, default=True

    Returns
    -------
    list of Pair
        One for each other method, in the order of the columns.

    Examples
    --------
    >>> first, second = wilcoxon([[0.9, 0.8, 0.9], [0.7, 0.5, 0.7], [0.6, 0.7, 0.6]], control=0)
    >>> first.wins, first.losses, round(first.effect, 2), second.effect, second.p
    (2, 1, 0.5, 0.0, 1.0)
    """
    from scipy.stats import rankdata
    from scipy.stats import wilcoxon as signed_rank

    table = np.asarray(scores, dtype=np.float64).round(SAME_WITHIN)
    table = table if higher_is_better else -table
    gaps = (table[:, [control]] - np.delete(table, control, axis=1)).round(SAME_WITHIN).T
    p, effects = [], []
    for gap in gaps:
        decided = gap[gap != 0]
        ranks = rankdata(np.abs(decided))
        p.append(float(signed_rank(decided).pvalue) if len(decided) else 1.0)
        effects.append(float((ranks * np.sign(decided)).sum() / max(ranks.sum(), 1.0)))
    return [
        Pair(int((gap > 0).sum()), int((gap == 0).sum()), int((gap < 0).sum()), *rest)
        for gap, *rest in zip(gaps, p, holm_adjusted(p).tolist(), effects, strict=True)
    ]


def p_text(p: float) -> str:
    """Return a p-value as a reader wants it.

    >>> p_text(0.0321), p_text(1e-12)
    ('= 0.032', '< 0.001')
    """
    return f"= {p:.3f}" if p >= 0.001 else "< 0.001"
