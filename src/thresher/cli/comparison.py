"""What `thresher compare` takes for one's own table, and what it says: who is best, all tables."""

from collections.abc import Mapping, Sequence
from functools import partial
from math import isnan
from textwrap import shorten
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags

from thresher.statistics import holm_adjusted
from thresher.study.methods import (
    TREES,
    Factory,
    balanced_forest,
    light_gbm,
    random_forest,
)
from thresher.study.results import (
    LEVEL,
    METRICS,
    RANKED,
    SAME_WITHIN,
    Ranking,
    StudyResult,
    p_text,
)
from thresher.text_table import Cell, Row, TextTable
from thresher.tree.classifier import ImbalancedTreeClassifier
from thresher.wording import counted, listed

INNER_FOLDS = 5
"""Folds on which thresholds are tuned."""

MIN_DATASETS = 10
"""Data sets from which the tests of ranks are trustworthy, by Demsar (2006)."""
MAX_ERROR_TEXT = 240
"""Characters that a table shows of an error."""
DECIMALS = {"leaves": 1, "fit_time": 4, "predict_time": 4}
BESIDE = ("f1", "average_precision", "fit_time")
"""What else is shown beside the metric by which methods stand."""


# ---------------------------------------------------------------- thresholds tuned alike, by a rule


def tuned(factory: Factory, rule: str, *, random_state: Any = None) -> BaseEstimator:
    """Return a method with its threshold chosen by a rule on out-of-fold scores."""
    from thresher.threshold.classifier import ThresholdClassifier

    folds = StratifiedKFold(INNER_FOLDS, shuffle=True, random_state=random_state)
    estimator = factory(random_state=random_state)
    return ThresholdClassifier(estimator, rule, cv=folds, n_bootstrap=0)


def tuned_forest(rule: str, *, random_state: Any = None) -> BaseEstimator:
    """Return our forest, with the threshold chosen out of bag."""
    from thresher.forest.classifier import ImbalancedForestClassifier

    return ImbalancedForestClassifier(TREES, rule=rule, n_bootstrap=0, random_state=random_state)


def readable_tree(*, random_state: Any = None) -> BaseEstimator:
    """Return a tree of ours that people can read."""
    return ImbalancedTreeClassifier(
        max_leaf_nodes=32, min_samples_leaf=5, pruning=None, random_state=random_state
    )


def scaled_logistic_regression(*, random_state: Any = None) -> BaseEstimator:
    """Return logistic regression (L2, C = 1) on columns of mean 0 and variance 1."""
    return make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))


TUNED_METHODS: Mapping[str, Any] = MappingProxyType(
    {
        "tree": partial(tuned, readable_tree),
        "forest": tuned_forest,
        "LightGBM": partial(tuned, light_gbm),
        "RandomForest": partial(tuned, random_forest),
        "BalancedRandomForest": partial(tuned, balanced_forest),
        "logistic regression": partial(tuned, scaled_logistic_regression),
    }
)
"""What people use on a table of their own: functions of a rule and `random_state`."""


def what_is_missing(factory: Factory) -> str | None:
    """Return the sentence on the package that a method needs and that is not installed."""
    try:
        factory()
    except ImportError as error:
        return str(error)
    return None


def fill_missing(factory: Factory, *, random_state: Any = None) -> BaseEstimator:
    """Make a method for a table with missing values.

    A method that does not read them gets the median of the training rows, and an indicator column.

    >>> from thresher.study import METHODS
    >>> X, y = [[1.0], [2.0], [float("nan")]], [0, 0, 1]
    >>> fill_missing(METHODS["LogR"]).fit(X, y).predict([[3.0]])
    array([0])
    """
    method = factory(random_state=random_state)
    if get_tags(method).input_tags.allow_nan:
        return method
    filler = SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True)
    return make_pipeline(filler, method)


# --------------------------------------------------------------------------- the folds of one table


class Standing(NamedTuple):
    """A method beside the best.

    Attributes
    ----------
    method : its name.
    value, spread : mean score over the folds, and their standard deviation.
    behind, noise : how far it is behind the best, and the standard error of that difference.
    p : of the difference; None for the best itself.
    """

    method: str
    value: float
    spread: float
    behind: float
    noise: float
    p: float | None

    @property
    def is_below(self) -> bool:
        """Whether the method is told apart from the best."""
        return self.p is not None and self.p <= LEVEL

    @property
    def is_level(self) -> bool:
        """Whether it is behind by no more than the noise."""
        return self.behind <= self.noise


def standings(study: StudyResult, metric: str = "f1") -> list[Standing]:
    """Return the methods of a study of one data set that have a score, the best first.

    Folds share most of their training rows, so that their scores vary less than those of new
    tables would. The test is Student's of paired differences with the variance that Nadeau and
    Bengio (2003) give for it; p-values are adjusted by Holm, since the best is compared with all
    others. Larger scores are better.
    """
    (dataset,) = study.datasets
    by_fold = {
        method: scores
        for method in study.methods
        if (scores := study.by_fold(metric, dataset, method)) is not None
    }
    means = {method: float(scores.mean()) for method, scores in by_fold.items()}
    order = sorted(means, key=lambda method: -round(means[method], SAME_WITHIN))
    gaps = {method: by_fold[order[0]] - by_fold[method] for method in order[1:]}
    adjusted = holm_adjusted([paired_p(gap, study.folds) for gap in gaps.values()]).tolist()
    p_values = dict(zip(gaps, adjusted, strict=True))
    rows = []
    for method in order:
        scores, gap = by_fold[method], gaps.get(method)
        behind, noise = (0.0, 0.0) if gap is None else (gap.mean(), noise_of(gap, study.folds))
        spread = float(np.std(scores, ddof=1)) if len(scores) > 1 else 0.0
        row = Standing(
            method, means[method], spread, float(behind), float(noise), p_values.get(method)
        )
        rows.append(row)
    return rows


def conclusion(order: Sequence[Standing], metric: str = "f1") -> str:
    """Return what a reader should take home of the standings.

    >>> from thresher.study import run_study
    >>> study = run_study(["Yeast-me1"], ["LinR", "ARDT"], folds=5)
    >>> print(conclusion(standings(study)))
    ARDT is best (F1 0.733); LinR (by 0.733, p < 0.001) is below it.
    """
    if not order:
        return "No method has an outcome in every fold."
    best, *others = order
    level = [
        f"{row.method} ({row.value:.3f}, p {p_text(row.p or 0.0)})"
        for row in others
        if row.is_level
    ]
    behind = {
        is_below: [
            f"{row.method} (by {row.behind:.3f}, p {p_text(row.p or 0.0)})"
            for row in others
            if row.is_below == is_below and not row.is_level
        ]
        for is_below in (False, True)
    }
    parts = [f"{best.method} is best ({METRICS[metric].heading} {best.value:.3f})"]
    for methods, what in (
        (level, "within the noise"),
        (behind[False], "behind by more than the noise, but these folds are too few to be sure"),
        (behind[True], "below it"),
    ):
        if methods:
            parts.append(f"{listed(methods)} {'is' if len(methods) == 1 else 'are'} {what}")
    return "; ".join(parts) + "."


def paired_p(gaps: NDArray[np.float64], folds: int) -> float:
    """Test whether the mean of paired differences over folds is 0, on both sides.

    Parameters
    ----------
    gaps : array
        One for each fold of each repeat.
    folds : int
        Of one cross-validation: a model is fitted on `folds - 1` times as many rows as it decides.

    Examples
    --------
    >>> gaps = np.array([0.02, 0.05, 0.03, 0.04, 0.01])
    >>> round(paired_p(gaps, folds=5), 3)
    0.047
    """
    from scipy.stats import t

    mean = round(float(np.mean(gaps)), SAME_WITHIN)
    if mean == 0:
        return 1.0
    return float(2 * t.sf(abs(mean) / noise_of(gaps, folds), max(len(gaps) - 1, 1)))


def noise_of(gaps: NDArray[np.float64], folds: int) -> float:
    """Return the standard error of the mean of paired differences over folds; never 0.

    >>> round(noise_of(np.array([0.02, 0.05, 0.03, 0.04, 0.01]), folds=5), 3)
    0.011
    """
    variance = float(np.var(gaps, ddof=1)) if len(gaps) > 1 else 0.0
    # Without any variance, rounding alone would decide how small p is.
    return float(np.sqrt(max(variance, 10.0**-SAME_WITHIN) * (1 / len(gaps) + 1 / (folds - 1))))


# --------------------------------------------------------------------------------------- the tables


def all_tables(
    study: StudyResult, control: str | None = None, metric: str | None = None
) -> dict[str, TextTable]:
    """Return the tables of a study by the names of their files.

    Parameters
    ----------
    study : StudyResult
    control : str, default=None
        The method that the others are compared with.
    metric : str, default=None
        Of a study of one data set: adds who is best by it.
    """
    tables = {"summary": summary_table(study)}
    if metric is not None:
        tables["standings"] = standings_table(study, standings(study, metric), metric)
    for name in RANKED:
        ranking = study.ranking(name, control)
        tables[f"scores_{name}"] = score_table(study, name, ranking)
        if ranking is not None and len(ranking.scores.datasets) > 1:
            left_out = [method for method in study.methods if method not in ranking.scores.methods]
            tables[f"ranks_{name}"] = rank_table(ranking, METRICS[name].heading, left_out)
    if study.failures:
        tables["failures"] = failure_table(study)
    return tables


def summary_table(study: StudyResult) -> TextTable:
    """Return every metric of every method, as means over the data sets."""
    scores = [(study.scores(name), DECIMALS.get(name, 3)) for name in METRICS]
    rows: list[Row] = [
        [method, *(Cell(float(table.column(method).mean()), digits) for table, digits in scores)]
        for method in study.methods
    ]
    columns = ["method", *(metric.heading for metric in METRICS.values())]
    notes = ["Times are seconds of CPU for one fold; a method that failed anywhere has no mean."]
    count = len(study.datasets)
    title = f"Means over {count} data sets" if count > 1 else study.datasets[0]
    return TextTable(title, columns, rows, notes)


def score_table(study: StudyResult, name: str, ranking: Ranking | None) -> TextTable:
    """Return a metric of each method on each data set, the best in bold, and means below."""
    scores = study.scores(name)
    rows: list[Row] = []
    for dataset, values in zip(scores.datasets, scores.values.tolist(), strict=True):
        known = [value for value in values if not isnan(value)]
        best = (max if scores.higher_is_better else min)(known, default=None)
        rows.append([dataset, *(Cell(value, is_best=value == best) for value in values)])
    if len(rows) > 1:
        rows.append(["mean", *(float(scores.column(method).mean()) for method in scores.methods)])
        if ranking is not None:
            ranks = [Cell(ranking.average.get(method), decimals=2) for method in scores.methods]
            rows.append(["average rank", *ranks])
    title = f"{METRICS[name].heading}, mean of the folds"
    return TextTable(title, ("data set", *scores.methods), rows)


def rank_table(ranking: Ranking, heading: str, left_out: Sequence[str] = ()) -> TextTable:
    """Return the methods by average rank, each with its tests against the control."""
    columns = ["method", "average rank", f"mean {heading}"]
    if ranking.differences:
        columns += ["Holm's p", "equivalent", f"{ranking.control} better/equal/worse"]
        columns += ["Wilcoxon's p", "effect"]
    rows: list[Row] = []
    for method in ranking.by_rank:
        mean = float(np.mean(ranking.scores.column(method)))
        row: list[Cell | str | float | bool | None] = [
            method,
            Cell(ranking.average[method], decimals=2),
            mean,
        ]
        if method in ranking.differences:
            difference, pair = ranking.differences[method], ranking.pairs[method]
            row += [Cell(difference.adjusted_p, decimals=4), difference.is_kept]
            row += [f"{pair.wins}/{pair.ties}/{pair.losses}"]
            row += [Cell(pair.adjusted_p, decimals=4), Cell(pair.effect, decimals=2)]
        rows.append([*row, *[None] * (len(columns) - len(row))])
    title = f"{heading}: ranks on {counted(len(ranking.scores.datasets), 'data sets')}"
    return TextTable(title, columns, rows, _rank_notes(ranking, left_out))


def _rank_notes(ranking: Ranking, left_out: Sequence[str]) -> list[str]:
    """Say in sentences what the tests found."""
    notes = []
    test = ranking.friedman
    if test is None:
        notes.append("Tests across data sets need at least 2 data sets and 3 methods.")
    else:
        notes.append(
            f"Friedman: chi-square {test.chi_square:.1f} (p {p_text(test.chi_square_p)}), "
            f"Iman-Davenport: F {test.f:.1f} (p {p_text(test.f_p)}): the methods "
            f"{'differ' if test.rejects else 'are not told apart'} at the level of {LEVEL:g}."
        )
    if ranking.differences:
        notes.append(
            f"Equivalent: not told apart from {ranking.control} by Holm's procedure at the level "
            f"of {LEVEL:g}. Effect: matched-pairs rank-biserial correlation, above 0 where "
            f"{ranking.control} is better; p-values are adjusted by Holm."
        )
    if test is not None and len(ranking.scores.datasets) < MIN_DATASETS:
        notes.append(
            f"With fewer than {MIN_DATASETS} data sets these tests are approximate and tell little "
            "apart."
        )
    if left_out:
        notes.append(f"Not ranked, since scores are missing: {', '.join(left_out)}.")
    return notes


def standings_table(study: StudyResult, order: Sequence[Standing], metric: str) -> TextTable:
    """Return the methods of a study of one data set in their order, and what tells them apart."""
    heading = METRICS[metric].heading
    beside = [name for name in BESIDE if name != metric]
    columns = ["method", heading, "spread", "behind the best", "noise", "p", "told apart"]
    columns += [METRICS[name].heading for name in beside]
    rows: list[Row] = []
    for row in order:
        more = [float(study.scores(name).column(row.method)[0]) for name in beside]
        known = [None] * 3 if row.p is None else [Cell(row.noise), Cell(row.p, 4), row.is_below]
        rows.append([row.method, row.value, row.spread, row.behind, *known, *more])
    notes = [
        f"{heading} is the mean over the folds, spread its standard deviation. "
        "Noise: the standard error of how far it is behind, corrected for rows that folds share "
        "(Nadeau and Bengio); p: t-test of that difference, "
        f"adjusted by Holm; told apart at the level of {LEVEL:g}. Fit time in seconds of CPU, the "
        "choice of the threshold included."
    ]
    unscored = [method for method in study.methods if method not in {row.method for row in order}]
    if unscored:
        notes.append(f"Without a score, since a run has no outcome: {', '.join(unscored)}.")
    return TextTable(study.datasets[0], columns, rows, notes)


def failure_table(study: StudyResult) -> TextTable:
    """Return where runs have no outcome, how many of them, and why the first of them has none."""
    groups: dict[tuple[str, str, str], list[str]] = {}
    for run in study.failures:
        groups.setdefault((run.dataset, run.method, run.status), []).append(run.error or "")
    rows: list[Row] = [
        [*key, len(errors), shorten(errors[0], MAX_ERROR_TEXT, placeholder=" ...")]
        for key, errors in groups.items()
    ]
    columns = ("data set", "method", "status", "runs", "why the first")
    return TextTable("Runs without an outcome", columns, rows)
