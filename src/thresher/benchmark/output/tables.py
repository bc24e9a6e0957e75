"""The tables of a comparison: scores, ranks with their tests, a summary, runs that failed."""

from collections.abc import Iterator, Sequence
from math import isnan
from textwrap import shorten

import numpy as np

from thresher.benchmark.analysis.comparison import RANKED, Comparison
from thresher.benchmark.analysis.ranking import Ranking, Scores
from thresher.benchmark.analysis.significance import LEVEL, p_text
from thresher.benchmark.study.measures import METRICS
from thresher.text_table import Cell, Row, TextTable, Value

HEADINGS = {**{name: metric.heading for name, metric in METRICS.items()}, "pooled_f1": "pooled F1"}

MIN_DATASETS = 10
"""Data sets from which the tests of ranks are trustworthy, by Demsar (2006)."""

MAX_ERROR_TEXT = 240
"""Characters that a table shows of an error."""

DECIMALS = {"leaves": 1, "fit_time": 4, "predict_time": 4}


def all_tables(comparison: Comparison) -> dict[str, TextTable]:
    """Return the tables of a comparison by the names of their files."""
    tables = {"summary": summary_table(comparison)}
    for name in RANKED:
        tables[f"scores_{name}"] = score_table(comparison, name)
    for name, ranking in comparison.rankings.items():
        if len(ranking.scores.datasets) < 2:
            continue
        tables[f"ranks_{name}"] = rank_table(ranking, HEADINGS[name], comparison.left_out[name])
    if comparison.unfinished:
        tables["failures"] = failure_table(comparison)
    return tables


def summary_table(comparison: Comparison) -> TextTable:
    """Return every metric of every method, as means over the data sets."""
    names = ("f1", "pooled_f1", *(name for name in METRICS if name != "f1"))
    scores = [(comparison.scores[name], DECIMALS.get(name, 3)) for name in names]
    rows: list[Row] = [
        [method, *(Cell(_mean(table.column(method)), decimals) for table, decimals in scores)]
        for method in comparison.study.methods
    ]
    columns = ["method", *(HEADINGS[name] for name in names)]
    notes = ["Times are seconds of CPU for one fold; a method that failed anywhere has no mean."]
    count = len(comparison.study.datasets)
    if count > 1:
        return TextTable(f"Means over {count} data sets", columns, rows, notes)
    notes.append("Spread: standard deviation of F1 over the folds.")
    return _with_spread(comparison, TextTable(comparison.study.datasets[0], columns, rows, notes))


def _with_spread(comparison: Comparison, table: TextTable) -> TextTable:
    """Add how much F1 varies over the folds of the only data set."""
    (dataset,) = comparison.study.datasets
    rows: list[Row] = []
    for method, row in zip(comparison.study.methods, table.rows, strict=True):
        scores = comparison.fold_f1.get((dataset, method), [])
        spread = float(np.std(scores, ddof=1)) if len(scores) > 1 else None
        rows.append([*row[:2], spread, *row[2:]])
    columns = [*table.columns[:2], "spread", *table.columns[2:]]
    return TextTable(table.title, columns, rows, table.notes)


def score_table(comparison: Comparison, name: str) -> TextTable:
    """Return a metric of each method on each data set, the best in bold, and means below."""
    scores = comparison.scores[name]
    rows: list[Row] = [
        [dataset, *_marked(values, scores.higher_is_better)]
        for dataset, values in zip(scores.datasets, scores.values.tolist(), strict=True)
    ]
    if len(rows) > 1:
        rows.append(["mean", *(_mean(scores.column(method)) for method in scores.methods)])
        if name in comparison.rankings:
            average = comparison.rankings[name].average
            ranks = [Cell(average.get(method), decimals=2) for method in scores.methods]
            rows.append(["average rank", *ranks])
    return TextTable(f"{HEADINGS[name]}, mean of the folds", ("data set", *scores.methods), rows)


def _marked(values: Sequence[float], higher_is_better: bool) -> list[Cell]:
    known = [value for value in values if not isnan(value)]
    best = (max if higher_is_better else min)(known, default=None)
    return [Cell(value, is_best=value == best) for value in values]


def _mean(values: np.ndarray) -> float:
    return float(np.mean(values))


def rank_table(ranking: Ranking, heading: str, left_out: Sequence[str] = ()) -> TextTable:
    """Return the methods by average rank, each with its tests against the control."""
    columns = ["method", "average rank", f"mean {heading}"]
    if ranking.differences:
        columns += ["Holm's p", "equivalent", f"{ranking.control} better/equal/worse"]
        columns += ["Wilcoxon's p", "effect"]
    rows = [[*_rank_row(ranking, method)][: len(columns)] for method in ranking.by_rank]
    title = f"{heading}: ranks on {counted(len(ranking.scores.datasets), 'data set')}"
    return TextTable(title, columns, rows, list(rank_notes(ranking, left_out)))


def _rank_row(ranking: Ranking, method: str) -> Iterator[Cell | Value]:
    yield method
    yield Cell(ranking.average[method], decimals=2)
    yield _mean(ranking.scores.column(method))
    if method not in ranking.differences:
        yield from (None, None, None, None, None)
        return
    difference, pair = ranking.differences[method], ranking.pairs[method]
    yield Cell(difference.adjusted_p, decimals=4)
    yield difference.is_kept
    yield f"{pair.wins}/{pair.ties}/{pair.losses}"
    yield Cell(pair.adjusted_p, decimals=4)
    yield Cell(pair.effect, decimals=2)


def rank_notes(ranking: Ranking, left_out: Sequence[str] = ()) -> Iterator[str]:
    """Say in sentences what the tests found."""
    if ranking.friedman is None:
        yield "Tests across data sets need at least 2 data sets and 3 methods."
    else:
        test = ranking.friedman
        yield (
            f"Friedman: chi-square {test.chi_square:.1f} (p {p_text(test.chi_square_p)}), "
            f"Iman-Davenport: F {test.f:.1f} (p {p_text(test.f_p)}): the methods "
            f"{'differ' if test.rejects else 'are not told apart'} at the level of {LEVEL:g}."
        )
    if ranking.differences:
        yield (
            f"Equivalent: not told apart from {ranking.control} by Holm's procedure at the level "
            f"of {LEVEL:g}. Effect: matched-pairs rank-biserial correlation, above 0 where "
            f"{ranking.control} is better; p-values are adjusted by Holm."
        )
    if ranking.friedman is not None and len(ranking.scores.datasets) < MIN_DATASETS:
        yield (
            f"With fewer than {MIN_DATASETS} data sets these tests are approximate and tell little "
            "apart."
        )
    if left_out:
        yield f"Not ranked, since scores are missing: {', '.join(left_out)}."


def counted(count: int, noun: str) -> str:
    """Return a number with its noun.

    >>> counted(1, "run"), counted(2, "run")
    ('1 run', '2 runs')
    """
    return f"{count} {noun}{'' if count == 1 else 's'}"


def failure_table(comparison: Comparison) -> TextTable:
    """Return where runs have no outcome, how many of them, and why the first of them has none."""
    groups: dict[tuple[str, str, str], list[str]] = {}
    for run in comparison.study.runs:
        if run.status != "done":
            key = (run.dataset, run.method, run.status)
            groups.setdefault(key, []).append(run.error or "")
    rows: list[Row] = [
        [*key, len(errors), shorten(errors[0], MAX_ERROR_TEXT, placeholder=" ...")]
        for key, errors in groups.items()
    ]
    columns = ("data set", "method", "status", "runs", "why the first")
    return TextTable("Runs without an outcome", columns, rows)


def beside_table(ours: Scores, printed: Scores, heading: str, far: float) -> TextTable:
    """Return "ours / printed" in each cell; those further apart than `far` in bold."""
    rows: list[Row] = [
        [dataset, *(_beside(*both, far) for both in _both(ours, printed, dataset))]
        for dataset in ours.datasets
    ]
    means = [
        (_mean(ours.column(method)), _mean(printed.restricted(ours.datasets, [method]).values))
        for method in ours.methods
    ]
    rows.append(["mean", *(_beside(*pair, far, decimals=3) for pair in means)])
    title = f"{heading}: here / paper"
    notes = [f"Bold: more than {far:g} apart."]
    return TextTable(title, ("data set", *ours.methods), rows, notes)


def _beside(ours: float, printed: float, far: float, decimals: int = 2) -> Cell:
    text = f"{ours:.{decimals}f} / {printed:.{decimals}f}"
    return Cell(text, is_best=abs(ours - printed) > far)


def cell_table(ours: Scores, printed: Scores, heading: str) -> TextTable:
    """Return a row for each cell: our value, the printed one, the difference."""
    rows: list[Row] = [
        [dataset, method, here, Cell(there, decimals=2), here - there]
        for dataset in ours.datasets
        for method, (here, there) in zip(ours.methods, _both(ours, printed, dataset), strict=True)
    ]
    columns = ("data set", "method", "here", "paper", "difference")
    return TextTable(f"{heading}, cell by cell", columns, rows)


def _both(ours: Scores, printed: Scores, dataset: str) -> list[tuple[float, float]]:
    return [(ours.of(dataset, method), printed.of(dataset, method)) for method in ours.methods]
