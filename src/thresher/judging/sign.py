"""A sign that a column is not as it was in training: what speaks for it, and how much it matters.

Every probability is a bound that holds for any distribution and any number of rows, as long as new
rows and training rows come from one source: which of the rows are the new ones is then an accident,
so that counts of new rows are drawn without replacement from those of both tables.
"""

from typing import Any, NamedTuple, TypeAlias

from numpy.typing import ArrayLike

from thresher.statistics import stability_by_chance, stability_index, tail_bound
from thresher.wording import percent, plain

LEAST_PSI = 0.1
"""A change is told where its population stability index is above that of chance by more."""

Cells: TypeAlias = tuple[ArrayLike, ArrayLike]
"""Counts in the same cells: of new rows, and of the training."""


class Sign(NamedTuple):
    """One way in which a column has changed.

    Attributes
    ----------
    kind : "missing", "range", "value", "levels" or "mix".
    p : a bound of the probability of such a sign among rows like those of the training.
    psi : the stability index of the change.
    excess : by how much it is above that of chance.
    figures : for programs.
    words : for people, the rest of a sentence that starts with the column.
    """

    kind: str
    p: float
    psi: float
    excess: float
    figures: dict[str, Any]
    words: str

    @classmethod
    def of(
        cls,
        kind: str,
        p: float,
        cells: Cells,
        figures: dict[str, Any],
        words: str,
    ) -> "Sign":
        """Make a sign whose change shows in some cells."""
        psi = stability_index(*cells)
        return cls(kind, min(p, 1.0), psi, psi - stability_by_chance(*cells), figures, words)

    def is_told(self, level: float) -> bool:
        """Whether it is beyond chance, and matters."""
        return self.p <= level and self.excess > LEAST_PSI


class Split(NamedTuple):
    """How many of the new values, and of those of the training, are of some sort."""

    new: int
    new_of: int
    known: int
    known_of: int

    @property
    def cells(self) -> Cells:
        """The counts of those that are of the sort, and of those that are not."""
        return (self.new, self.new_of - self.new), (self.known, self.known_of - self.known)

    @property
    def shares(self) -> dict[str, float]:
        """The shares, for programs."""
        return {
            "share": self.new / max(self.new_of, 1),
            "training_share": self.known / max(self.known_of, 1),
        }

    @property
    def more_p(self) -> float:
        """A bound of the probability of so many new ones or more."""
        both = self.new + self.known
        return float(tail_bound(self.new, self.new_of, both, self.new_of + self.known_of))

    @property
    def fewer_p(self) -> float:
        """A bound of the probability of so few new ones or fewer."""
        return Split(self.known, self.known_of, self.new, self.new_of).more_p


def missing_sign(split: Split) -> Sign:
    """Return the sign of other missing values: more, or fewer.

    >>> found = missing_sign(Split(30, 50, 4, 200))
    >>> found.words, found.p < 1e-9
    ('60.0 % of the values are missing, in training 2.0 %', True)
    """
    shares = split.shares
    words = (
        f"{in_words(shares['share'])} of the values are missing, in training "
        f"{in_words(shares['training_share'])}"
    )
    p = 2.0 * min(split.more_p, split.fewer_p)
    return Sign.of("missing", p, split.cells, shares, words)


def in_words(share: float) -> str:
    """Return a share for a terminal.

    >>> in_words(0.125)
    '12.5 %'
    """
    return plain(percent(share))
