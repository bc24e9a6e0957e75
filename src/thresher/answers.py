"""The three answers to a row: alert, pass, or refer it to somebody who looks closer."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

ALERT, PASS, REFER = "alert", "pass", "refer"
ANSWERS = (PASS, REFER, ALERT)
"""In the order of rising scores."""


def answers(score: ArrayLike, low: float, high: float | None = None) -> NDArray[Any]:
    """Return the answer to each score: "alert" above `high`, "refer" above `low`, else "pass".

    Without `high`, or where it is not above `low`, nothing is referred.

    Examples
    --------
    >>> answers([0.05, 0.1, 0.3, 0.5, 0.9], low=0.1, high=0.5).tolist()
    ['pass', 'pass', 'refer', 'refer', 'alert']
    >>> answers([0.1, 0.3], low=0.1).tolist()
    ['pass', 'alert']
    """
    scores = np.asarray(score, dtype=np.float64)
    is_above, is_alert = scores > low, scores > (low if high is None else max(low, high))
    words: NDArray[Any] = np.array(ANSWERS, dtype=object)
    found: NDArray[Any] = words[is_above.astype(np.intp) + is_alert]
    return found
