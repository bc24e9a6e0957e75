"""Which condition is behind an alert."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.condition.lazy_list import taken
from thresher.condition.table import ConditionTable


def fired(table: ConditionTable, leaves: NDArray[Any], is_alert: NDArray[np.bool_]) -> list[str]:
    """Return the text of the condition behind each alert; empty where there is none.

    A forest may raise an alert that no condition of the tree that imitates it explains.
    """
    alerts = np.unique(leaves[is_alert]).tolist()
    place_of = {leaf: table.place_of_leaf[leaf] for leaf in alerts if leaf in table.place_of_leaf}
    text_of = dict(zip(place_of, taken(table.texts, [*place_of.values()]), strict=True))
    pairs = zip(leaves.tolist(), is_alert.tolist(), strict=True)
    return [text_of.get(leaf, "") if alert else "" for leaf, alert in pairs]
