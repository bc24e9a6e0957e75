"""Why printed figures and ours differ, as facts that are computed anew for each study."""

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from studies.paper.claims import PRINTED_ZERO, Beside
from studies.paper.printed_tables import printed_shares
from thresher.datasets import load_dataset
from thresher.datasets.catalog import catalog
from thresher.study import Scores, StudyResult
from thresher.study.results import SAME_WITHIN
from thresher.text_table import Cell, Row, TextTable

ROUNDING = 0.0151
"""How far a figure printed with two decimals may be from what it is made of, with some slack."""

EXPLAINED = ("DKMDT", "LogR+CS")
"""Methods whose printed figures cannot come from their definitions."""


class OneSided(NamedTuple):
    """Data sets on which a printed model makes the same decision for (nearly) every row.

    `others` is the smallest printed F1 of another method on these data sets; `printed` and `here`
    are the mean F1 of the method over all data sets.
    """

    datasets: tuple[str, ...]
    others: float
    printed: float
    here: float


def never_positive(f1: Beside, accuracy: Beside, method: str, other: str) -> OneSided:
    """Find where a printed F1 is 0 and the printed accuracy is the share of negatives."""
    found = [
        dataset
        for dataset in f1.printed.datasets
        if f1.printed.of(dataset, method) < PRINTED_ZERO
        and abs(accuracy.printed.of(dataset, method) - (1 - catalog()[dataset].share)) < ROUNDING
    ]
    return _one_sided(f1, found, method, other)


def nearly_always_positive(f1: Beside, accuracy: Beside, method: str, other: str) -> OneSided:
    """Find where the printed F1 is that of calling every row positive, 2 p / (1 + p).

    The printed accuracy has to be below one half; it is p if every row is called positive.
    """
    found = []
    for dataset in f1.printed.datasets:
        share = catalog()[dataset].share
        is_constant = abs(f1.printed.of(dataset, method) - 2 * share / (1 + share)) < ROUNDING
        if is_constant and accuracy.printed.of(dataset, method) < 0.5:
            found.append(dataset)
    return _one_sided(f1, found, method, other)


def _one_sided(f1: Beside, datasets: Sequence[str], method: str, other: str) -> OneSided:
    scores = [f1.printed.of(dataset, other) for dataset in datasets]
    return OneSided(tuple(datasets), min(scores, default=float("nan")), *f1.means(method))


def unequal_cells(first: str, second: str, sides: Sequence[Beside]) -> int:
    """Count our cells in which two methods differ."""
    gaps = [side.here.column(first) - side.here.column(second) for side in sides]
    return int(np.count_nonzero(np.concatenate(gaps).round(SAME_WITHIN)))


class WrongShare(NamedTuple):
    """A data set whose printed share of positives is not that of the data."""

    dataset: str
    printed: float
    here: float


def wrong_shares() -> list[WrongShare]:
    """Find the shares of positives in the paper's list that the data do not have.

    >>> [row.dataset for row in wrong_shares()]
    ['Yeast-me2', 'Yeast-exc']
    """
    rows = [
        WrongShare(dataset, printed, catalog()[dataset].share)
        for dataset, printed in printed_shares().items()
    ]
    return [row for row in rows if abs(row.printed - row.here) > ROUNDING]


def same_rows(first: str, second: str) -> bool:
    """Whether two data sets are the same rows and labels in whatever order.

    >>> same_rows("Thyroid1", "Thyroid2")
    True
    """
    return np.array_equal(_sorted_rows(first), _sorted_rows(second))


def _sorted_rows(dataset: str) -> NDArray[np.float64]:
    table: NDArray[np.float64] = np.column_stack(load_dataset(dataset))
    return table[np.lexsort(table.T)]


def column_gap(side: Beside, first: str, second: str) -> tuple[float, float]:
    """Return the mean absolute difference between two data sets over the methods: printed, here."""
    gaps = [
        np.mean([abs(table.of(first, m) - table.of(second, m)) for m in table.methods])
        for table in (side.printed, side.here)
    ]
    return float(gaps[0]), float(gaps[1])


def gap_table(f1: Beside, accuracy: Beside) -> TextTable:
    """Return the means of each method, printed and here, and the mean difference of its cells."""
    rows: list[Row] = []
    for method in f1.here.methods:
        (printed, here), (printed_acc, here_acc) = f1.means(method), accuracy.means(method)
        rows.append(
            [method, here, printed, f1.gap(method), here_acc, printed_acc, accuracy.gap(method)]
        )
    columns = ["method", "F1 here", "F1 paper", "difference"]
    columns += ["ACC here", "ACC paper", "difference"]
    notes = ["Difference: mean absolute difference over the data sets."]
    return TextTable("Means over the data sets", columns, rows, notes)


def furthest_cells(side: Beside, max_cells: int = 12) -> TextTable:
    """Return the cells of the largest difference among methods that nothing explains."""
    cells = [
        (dataset, method, side.here.of(dataset, method), side.printed.of(dataset, method))
        for dataset, method in product(side.here.datasets, side.here.methods)
        if method not in EXPLAINED
    ]
    cells.sort(key=lambda cell: -abs(cell[2] - cell[3]))
    rows: list[Row] = [
        [dataset, method, here, Cell(printed, decimals=2), here - printed]
        for dataset, method, here, printed in cells[:max_cells]
    ]
    columns = ("data set", "method", "here", "paper", "difference")
    return TextTable(f"Largest differences of {side.paper.heading}", columns, rows)


class Noise(NamedTuple):
    """The noise of a cell by its folds, and the cells that it could explain.

    `typical` is the median standard error of a cell's mean; `within` of `cells` differ from the
    printed value by at most two standard errors and rounding.
    """

    typical: float
    within: int
    cells: int


def fold_noise(study: StudyResult, f1: Beside) -> Noise:
    """Compare the differences of F1 with the spread of the folds."""
    errors, within = [], 0
    for dataset, method in product(f1.here.datasets, f1.here.methods):
        spread = float(np.std(study.by_fold("f1", dataset, method), ddof=1))
        # Repeats reuse the rows, so that only the folds of one count as independent.
        errors.append(spread / study.folds**0.5)
        gap = abs(f1.here.of(dataset, method) - f1.printed.of(dataset, method))
        within += gap <= 2 * errors[-1] + PRINTED_ZERO
    return Noise(float(np.median(errors)), within, len(errors))


# ---------------------------------------------------------------------------- cell by cell


def beside_table(ours: Scores, printed: Scores, heading: str, far: float) -> TextTable:
    """Return "ours / printed" in each cell; those further apart than `far` in bold."""
    rows: list[Row] = [
        [dataset, *(_beside(*both, far) for both in _both(ours, printed, dataset))]
        for dataset in ours.datasets
    ]
    means = [
        (
            float(ours.column(method).mean()),
            float(printed.restricted(ours.datasets, [method]).values.mean()),
        )
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
