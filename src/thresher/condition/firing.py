"""Which condition is behind an alert."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.condition.table import ConditionTable


def fired(table: ConditionTable, leaves: NDArray[Any], is_alert: NDArray[np.bool_]) -> list[str]:
    """Return the text of the condition behind each alert; empty where there is none.

    A forest may raise an alert that no condition of the tree that imitates it explains.
    """
    text_of = {
        leaf: text
        for text, condition in zip(table.texts, table.conditions, strict=True)
        for leaf in condition.leaves
    }
    pairs = zip(leaves.tolist(), is_alert.tolist(), strict=True)
    return [text_of.get(leaf, "") if alert else "" for leaf, alert in pairs]
