"""Whether the columns of a new table are those that a model was trained on, one line a column.

Every probability is a bound that holds for any distribution and any number of rows, as long as new
rows and training rows come from one source: which of the rows are the new ones is then an accident,
so that counts of new rows are drawn without replacement from those of both tables.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln

from thresher.column import Levels, Numbers, Texts, has_others
from thresher.judging.column_summary import (
    ColumnSummary,
    Counts,
    NumbersSummary,
    TextsSummary,
    ranks_of,
)
from thresher.statistics import Vector, stability_by_chance, stability_index, tail_bound
from thresher.tables.table import Column
from thresher.wording import first_of, percent, plain, quoted

COLUMN_LEVEL, TABLE_LEVEL = 0.01, 0.05
"""A false message is at most so probable for a column, and for a whole table."""
PARTS = 4
"""Parts of a column's level; each kind of sign has one."""
LEAST_PSI = 0.1
"""A change is reported where its population stability index is above that of chance by more."""
CLEARER = 2.0
"""Another mix is reported instead of what is more definite where its index is so many times it."""
MOST_TOLD = 20
"""Most lines that people are told."""
SHOWN = 3
"""New levels that a sentence names."""
TILTS = np.geomspace(1e-3, 1e2, 51)
"""Where Chernoff's bound is taken; the least of them is the bound."""

Cells: TypeAlias = tuple[ArrayLike, ArrayLike]
"""Counts in the same cells: of new rows, and of the training."""


@dataclass(frozen=True)
class Drift:
    """A column that is not as it was in training.

    Attributes
    ----------
    column : its name.
    kind : "missing", "range", "levels" or "mix".
    figures : what the sentence says, the stability index and the p-value.
    sentence : for people.
    """

    column: str
    kind: str
    figures: dict[str, Any]
    sentence: str

    def as_data(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "column": self.column,
            "kind": self.kind,
            "figures": self.figures,
            "sentence": self.sentence,
        }


def find_drift(
    columns: Sequence[tuple[str, Column]],
    levels: Sequence[Levels | None],
    summaries: Sequence[ColumnSummary],
) -> list[Drift]:
    """Compare the columns of a new table with those of the training, in the order of the model.

    >>> from thresher.judging.column_summary import summarize
    >>> torque = np.random.default_rng(0).normal(40.0, 10.0, 3000)
    >>> known, new = summarize(torque[:2000], None), 100.0 * torque[2000:]
    >>> print(find_drift([("torque", new)], [None], [known])[0].sentence)
    Column 'torque': 100.0 % of the values are outside the range of training (1.006 to 70.66).
    """
    level = column_level(len(columns))
    found = [
        column_drift(name, column, of_column, summary, level)
        for (name, column), of_column, summary in zip(columns, levels, summaries, strict=True)
    ]
    return [one for one in found if one is not None]


def drift_sentences(found: Sequence[Drift]) -> list[str]:
    """Return the sentences for people: where there are many, those that have changed most."""
    if len(found) <= MOST_TOLD:
        return [one.sentence for one in found]
    most = sorted(found, key=lambda one: -one.figures["psi"])[:MOST_TOLD]
    others = len(found) - MOST_TOLD
    return [
        *(one.sentence for one in most),
        f"More columns that are not as in training: {others:,}; find_drift of the model and --json "
        "tell of all.",
    ]


def column_level(columns: int) -> float:
    """Return how probable a false message about one of so many columns may be."""
    return min(COLUMN_LEVEL, TABLE_LEVEL / columns)


def column_drift(
    name: str, column: Column, levels: Levels | None, known: ColumnSummary, level: float
) -> Drift | None:
    """Return the clearest change of a column, None where all may be as it was."""
    if isinstance(column, Texts):
        assert isinstance(known, TextsSummary)
        present = int((column.codes >= 0).sum())
        signs = _text_signs(column, present, levels or (), known)
    else:
        assert isinstance(known, NumbersSummary)
        values = np.sort(column[~np.isnan(column)])
        present, signs = len(values), _number_signs(values, known)
    signs.append(_missing(Split(len(column) - present, len(column), known.missing, known.rows)))
    clear = [sign for sign in signs if sign.p <= level / PARTS and sign.excess > LEAST_PSI]
    if not clear:
        return None
    sign = max(clear, key=lambda one: one.excess / (CLEARER if one.kind == "mix" else 1.0))
    figures = {**sign.figures, "psi": sign.psi, "p_value": sign.p}
    return Drift(name, sign.kind, figures, f"Column {name!r}: {sign.words}.")


# ------------------------------------------------------------------------------ signs of a change


class Sign(NamedTuple):
    """One way in which a column has changed.

    Attributes
    ----------
    kind : "missing", "range", "levels" or "mix".
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
    def of(cls, kind: str, p: float, cells: Cells, figures: dict[str, Any], words: str) -> "Sign":
        """Make a sign whose change shows in some cells."""
        psi = stability_index(*cells)
        return cls(kind, min(p, 1.0), psi, psi - stability_by_chance(*cells), figures, words)


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


def _missing(split: Split) -> Sign:
    """Return the sign of other missing values: more, or fewer."""
    new, new_of, known, known_of = split
    more = tail_bound(new, new_of, new + known, new_of + known_of)
    fewer = tail_bound(known, known_of, new + known, new_of + known_of)
    share, before = (_in_words(one) for one in split.shares.values())
    words = f"{share} of the values are missing, in training {before}"
    return Sign.of("missing", 2.0 * float(min(more, fewer)), split.cells, split.shares, words)


def _number_signs(values: Numbers, known: NumbersSummary) -> list[Sign]:
    """Return the signs of new values, ascending: outside the range of training, another mix."""
    if not (len(values) and known.present):
        return []
    bounds = rank_bounds(values, known)
    low, high = known.quantiles[[0, -1]].tolist()
    at_least = int(np.searchsorted(values, low, side="left"))
    above = len(values) - int(np.searchsorted(values, high, side="right"))
    outside = Split(at_least + above, len(values), 0, known.present)
    in_range = Sign.of(
        "range",
        2.0 * float(min(bounds[0, 0], bounds[1, -1])),
        outside.cells,
        {**outside.shares, "low": low, "high": high},
        f"{_in_words(outside.shares['share'])} of the values are outside the range of training "
        f"({low:.4g} to {high:.4g})",
    )
    # Cells below, between and above the distinct quantiles.
    edges, first = np.unique(known.quantiles, return_index=True)
    at_most, before = np.searchsorted(values, edges, side="right"), known.at_most[first]
    cells = (
        np.array([at_least, at_most[0] - at_least, *np.diff(at_most), above]),
        np.array([0, before[0], *np.diff(before), 0]),
    )
    middle = float(values[len(values) // 2])
    mix = Sign.of(
        "mix",
        bounds.size * float(bounds.min()),
        cells,
        {"median": middle, "training_median": known.median},
        f"another mix of values than in training (PSI {stability_index(*cells):.2f}; median "
        f"{middle:.4g}, in training {known.median:.4g})",
    )
    return [in_range, mix]


def rank_bounds(values: Numbers, known: NumbersSummary) -> Numbers:
    """Return bounds of the probability of so many new values below and above each quantile.

    So many above the value of a rank means: so many among those on top of both tables. Where
    values are equal, fewer are above than that, and the bound holds.
    """
    n, m = known.present, len(values)
    below = np.searchsorted(values, known.quantiles, side="left")
    above = m - np.searchsorted(values, known.quantiles, side="right")
    ranks = ranks_of(n)
    return np.stack(
        [
            tail_bound(below, ranks - 1 + below, m, n + m),
            tail_bound(above, n - ranks + above, m, n + m),
        ]
    )


def _text_signs(texts: Texts, present: int, levels: Levels, known: TextsSummary) -> list[Sign]:
    """Return the signs of new texts: levels that the model does not know, another mix."""
    if not (present and known.present):
        return []
    # New rows of each level of the model, and of each that it does not know.
    used = texts.used()
    rows = np.bincount(used.codes[used.codes >= 0], minlength=len(used.levels))
    index = {str(level): code for code, level in enumerate(levels)}
    counts, unknown = np.zeros(len(levels), dtype=np.int64), {}
    for level, count in zip(used.levels, rows.tolist(), strict=True):
        if level in index:
            counts[index[level]] = count
        elif has_others(levels):
            counts[-1] += count
        else:
            unknown[level] = count
    new = np.append(counts, [*unknown.values()]).astype(np.int64)
    old = np.append(known.counts, np.zeros(len(unknown), dtype=np.int64))
    return [
        _new_levels(unknown, new + old, present, known),
        _mix_of_texts([*levels, *unknown], new, old),
    ]


def _new_levels(unknown: dict[str, int], both: Counts, present: int, known: TextsSummary) -> Sign:
    rows = sum(unknown.values())
    split = Split(rows, present, 0, known.present)
    often = sorted(unknown, key=lambda level: (-unknown[level], level))
    words = (
        f"{_in_words(split.shares['share'])} of the values are ones that the model has not seen "
        f"({first_of(often, SHOWN)}); they count as missing"
    )
    p, figures = unseen_bound(rows, both, present), {**split.shares, "levels": often[:SHOWN]}
    return Sign.of("levels", p, split.cells, figures, words)


def _mix_of_texts(levels: Sequence[Any], new: Counts, known: Counts) -> Sign:
    """Return the sign of the level whose share has changed most surely.

    Each level has a part of the probability by its rows in both tables, which add up to all.
    """
    m, n, both = int(new.sum()), int(known.sum()), new + known
    more = tail_bound(new, m, both, n + m)
    fewer = tail_bound(known, n, both, n + m)
    p = 2.0 * np.minimum(more, fewer) * (n + m) / np.maximum(both, 1)
    index = int(np.argmin(np.where(both > 0, p, np.inf)))
    shares = Split(int(new[index]), m, int(known[index]), n).shares
    share, before = (_in_words(one) for one in shares.values())
    words = (
        f"another mix of values than in training (PSI {stability_index(new, known):.2f}): "
        f"{quoted(levels[index])} is {share} of them, in training {before}"
    )
    figures = {**shares, "level": levels[index]}
    return Sign.of("mix", float(p[index]), (new, known), figures, words)


def unseen_bound(unseen: int, both: Counts, new: int) -> float:
    """Return a bound of the probability that so many of the new rows have levels of their own.

    `both` counts the rows of each level in both tables. That all rows of a level are among the new
    ones makes it less likely of another, so that Chernoff's bound of independent levels holds.

    >>> unseen_bound(1, np.array([500, 500, 1]), 1) < 0.002, unseen_bound(0, np.array([5]), 1)
    (True, 1.0)
    """
    if not unseen:
        return 1.0
    total = int(both.sum())
    sizes, levels = np.unique(both[(both > 0) & (both <= new)], return_counts=True)
    alone: Vector = (
        gammaln(new + 1.0)
        - gammaln(new - sizes + 1.0)
        + gammaln(total - sizes + 1.0)
        - gammaln(total + 1.0)
    )
    with np.errstate(divide="ignore"):
        not_alone = np.log1p(-np.exp(np.minimum(alone, 0.0)))
    sums = np.logaddexp(not_alone, alone + TILTS[:, None] * sizes) @ levels
    return float(np.exp(min(0.0, float((sums - TILTS * unseen).min()))))


def _in_words(share: float) -> str:
    return plain(percent(share))
