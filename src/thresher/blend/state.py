"""What a model keeps of its fit whose training rows were scored by parts that had not seen them."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.threshold.counts import Vector
from thresher.tree.sample import Rows


@dataclass(frozen=True, eq=False)
class UnseenState:
    """Unseen scores of the training rows, and the seed of the draws.

    Attributes
    ----------
    scores : of the positive class, NaN for rows that every part has seen.
    totals : sample weight of the training rows, (negative, positive).
    seed : of all draws.
    training_rows : the rows themselves, None where they are not at hand; pickles leave them out.
    """

    scores: Vector
    totals: tuple[float, float]
    seed: int
    training_rows: Rows | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the training rows."""
        return {**vars(self), "training_rows": None}

    @property
    def n_rows(self) -> int:
        """Number of training rows."""
        return len(self.scores)

    @property
    def prior(self) -> float:
        """Share of positives in the training rows."""
        negative, positive = self.totals
        return positive / (negative + positive)

    @property
    def is_scored(self) -> NDArray[np.bool_]:
        """Whether each row has a score."""
        return ~np.isnan(self.scores)
