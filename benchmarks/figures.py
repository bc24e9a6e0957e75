"""The comparisons, as lists of figures: fit, predict, one row, memory, threads."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from time import perf_counter
from typing import Any

from contenders import CRITERIA, REFERENCE, contenders, estimator, leaf_count
from measure import best_seconds
from memory import extra_bytes, is_measurable
from tables import Shape, Table, make_table
from targets import target

from thresher import _core
from thresher.tree.structure import Tree

BATCH = 100_000
"""Most rows of one call of predict."""

LARGE = 200_000
"""From this many rows on, memory and threads are measured."""

BINNED = "255 bins, adaptive_renyi"

OF_MEMORY = (*(f"estimator, {criterion}" for criterion in CRITERIA), "LightGBM")


@dataclass(frozen=True)
class Figure:
    """One cell of the table: what was measured, on which table, and what was to be reached.

    Of a forest with so many `trees`, the seconds of fit and the leaves are those of one tree.
    """

    part: str
    contender: str
    shape: Shape
    value: float
    seconds: float | None = None
    leaves: int | None = None
    trees: int | None = None

    @property
    def target(self) -> float | None:
        """The largest value that is good enough."""
        return target(self.part, self.contender, self.shape)

    @property
    def met(self) -> bool | None:
        """Whether the target is met; None without one."""
        return None if self.target is None else self.value <= self.target


def compare(shape: Shape, seconds: float) -> list[Figure]:
    """Return all figures of a table of this shape, `seconds` of CPU time for each part."""
    table = make_table(shape)
    models = {name: fit(table) for name, fit in contenders().items()}
    figures = _fit(shape, table, models, seconds)
    figures += _predict(shape, table, models[REFERENCE], seconds)
    if shape.rows >= LARGE:
        figures += _memory(shape, table) + _threads(shape, table, seconds)
    return figures


def _fit(shape: Shape, table: Table, models: dict[str, Any], seconds: float) -> list[Figure]:
    calls = {name: partial(fit, table) for name, fit in contenders().items()}
    best = best_seconds(calls, seconds)
    figures = [
        Figure("fit", name, shape, time / best[REFERENCE], time, leaf_count(models[name]))
        for name, time in best.items()
    ]
    binned, exact = best[BINNED], best["kernel, adaptive_renyi"]
    return [*figures, Figure("bins", BINNED, shape, binned / exact, binned)]


def compare_calls(
    part: str, calls: Mapping[str, Callable[[], Any]], shape: Shape, seconds: float, **more: Any
) -> list[Figure]:
    """Return the time of each call, that of the first one = 1."""
    best = best_seconds(calls, seconds)
    unit = next(iter(best.values()))
    return [Figure(part, name, shape, time / unit, time, **more) for name, time in best.items()]


def compare_sizes(figures: list[Figure]) -> list[Figure]:
    """Return what ten times the rows cost, of all growth that was measured at both sizes."""
    seconds = {
        (each.contender, each.shape): each.seconds
        for each in figures
        if each.seconds and each.part == "fit" and each.contender.startswith(("kernel", "255"))
    }
    return [
        Figure("ten times the rows", name, shape, time / seconds[name, tenth], time)
        for (name, shape), time in seconds.items()
        if (name, tenth := replace(shape, rows=shape.rows // 10)) in seconds
    ]


def _predict(shape: Shape, table: Table, theirs: Any, seconds: float) -> list[Figure]:
    """Compare on new rows, with trees of the same size: ours is not pruned."""
    ours = estimator("entropy", table, pruning=None)
    rows = make_table(Shape(min(shape.rows, BATCH), shape.columns, shape.positive_share), seed=1).X
    batch = best_seconds(_predictions(theirs, ours, rows), seconds / 3)
    single = best_seconds(_predictions(theirs, ours, rows[:1]), seconds / 6)
    unit = batch[REFERENCE]
    return [
        *(Figure("predict", name, shape, time / unit, time) for name, time in batch.items()),
        *(Figure("one row", name, shape, 1e6 * time, time) for name, time in single.items()),
    ]


def _predictions(theirs: Any, ours: Any, rows: Any) -> dict[str, Callable[[], Any]]:
    router = _router(ours.tree_)
    return {
        REFERENCE: lambda: theirs.predict(rows),
        f"{REFERENCE}, predict_proba": lambda: theirs.predict_proba(rows),
        "kernel, leaves": lambda: router.leaves(rows, 1),
        "estimator, predict": lambda: ours.predict(rows),
        "estimator, predict_proba": lambda: ours.predict_proba(rows),
    }


def _router(tree: Tree) -> _core.Router:
    return _core.Router(
        tree.feature,
        tree.cut,
        tree.left,
        tree.right,
        tree.missing_left,
        tree.category,
        tree.levels_left,
    )


def _memory(shape: Shape, table: Table) -> list[Figure]:
    if not is_measurable():
        return []
    names = [name for name in OF_MEMORY if name in contenders()]
    extra = extra_bytes(names, table)
    return [Figure("memory", name, shape, size / table.X.nbytes) for name, size in extra.items()]


def _threads(shape: Shape, table: Table, seconds: float) -> list[Figure]:
    figures = []
    for criterion in CRITERIA:
        calls = {str(n): partial(estimator, criterion, table, n_jobs=n) for n in (1, 2)}
        best = best_seconds(calls, seconds / 6, clock=perf_counter)
        ratio = best["2"] / best["1"]
        figures.append(Figure("threads", f"estimator, {criterion}", shape, ratio, best["2"]))
    return figures
