"""What a study says of its methods: scores and rankings, computed when they are first asked for."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import isnan
from typing import Any

import numpy as np

from thresher.benchmark.analysis.ranking import Ranking, Scores, rank
from thresher.benchmark.methods import CONTROL
from thresher.benchmark.study.measures import METRICS
from thresher.benchmark.study.result import StudyResult

RANKED = ("f1", "accuracy")
"""The metrics by which methods are ranked, the paper's two."""


@dataclass(frozen=True)
class Comparison:
    """A study and the method that the others are compared with.

    Examples
    --------
    >>> from thresher.benchmark import run_study
    >>> study = run_study(["Yeast-me1"], ["LinR", "ARDT"], folds=5, store=None)
    >>> comparison = Comparison(study, control="ARDT")
    >>> comparison.rankings["f1"].by_rank
    ('ARDT', 'LinR')
    """

    study: StudyResult
    control: str | None

    @cached_property
    def scores(self) -> dict[str, Scores]:
        """Mean over the folds of every metric, and the F1 of all folds together."""
        return {name: self._scores(name) for name in (*METRICS, "pooled_f1")}

    def _scores(self, name: str) -> Scores:
        table = self.study.table(name)
        better = name not in METRICS or METRICS[name].higher_is_better
        return Scores(table.datasets, table.methods, table.values, better)

    @cached_property
    def fold_f1(self) -> dict[tuple[str, str], list[float]]:
        """F1 of each run that is done, by data set and method."""
        found: dict[tuple[str, str], list[float]] = {}
        for run in self.study.runs:
            if run.measures is not None:
                score = float(METRICS["f1"].formula([run.measures])[0])
                found.setdefault((run.dataset, run.method), []).append(score)
        return found

    @cached_property
    def rankings(self) -> dict[str, Ranking]:
        """Ranking by each metric of `RANKED` of what can be ranked; without it, none."""
        parts = {name: self.scores[name].complete() for name in RANKED}
        return {name: rank(part, self.control) for name, part in parts.items() if part.values.size}

    @cached_property
    def left_out(self) -> dict[str, tuple[str, ...]]:
        """Methods that could not be ranked by a metric, since a score of theirs is missing."""
        return {
            name: tuple(m for m in self.study.methods if m not in ranking.scores.methods)
            for name, ranking in self.rankings.items()
        }

    @cached_property
    def unfinished(self) -> int:
        """Number of runs without an outcome."""
        return sum(run.status != "done" for run in self.study.runs)

    @cached_property
    def cpu_seconds(self) -> float:
        """Seconds of CPU that fitting and predicting took in all runs that are done."""
        done = [run.measures for run in self.study.runs if run.measures is not None]
        return sum(measures.fit_time + measures.predict_time for measures in done)

    def as_dict(self) -> dict[str, Any]:
        """Return all of it as plain data for JSON; None where there is no value."""
        return {
            "settings": _plain(self.study.settings),
            "datasets": list(self.study.datasets),
            "methods": list(self.study.methods),
            "scores": {name: _rows(scores) for name, scores in self.scores.items()},
            "rankings": {name: describe(ranking) for name, ranking in self.rankings.items()},
            "failures": [
                {**run._asdict(), "measures": None}
                for run in self.study.runs
                if run.status != "done"
            ],
            "cpu_seconds": self.cpu_seconds,
        }


def choose_control(methods: tuple[str, ...]) -> str | None:
    """Return the paper's method where it takes part, else the first; None without a second one.

    >>> choose_control(("LinR", "ARDT")), choose_control(("LinR", "CDT")), choose_control(("CDT",))
    ('ARDT', 'LinR', None)
    """
    if len(methods) < 2:
        return None
    return CONTROL if CONTROL in methods else methods[0]


def describe(ranking: Ranking) -> dict[str, Any]:
    """Return a ranking as plain data.

    >>> scores = Scores(("a", "b"), ("tree", "line"), np.array([[0.5, 0.4], [0.7, 0.2]]))
    >>> describe(rank(scores, "tree"))["average_ranks"]
    {'tree': 1.0, 'line': 2.0}
    """
    return {
        "datasets": len(ranking.scores.datasets),
        "average_ranks": {name: ranking.average[name] for name in ranking.by_rank},
        "friedman": None if ranking.friedman is None else _finite(ranking.friedman._asdict()),
        "control": ranking.control,
        "equivalent_to_control": list(ranking.kept),
        "holm": {name: _finite(row._asdict()) for name, row in ranking.differences.items()},
        "wilcoxon": {name: _finite(row._asdict()) for name, row in ranking.pairs.items()},
    }


def _finite(row: dict[str, Any]) -> dict[str, Any]:
    """Leave out the column's number, and infinite values, which JSON does not have."""
    return {
        key: value if not isinstance(value, float) or np.isfinite(value) else None
        for key, value in row.items()
        if key != "method"
    }


def _rows(scores: Scores) -> dict[str, dict[str, float | None]]:
    return {
        dataset: {
            method: None if isnan(value) else value
            for method, value in zip(scores.methods, values, strict=True)
        }
        for dataset, values in zip(scores.datasets, scores.values.tolist(), strict=True)
    }


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value if value is None or isinstance(value, str | int | float) else str(value)
