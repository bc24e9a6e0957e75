"""What may be done about conditions, and what speaks for it: as a data frame, text or JSON."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil, isnan, nan
from typing import Any, ClassVar

from thresher.action.avoided import NO_RATES, Rates
from thresher.action.confounders import Confounder
from thresher.action.experiment import parts_needed
from thresher.action.limit import Limit
from thresher.condition.column_table import ColumnTable
from thresher.wording import counted, finite, first_of, percent, plain, verb

CAUTION = (
    "These are associations in past rows, not proofs of cause: something that goes with a "
    "setting may be what counts. Test a limit on the line before you trust it."
)


@dataclass(frozen=True)
class Action:
    """A limit for one lever of a condition.

    Attributes
    ----------
    condition : number of the condition.
    text : the condition in words.
    state : what unseen rows say of the condition, "confirmed" or not.
    stage : where it is known, None without stages.
    parts, scrap : rows of the table that meet it, the lever measured, and the positive ones.
    limit : what to hold where; None where no column of it may be set.
    sentence : the same in words.
    rates : of unseen rows that meet it, and of comparable ones that keep the limit.
    outside : share of all rows that the limit would change if it held for all.
    confounders : columns that move with the lever.
    value : what one positive row costs, NaN where it is not known.
    rows : all rows of the table.
    """

    condition: int
    text: str
    state: str
    stage: str | None
    parts: int
    scrap: int
    limit: Limit | None
    sentence: str
    rates: Rates = NO_RATES
    outside: float = nan
    confounders: tuple[Confounder, ...] = ()
    value: float = nan
    rows: int = 0

    @property
    def avoided(self) -> tuple[float, float, float]:
        """Scrap avoided among as many parts to come, with a 95 % interval; NaN where unknown."""
        return self.rates.avoided(self.parts)

    @property
    def money(self) -> tuple[float, float, float]:
        """The same in money; what the change itself costs is not in it."""
        avoided, low, high = (scrap * self.value for scrap in self.avoided)
        return avoided, low, high

    @property
    def test_parts(self) -> int | None:
        """Parts of each of two groups that a test on the line takes, if unseen rates are right."""
        now, then = self.rates.rate, self.rates.comparable_rate
        return None if isnan(now - then) or now <= then else parts_needed(now, then)

    @property
    def line_parts(self) -> int | None:
        """Parts that the line makes until both groups are full: few meet the condition."""
        if self.test_parts is None or not self.parts:
            return None
        return ceil(2 * self.test_parts * self.rows / self.parts)

    @property
    def suspects(self) -> tuple[str, ...]:
        """Columns that could be what counts, instead of the lever."""
        return tuple(one.column for one in self.confounders if one.explains)


@dataclass(frozen=True, repr=False)
class ActionTable(ColumnTable):
    """What may be done about each condition, what avoids most first.

    Attributes
    ----------
    actions : one for each lever of a condition, the one that avoids most first; at the end one
        without a limit for each condition of which no column may be set. Two may contradict each
        other.
    evidence : where rates come from, "hold-out" or "out of fold"; None where nothing is unseen.
    pos_label : the class that conditions lead to.
    class_name : what people call positive rows.
    """

    TEXTS: ClassVar[frozenset[str]] = frozenset(
        {"text", "state", "lever", "action", "confounders", "moves_with", "stage"}
    )

    actions: tuple[Action, ...]
    evidence: str | None
    pos_label: Any
    class_name: str

    def __len__(self) -> int:
        return len(self.actions)

    def __repr__(self) -> str:
        levers = sum(action.limit is not None for action in self.actions)
        return f"<ActionTable: {len(self)} rows, {levers} with a limit>"

    def columns(self) -> dict[str, list[Any]]:
        """Return the columns by name; what is not known is None."""
        rows = [_row(action) for action in self.actions]
        return {name: [row[name] for row in rows] for name in _row(NO_ACTION)}

    def to_json(self) -> str:
        """Return a JSON object: the actions, with limits as clauses and what moves with a lever."""
        return json.dumps(
            {
                "positive_class": str(self.pos_label),
                "evidence": self.evidence,
                "caution": CAUTION,
                "actions": [_data(action) for action in self.actions],
            },
            ensure_ascii=False,
            indent=2,
        )

    def to_text(self) -> str:
        """Return a few lines for each action."""
        if not self.actions:
            return f"No condition leads to {self.pos_label}, so there is nothing to act on.\n"
        lines = [self.lines(place) for place in range(len(self))]
        return "\n".join([*lines, CAUTION]) + "\n"

    def lines(self, place: int) -> str:
        """Return one action in words, over several lines."""
        action = self.actions[place]
        first = f"{action.condition}. {action.text} ({action.state})"
        return plain("\n   ".join([first, *_words(action, self.class_name, str(self.evidence))]))

    def short(self, condition: int) -> str | None:
        """Return in one line what may be done about a condition, by its number; None if nothing."""
        for action in self.actions:
            if action.condition == condition and action.limit is not None:
                return plain("; ".join([action.sentence, *_short(action, self.class_name)]))
        return None


NO_ACTION = Action(0, "", "", None, 0, 0, None, "")


def _row(action: Action) -> dict[str, Any]:
    rates, named = action.rates, [str(name) for name in action.suspects]
    others = [one.column for one in action.confounders if not one.explains]
    numbers = {
        "rate": rates.rate,
        "kept_parts": rates.comparable_parts,
        "kept_rate": rates.comparable_rate,
        **dict(zip(("avoided", "avoided_low", "avoided_high"), action.avoided, strict=True)),
        **dict(zip(("money", "money_low", "money_high"), action.money, strict=True)),
        "outside": action.outside,
    }
    return {
        "condition": action.condition,
        "text": action.text,
        "state": action.state,
        "lever": None if action.limit is None else action.limit.lever,
        "action": action.sentence,
        "parts": action.parts,
        "scrap": action.scrap,
        **{name: finite(value) for name, value in numbers.items()},
        "confounders": ", ".join(named),
        "moves_with": ", ".join(others),
        "test_parts": action.test_parts,
        "stage": action.stage,
    }


def _data(action: Action) -> dict[str, Any]:
    limit = action.limit
    return {
        **_row(action),
        "confounders": [one.as_data() for one in action.confounders if one.explains],
        "moves_with": [one.as_data() for one in action.confounders if not one.explains],
        "settings": [] if limit is None else list(limit.settings),
        "limit": None if limit is None or limit.good is None else limit.good.as_data(),
        "while": [] if limit is None else [clause.as_data() for clause in limit.context],
    }


def _words(action: Action, class_name: str, evidence: str) -> Iterable[str]:
    yield action.sentence
    met = f"{counted(action.parts, 'rows')} of the table {verb(action.parts, 'meet')}"
    yield f"{met} the condition, {action.scrap:,} of them {class_name}"
    if action.limit is None or action.limit.good is None:
        return
    rates = action.rates
    if not rates.parts or not rates.comparable_parts:
        yield f"{evidence}: no comparable rows keep the limit, so what it brings cannot be told"
        return
    yield (
        f"{evidence}: {percent(rates.rate)} {class_name} under it, "
        f"{percent(rates.comparable_rate)} of the {counted(rates.comparable_parts, 'rows')} next "
        "to the limit that keep it"
    )
    yield from _short(action, class_name)
    yield f"held for all rows, the limit would change {percent(action.outside)} of them"
    yield from _warnings(action.confounders)
    if action.test_parts is not None:
        yield _test_words(action)


def _test_words(action: Action) -> str:
    test = counted(action.test_parts or 0, "rows")
    line = "" if action.line_parts is None else f", about {action.line_parts:,} rows of the line"
    return f"a test on the line takes about 2 x {test} under the condition{line}"


def _short(action: Action, class_name: str) -> Iterable[str]:
    avoided, low, high = action.avoided
    if isnan(avoided):
        return
    text = f"{class_name} avoided, if the lever is the cause: {avoided:,.0f}"
    text = f"{text} ({low:,.0f} to {high:,.0f})"
    money, least, most = action.money
    yield text if isnan(money) else f"{text}; money {money:,.0f} ({least:,.0f} to {most:,.0f})"


def _warnings(confounders: Sequence[Confounder]) -> Iterable[str]:
    for one in (one for one in confounders if one.explains):
        how = (
            "and cannot be told from it"
            if one.left is None
            else f"and leaves {percent(max(one.left, 0.0))} of the difference"
        )
        yield (
            f"could be the reason instead: {one.column} moves with the lever (rank correlation "
            f"{one.correlation:.2f}) {how}"
        )
    others = [f"{one.column} ({one.correlation:.2f})" for one in confounders if not one.explains]
    if others:
        yield f"moves with the lever, but leaves the difference: {first_of(others, 3)}"
