"""What competed for a model, and what is said of it; every figure is from inner rows."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from thresher.model_file.fields import Record
from thresher.pair import pair_names
from thresher.pairs.features import PairFeatures
from thresher.text_table import Cell, TextTable
from thresher.wording import first_of, p_words

NOTES = (
    "Compared on inner rows that no candidate had seen, each at the threshold best for it. Such "
    "figures flatter, for the best of many candidates is a lucky one too; the verdict judges "
    "the model on other rows, and is mostly lower.",
    "The simplest candidate is taken that is within one standard error (±) of the best, and at "
    "most 3 % of its value behind. A tree is simpler than a forest, a forest than boosted trees, "
    "and each is simpler without derived columns.",
)


@dataclass(frozen=True)
class Competitor:
    """A candidate as the table of candidates shows it.

    Attributes
    ----------
    name : for people.
    value : what it reached of what the rule is after, at the threshold chosen for it.
    threshold : that threshold.
    is_chosen : whether it is the model.
    measure : what the rule of the training was after.
    low, high : 95 % interval of the value, None where it is not recorded.
    gap, noise : how far it is behind the best, and the standard error of that difference.
    """

    name: str
    value: float
    threshold: float
    is_chosen: bool
    measure: str = "value"
    low: float | None = None
    high: float | None = None
    gap: float | None = None
    noise: float | None = None

    @property
    def is_tree(self) -> bool:
        """Whether it is a single tree, which people can read."""
        return self.name.startswith("tree")

    @property
    def interval_words(self) -> str:
        """The interval of the value; nothing where it is not recorded."""
        if self.low is None or self.high is None:
            return ""
        low, high = sorted((abs(self.low), abs(self.high)))
        return f"{low:.3f} to {high:.3f}"

    @property
    def gap_words(self) -> str:
        """How far it is behind the best; nothing where it is not recorded."""
        if self.gap is None or self.noise is None:
            return ""
        return f"{self.gap:.3f} ± {self.noise:.3f}" if self.gap > 0.0 else "best"


def competitors(rivals: Sequence[Any], chosen: Any, measure: str) -> tuple[Competitor, ...]:
    """Return what competed in a training."""
    return tuple(
        Competitor(
            one.candidate.name,
            one.standing.value,
            one.threshold,
            one is chosen,
            measure,
            *one.standing[1:],
        )
        for one in rivals
    )


def candidates_table(candidates: Sequence[Competitor]) -> TextTable | None:
    """Return what competed, the best first; None where there was nothing to choose from.

    >>> told = [Competitor("tree", 0.5, 0.5, True), Competitor("forest", 0.7, 0.5, False)]
    >>> table = candidates_table(told)
    >>> [row[0] for row in table.rows], table.rows[1][-1]
    (['forest', 'tree'], 'chosen')
    """
    if len(candidates) < 2:
        return None
    headings = ("candidate", candidates[0].measure, "95 % interval", "behind the best", "")
    rows = [
        (
            one.name,
            Cell(abs(one.value)),
            one.interval_words,
            one.gap_words,
            "chosen" if one.is_chosen else "",
        )
        for one in sorted(candidates, key=lambda one: -one.value)
    ]
    return TextTable("What was compared", headings, rows, NOTES)


def choice_words(candidates: Sequence[Competitor]) -> str | None:
    """Say what was chosen over what; None where there was nothing to choose from."""
    others = [one for one in candidates if not one.is_chosen]
    chosen = next((one for one in candidates if one.is_chosen), None)
    if chosen is None or not others:
        return None
    best = max(others, key=lambda one: one.value)
    reached, other = (f"{abs(one.value):.3f}" for one in (chosen, best))
    start, tree = f"Of {len(candidates)} candidates, the", _tree_words(chosen, others)
    if best.value > chosen.value:
        return (
            f"{start} simplest within the noise of the best on inner rows was taken, the "
            f"{chosen.name} ({chosen.measure} {reached}; the {best.name}: {other}).{tree}"
        )
    return (
        f"{start} {chosen.name} did best on inner rows ({chosen.measure} {reached}; next: the "
        f"{best.name}, {other}).{tree}"
    )


def _tree_words(chosen: Competitor, others: Sequence[Competitor]) -> str:
    """Say how far what people can read is behind, where another model was chosen."""
    trees = [one for one in others if one.is_tree and one.gap]
    if chosen.is_tree or not trees:
        return ""
    best = max(trees, key=lambda one: one.value)
    is_level = (best.gap or 0.0) <= (best.noise or 0.0)
    but = ": within the noise, but by more than 3 % of its value" if is_level else ""
    return f" The best readable tree is {best.gap_words} behind the best{but}."


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
    >>> Derived(("torque x speed",), False, 0.3).words("forest")
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
