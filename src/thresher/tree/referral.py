"""What only a tree has that refers rows."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from thresher.frames import make_frame
from thresher.referred import Referred

FRONT = ("referred", "f1", "agreement_f1", "leaves", "threshold", "threshold_alert")
"""Columns of a front."""


@dataclass(frozen=True)
class Referral:
    """How many rows a tree refers, and to whom.

    Attributes
    ----------
    referred : the share of rows, as it is to be expected of unseen ones.
    front : what other shares would give, by columns; None where that is not known.
    frame : library of the front's data frame.
    model : who decides about these rows; None where it was left behind.
    """

    referred: Referred
    front: Mapping[str, NDArray[Any]] | None = None
    frame: str | None = None
    model: Any = None

    def alone(self) -> Self:
        """Return it without the model."""
        return replace(self, model=None)


class ReferringMixin:
    """A tree that may refer rows; `referral_` is None where it does not."""

    referral_: Referral | None = None

    @property
    def referred_(self) -> Referred | None:
        """The share of rows that are referred, None where none are."""
        return None if self.referral_ is None else self.referral_.referred

    @property
    def front_(self) -> Any:
        """What other shares would give, as a data frame."""
        referral = self._known_referral("front_")
        if referral.front is None:
            raise AttributeError("This tree came from a file that keeps no front_.")
        return make_frame({name: np.array(referral.front[name]) for name in FRONT}, referral.frame)

    @property
    def referred_to_(self) -> Any:
        """The model that was imitated, which can decide about referred rows."""
        referral = self._known_referral("referred_to_")
        if referral.model is None:
            raise AttributeError(
                "This tree came from a file or a pickle, which leave behind the model that it "
                "imitates and refers rows to: load that model from a file of its own."
            )
        return referral.model

    def _known_referral(self, name: str) -> Referral:
        if self.referral_ is None:
            raise AttributeError(f"This tree refers no rows, so it has no {name}.")
        return self.referral_
