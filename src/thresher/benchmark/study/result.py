"""The outcome of a study: its runs, and tables of data sets by methods."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.benchmark.study.measures import METRICS, Measures, pooled_f1
from thresher.frames import make_frame
from thresher.validation import check_choice

UNSUCCESSFUL = ("failed", "timeout", "interrupted")
"""Statuses of runs that were tried and have no outcome."""


class RunRecord(NamedTuple):
    """One run: one fold of one method on one data set.

    Attributes
    ----------
    dataset, method : names.
    repeat, fold : counted from 0.
    status : "done", "failed", "timeout" or "interrupted"; "running" in another process; "pending"
        where it has not been tried.
    error : why there is no outcome.
    warnings : what the method warned of, one line each.
    measures : of a run that is done.
    """

    dataset: str
    method: str
    repeat: int
    fold: int
    status: str
    error: str | None = None
    warnings: str | None = None
    measures: Measures | None = None


class MeanTable(NamedTuple):
    """One number for each data set (row) and method (column); NaN where there is none."""

    datasets: tuple[str, ...]
    methods: tuple[str, ...]
    values: NDArray[np.float64]

    def of(self, dataset: str, method: str) -> float:
        """Return the number of one cell."""
        return float(self.values[self.datasets.index(dataset), self.methods.index(method)])


@dataclass(frozen=True)
class StudyResult:
    """What a study has found.

    Attributes
    ----------
    runs : tuple of RunRecord
        In the order of data sets, repeats, methods and folds.
    metrics : tuple of str
        The columns of `to_frame`.
    settings : dict
        Folds, repeats, random state, hashes of the data, parameters of the methods, versions.

    Examples
    --------
    >>> from thresher.benchmark import run_study
    >>> result = run_study(["Yeast-me1"], ["LinR", "ARDT"], folds=5, store=None)
    >>> result
    StudyResult(1 data set, 2 methods, 10 runs: 10 done)
    >>> datasets, methods, f1 = result.table("f1")
    >>> datasets, methods, f1.round(1)
    (('Yeast-me1',), ('LinR', 'ARDT'), array([[0. , 0.7]]))
    """

    runs: tuple[RunRecord, ...]
    metrics: tuple[str, ...] = tuple(METRICS)
    settings: Mapping[str, Any] = field(default_factory=dict, compare=False)

    def __repr__(self) -> str:
        counts = Counter(run.status for run in self.runs)
        found = ", ".join(f"{count} {status}" for status, count in counts.items())
        sets, methods = len(self.datasets), len(self.methods)
        return (
            f"StudyResult({sets} data {'set' if sets == 1 else 'sets'}, "
            f"{methods} {'method' if methods == 1 else 'methods'}, {len(self.runs)} runs: {found})"
        )

    @cached_property
    def datasets(self) -> tuple[str, ...]:
        """Names of the data sets."""
        return tuple(dict.fromkeys(run.dataset for run in self.runs))

    @cached_property
    def methods(self) -> tuple[str, ...]:
        """Names of the methods."""
        return tuple(dict.fromkeys(run.method for run in self.runs))

    @property
    def failures(self) -> list[RunRecord]:
        """Runs that raised an error, ran out of time or were interrupted."""
        return [run for run in self.runs if run.status in UNSUCCESSFUL]

    @property
    def is_complete(self) -> bool:
        """Whether every run is done."""
        return all(run.status == "done" for run in self.runs)

    def table(self, metric: str, *, partial: bool = False) -> MeanTable:
        """Return the mean of a metric over folds and repeats for each data set and method.

        Parameters
        ----------
        metric : str
            A name of `thresher.benchmark.METRICS`, or "pooled_f1".
        partial : bool, default=False
            Take the mean of the runs that are done. By default a cell of which a run is missing is
            NaN, since means over different folds cannot be compared.

        Returns
        -------
        MeanTable
            (datasets, methods, values). Runs for which a metric does not exist (average precision
            in a fold without positives) do not count.
        """
        check_choice("metric", metric, (*METRICS, "pooled_f1"))
        if metric == "pooled_f1":
            return self.pooled_f1(partial=partial)
        formula = METRICS[metric].formula
        return self._table(lambda runs: _mean(formula(runs)), partial)

    def pooled_f1(self, *, partial: bool = False) -> MeanTable:
        """Return the F1 of the counts of all folds and repeats together, as `table` does."""
        return self._table(pooled_f1, partial)

    def _table(self, summary: Callable[[Sequence[Measures]], float], partial: bool) -> MeanTable:
        values = np.full((len(self.datasets), len(self.methods)), np.nan)
        for (dataset, method), runs in self._cells.items():
            done = [run.measures for run in runs if run.measures is not None]
            if done and (partial or len(done) == len(runs)):
                row, column = self.datasets.index(dataset), self.methods.index(method)
                values[row, column] = summary(done)
        return MeanTable(self.datasets, self.methods, values)

    @cached_property
    def _cells(self) -> dict[tuple[str, str], list[RunRecord]]:
        cells: dict[tuple[str, str], list[RunRecord]] = {}
        for run in self.runs:
            cells.setdefault((run.dataset, run.method), []).append(run)
        return cells

    def to_frame(self, kind: str | None = None) -> Any:
        """Return a data frame with a row for each run.

        Parameters
        ----------
        kind : {"pandas", "polars", "pyarrow"}, default=None
            Its library; by default pandas, or a dict of columns where it is not installed.
        """
        columns = {
            name: np.array([getattr(run, name) for run in self.runs], dtype=dtype)
            for name, dtype in _LABELS.items()
        }
        for name in self.metrics:
            columns[name] = self._column(METRICS[name].formula)
        for name in Measures._fields[:4]:
            columns[name] = self._column(
                lambda runs, name=name: np.array([getattr(run, name) for run in runs], dtype=float)
            )
        return make_frame(columns, kind)

    def _column(self, formula: Callable[..., NDArray[np.float64]]) -> NDArray[np.float64]:
        """Return the values of all runs, NaN for those that are not done."""
        values = np.full(len(self.runs), np.nan)
        done = [index for index, run in enumerate(self.runs) if run.measures is not None]
        values[done] = formula([self.runs[index].measures for index in done])
        return values


_LABELS = {
    "dataset": object,
    "method": object,
    "repeat": np.int64,
    "fold": np.int64,
    "status": object,
    "error": object,
    "warnings": object,
}


def _mean(values: NDArray[np.float64]) -> float:
    """Return the mean of the values that exist."""
    present = values[~np.isnan(values)]
    return float(present.mean()) if len(present) else float("nan")
