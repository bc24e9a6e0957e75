"""What is behind an alert: its condition or, where none holds, the reasons for its score."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.condition.table import ConditionTable
from thresher.frames import take_rows

TOLD = 3
"""Reasons of an alert without a condition."""


def fired(table: ConditionTable, leaves: NDArray[Any], is_alert: NDArray[np.bool_]) -> list[str]:
    """Return the text of the condition behind each alert; empty where there is none.

    A forest may raise an alert that no condition of the tree that imitates it explains.
    """
    alerts = np.unique(leaves[is_alert]).tolist()
    index_of = table.place_of_leaf
    text_of = {leaf: table.texts[index_of[leaf]] for leaf in alerts if leaf in index_of}
    pairs = zip(leaves.tolist(), is_alert.tolist(), strict=True)
    return [text_of.get(leaf, "") if alert else "" for leaf, alert in pairs]


def with_reasons(texts: list[str], model: Any, X: Any, is_alert: NDArray[np.bool_]) -> list[str]:
    """Return what is behind each alert: its condition in `texts`, else its largest reasons.

    >>> from thresher import ImbalancedTreeClassifier
    >>> X = np.arange(6.0)[:, None]
    >>> model = ImbalancedTreeClassifier("gini").fit(X, [0, 0, 0, 0, 1, 1])
    >>> with_reasons(["", "", ""], model, X[3:], np.array([False, True, True]))
    ['', 'reasons: x[0] 4 > 3.5: +0.67', 'reasons: x[0] 5 > 3.5: +0.67']
    """
    bare = np.flatnonzero(is_alert & np.array([not text for text in texts], dtype=np.bool_))
    if not len(bare) or not hasattr(model, "reasons"):
        return texts
    told, found = list(texts), model.reasons(take_rows(X, bare), top=TOLD)
    for row, reasons in zip(bare.tolist(), found, strict=True):
        told[row] = f"reasons: {'; '.join(reasons)}" if reasons else ""
    return told
