"""What competed for a model, and what is said of it; every figure is from inner rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from thresher.text_table import Cell, TextTable

NOTES = (
    "Compared on inner rows that no candidate had seen, each at the threshold best for it. Such "
    "figures flatter, for the best of many candidates is a lucky one too; the verdict judges "
    "the model on other rows, and is mostly lower.",
    "The simplest candidate is taken that is within one standard error (±) of the best, and at "
    "most 3 % of its value behind. A tree is simpler than a score card, a card than a forest, a "
    "forest than boosted trees, these than a blend, and each is simpler without derived columns. "
    "A card competes only where no tree is within that of the others.",
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
    def is_card(self) -> bool:
        """Whether it is a score card, which people can read and add up."""
        return self.name.startswith("score card")

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

    >>> told = [Competitor("tree", 0.5, 0.5, True), Competitor("blend", 0.7, 0.5, False)]
    >>> table = candidates_table(told)
    >>> [row[0] for row in table.rows], table.rows[1][-1]
    (['blend', 'tree'], 'chosen')
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
    if chosen.is_tree or chosen.is_card:
        return ""
    trees = [one for one in others if one.is_tree and one.gap]
    cards = [one for one in others if one.is_card and one.gap]
    return _behind("The best readable tree", trees) + _behind("The score card", cards)


def _behind(what: str, some: Sequence[Competitor]) -> str:
    if not some:
        return ""
    best = max(some, key=lambda one: one.value)
    is_level = (best.gap or 0.0) <= (best.noise or 0.0)
    but = ": within the noise, but by more than 3 % of its value" if is_level else ""
    return f" {what} is {best.gap_words} behind the best{but}."
