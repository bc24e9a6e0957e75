"""Columns that a model should not learn from: part numbers, and what gives the target away."""

from collections.abc import Collection
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.column import Numbers, Texts
from thresher.tables.planning import left_aside
from thresher.tables.source import read_table
from thresher.tables.table import Column, Table
from thresher.tables.target import positive_label, read_labels, with_target
from thresher.tree.classifier import ImbalancedTreeClassifier, single_leaves_allowed

MIN_ROWS = 30
"""Below this many rows any column may look like anything."""
LEAK_F1 = 0.98
LEAK_LEAVES = 4


class Findings(NamedTuple):
    """Columns to leave out, and warnings about columns that are kept."""

    unusable: dict[str, str]
    warnings: list[str]

    @property
    def sentences(self) -> list[str]:
        """All of it, for people."""
        return [*dict.fromkeys(self.unusable.values()), *self.warnings]


def find_suspects(
    table: Any, target: str, *, positive: Any = None, ignore: Collection[str] = ()
) -> Findings:
    """Look for columns of a table that a model should not learn from.

    Parameters
    ----------
    table : data frame, path, or anything that `thresher.tables.read_table` takes
    target : str
        The column with the two classes.
    positive : object, default=None
        The class to find; by default the rarer one.
    ignore : names, default=()
        Columns that are left out anyway.

    Returns
    -------
    Findings
        `unusable` columns and `warnings` about others; `sentences` for people.

    Examples
    --------
    >>> import pandas as pd
    >>> state = np.arange(60) % 20 == 0
    >>> parts = pd.DataFrame({"number": np.arange(60), "late": 1 + 6 * state, "scrap": state})
    >>> for sentence in find_suspects(parts, "scrap").sentences:
    ...     print(sentence)
    Column 'number' names rows, like a part number, such as '0', and is left out; column={'number':
    'number'} says otherwise.
    Column 'late' alone tells the target (F1 1.00); if it is known only afterwards, leave it out
    with ignore='late'.
    """
    whole = with_target(read_table(table, texts=[target]), target, positive)
    labels = read_labels(whole, target)
    label = positive_label(labels, positive)
    return suspects_of(whole.without([target, *ignore]), labels == label)


def suspects_of(table: Table, is_positive: NDArray[np.bool_]) -> Findings:
    """Look at the features of a table."""
    unusable = left_aside(table)
    warnings: list[str] = []
    if len(table) >= MIN_ROWS:
        for name, column in table.columns.items():
            if name not in unusable:
                warnings += _warnings(name, column, is_positive)
    return Findings(unusable, warnings)


def _warnings(name: str, column: Column, is_positive: NDArray[np.bool_]) -> list[str]:
    found = []
    if not isinstance(column, Texts) and _is_part_number(column):
        found.append(
            f"Column {name!r} looks like a part number ({len(column)} whole numbers, all "
            f"different); if it is one, leave it out with ignore={name!r}."
        )
    f1 = _f1_alone(column, is_positive)
    if f1 >= LEAK_F1:
        found.append(
            f"Column {name!r} alone tells the target (F1 {f1:.2f}); if it is known only "
            f"afterwards, leave it out with ignore={name!r}."
        )
    return found


def _is_part_number(numbers: Numbers) -> bool:
    return bool(
        np.isfinite(numbers).all()
        and (numbers == np.floor(numbers)).all()
        and len(np.unique(numbers)) == len(numbers)
    )


def _f1_alone(column: Column, is_positive: NDArray[np.bool_]) -> float:
    """Return the F1 of a small tree on one column; missing values can give the target away too."""
    texts = isinstance(column, Texts)
    X = (column.numbered(column.levels) if isinstance(column, Texts) else column)[:, None]
    if not np.isfinite(X[~np.isnan(X)]).all():
        return 0.0
    model = ImbalancedTreeClassifier(
        max_leaf_nodes=LEAK_LEAVES,
        min_samples_leaf=max(2, int(is_positive.sum()) // 50),
        categorical_features=[0] if texts else None,
        pos_label=True,
    )
    with single_leaves_allowed():
        predicted = model.fit(X, is_positive).predict(X)
    hits = int((predicted & is_positive).sum())
    return 2.0 * hits / int(predicted.sum() + is_positive.sum())
