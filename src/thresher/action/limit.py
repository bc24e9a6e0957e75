"""A limit: where a setting is to be held, so that a clause of a condition does not come true."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.column import OTHER_LEVELS
from thresher.condition.clause import Clause, Interval, LevelSet, inside, joined
from thresher.wording import digits, listed

Window = tuple[float, float] | tuple[Any, ...]
"""What a setting may be: its lowest and highest number, or its levels."""


@dataclass(frozen=True)
class Limit:
    """Where a column is to be held.

    Attributes
    ----------
    lever : the column to be held; of a derived one its name.
    settings : the columns that may be set for it.
    bad : the clause that is to be avoided, as far as the lever is measured.
    good : where it is to be held, None where no allowed value is there.
    context : the other clauses of the condition: where the limit is wanted.

    Examples
    --------
    >>> bad = Interval("press_force", low=61.5)
    >>> print(limits_of(bad, (), {})[0])
    hold press_force at or below 61.5
    """

    lever: str
    settings: tuple[str, ...]
    bad: Clause
    good: Clause | None
    context: tuple[Clause, ...] = ()
    allowed: Window | None = None

    def __str__(self) -> str:
        if self.good is None:
            return f"{self.lever} may only be {self._allowed_words()}: no value avoids {self.bad}"
        if isinstance(self.good, LevelSet):
            return f"keep {self.lever} to {listed(map(str, self.good.levels), 'or')}"
        return f"hold {self.lever} {_held(self.good)}"

    def sentence(self, complete: Collection[str] = ()) -> str:
        """Return the limit, and where it is wanted."""
        words = [
            replace(clause, missing=False) if clause.column in complete else clause
            for clause in self.context
        ]
        return f"{self} while {joined(words)}" if words and self.good is not None else str(self)

    def _allowed_words(self) -> str:
        assert self.allowed is not None
        if isinstance(self.bad, LevelSet):
            return listed(map(str, self.allowed), "or")
        low, high = self.allowed
        if low == -inf:
            return f"at most {digits(high)}"
        return f"at least {digits(low)}" if high == inf else f"from {digits(low)} to {digits(high)}"

    def is_kept(self, values: NDArray[Any]) -> NDArray[np.bool_]:
        """Whether values of the lever keep the limit; a missing one does not."""
        assert self.good is not None
        kept = inside(self.good, values)
        if self.allowed is not None and isinstance(self.good, Interval):
            kept &= (
                values >= self.allowed[0]
            )  # the end of a window is allowed, that of a clause not
        return kept


def _held(good: Interval) -> str:
    if good.low == -inf:
        return f"at or below {digits(good.high)}"
    if good.high == inf:
        return f"above {digits(good.low)}"
    return f"above {digits(good.low)} and at or below {digits(good.high)}"


def limits_of(
    clause: Clause, context: Sequence[Clause], windows: Mapping[str, Window], settings: Any = ()
) -> list[Limit]:
    """Return the limits that keep a clause from coming true: two for an interval with two ends.

    None where no limit can do it: where it asks whether a value is there.
    """
    window = windows.get(clause.column)
    parts = tuple(name for name in clause.given_columns if name in settings) or (clause.column,)
    found = [
        Limit(clause.column, parts, replace(clause, missing=False), good, tuple(context), window)
        for good in _ways_out(clause, window)
    ]
    reached = [limit for limit in found if limit.good is not None]
    return reached or found[:1]


def _ways_out(clause: Clause, window: Window | None) -> list[Clause | None]:
    if isinstance(clause, LevelSet):
        wanted = [level for level in clause.others if level is not OTHER_LEVELS]
        if not clause.levels or not clause.others:
            return []
        kept = tuple(level for level in wanted if window is None or level in window)
        return [LevelSet(clause.column, kept, clause.known) if kept else None]
    if clause.is_empty or (clause.low == -inf and clause.high == inf):
        return []
    ends = [(-inf, clause.low), (clause.high, inf)]
    low, high = (-inf, inf) if window is None else (float(window[0]), float(window[1]))
    ways: list[Clause | None] = []
    for start, end in ends:
        if start == end:  # the clause has no such end
            continue
        # A window's lower end is an allowed value, a clause's is not.
        start, end = max(start, np.nextafter(low, -inf) if low > -inf else low), min(end, high)
        good = Interval(clause.column, start, end, pair=clause.pair)
        ways.append(None if good.is_empty else good)
    return ways


def read_windows(
    limits: Mapping[str, Any] | None, settings: Collection[str], levels: Mapping[str, Any]
) -> dict[str, Window]:
    """Return the allowed windows of settings; open ends are None or infinite."""
    found: dict[str, Window] = {}
    for name, given in (limits or {}).items():
        if name not in settings:
            raise ValueError(f"limits names {name!r}, which is not in settings; add it there.")
        if levels.get(name) is not None:
            found[name] = _level_window(name, given, levels[name])
        else:
            found[name] = _number_window(name, given)
    return found


def _level_window(name: str, given: Any, known: Sequence[Any]) -> Window:
    wanted = [given] if isinstance(given, str) else list(given)
    unknown = [level for level in wanted if level not in known]
    if unknown:
        raise ValueError(f"limits allows {unknown[0]!r} for {name!r}, which no row has.")
    return tuple(wanted)


def _number_window(name: str, given: Any) -> Window:
    try:
        low, high = given
        low, high = (-inf if low is None else float(low)), (inf if high is None else float(high))
    except (TypeError, ValueError):
        raise ValueError(
            f"limits of {name!r} must be a pair, its lowest and highest value (None for open), got "
            f"{given!r}."
        ) from None
    if not low <= high:
        raise ValueError(f"limits of {name!r} are the wrong way round: {given!r}.")
    return low, high
