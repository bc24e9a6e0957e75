"""What came of columns made of two others, on all rows of a training."""

from dataclasses import asdict, dataclass
from typing import Any

from thresher.model_file.record import Record
from thresher.pair import pair_names
from thresher.pairs.features import PairFeatures
from thresher.wording import first_of, p_words

USES_THEM = ", derived columns"
"""How the name of a candidate ends that uses them."""


@dataclass(frozen=True)
class Derived:
    """Columns made of two others that were put to the test, and what it said.

    Attributes
    ----------
    tried : their names; none where the table has too few rows of the rarer class, or no pairs.
    is_kept : whether they earned their place, so that each model competed with them as well.
    p : how likely such a gain on unseen rows is without an effect of them; None without a test.

    Examples
    --------
    >>> Derived(("torque x speed",), False, 0.3).words("blend")
    'Columns made of two others were tried and not kept: unseen rows gained too little (p = 0.300).'
    """

    tried: tuple[str, ...]
    is_kept: bool
    p: float | None

    @classmethod
    def of(cls, found: PairFeatures, names: tuple[str, ...]) -> "Derived":
        """Return what a fitted transformer says of a table of columns with these names."""
        tried = pair_names(names, found.chosen_)
        return cls(tried, bool(found.pairs_), found.p_value_ if tried else None)

    def words(self, model: str) -> str:
        """Say what was tried and what came of it, given the name of the model that was taken."""
        if not self.tried or self.p is None:
            return (
                "No columns made of two others were tried: there are too few rare rows, or too few "
                "columns of numbers."
            )
        if not self.is_kept:
            return (
                "Columns made of two others were tried and not kept: unseen rows gained too little "
                f"({p_words(self.p)})."
            )
        is_used = model.endswith(USES_THEM)
        without = "" if is_used else "; the model that was taken does without them"
        return (
            f"Columns made of two others earned their place ({p_words(self.p)}): "
            f"{first_of(self.tried)}{without}."
        )

    def as_data(self) -> dict[str, Any]:
        """Return plain data."""
        return {**asdict(self), "tried": list(self.tried)}

    @classmethod
    def from_record(cls, record: Record) -> "Derived":
        """Read what `as_data` wrote."""
        p = record.within("p", 0.0, 1.0) if record.has("p") else None
        return cls(tuple(record.texts("tried")), record.truth("is_kept"), p)
