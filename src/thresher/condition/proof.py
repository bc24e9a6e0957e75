"""Conditions as they are found, and what speaks for them."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.condition.condition import Condition, Members, members
from thresher.condition.counterparts import Counterparts
from thresher.condition.effort import Effort
from thresher.condition.evidence import Tally, tally, tree_tally
from thresher.condition.readable_tree import Reading
from thresher.condition.refitting import (
    LabelledRows,
    Procedure,
    fold_counterparts,
    out_of_fold,
    permutation_p,
    stability,
)
from thresher.statistics import Vector


class Found(NamedTuple):
    """Conditions with their training counts; `met` and `complete` columns where X is given."""

    conditions: Sequence[Condition]
    counts: Tally
    met: Members | None
    complete: frozenset[str]


class Proof(NamedTuple):
    """What was not seen in training; arrays are NaN where nothing is known."""

    held: Tally | None
    source: str | None
    p_value: Vector
    stability: Vector
    permutations: int = 0
    unseen: Sequence[Counterparts] = ()


def read_conditions(reading: Reading, procedure: Procedure | None) -> Found:
    """Read the conditions, those with most positives first."""
    if procedure is None:
        plain = reading.leaf_conditions()
        counts = tree_tally(reading.tree.rows, reading.positive_leaves)
        order = _most_positives_first(counts)
        ordered = tuple(plain[place] for place in order)
        return Found(ordered, counts.reordered(order), None, frozenset())
    rows = procedure.rows
    short = procedure.read(reading, np.arange(len(rows.matrix)), rows.is_positive)
    met = members(short, rows.matrix, reading.names)
    counts = tally(met, rows.is_positive)
    order = _most_positives_first(counts)
    gaps = np.count_nonzero(np.isnan(rows.matrix), axis=0)
    complete = frozenset(reading.names[place] for place in np.flatnonzero(gaps == 0))
    ordered = tuple(short[place] for place in order)
    return Found(ordered, counts.reordered(order), met[order], complete)


def _most_positives_first(counts: Tally) -> NDArray[np.intp]:
    """Return the places of conditions that training rows meet, those with most positives first.

    A tree that imitates a model on made rows has leaves that no training row may reach.
    """
    order = np.argsort(-counts.hits, kind="stable")
    return order[counts.n[order] > 0]


def prove(
    reading: Reading,
    found: Found,
    procedure: Procedure | None,
    test: LabelledRows | None,
    effort: Effort,
) -> Proof:
    """Test conditions on rows that did not choose them, and by fitting the model again."""
    unknown = np.full(len(found.conditions), np.nan)
    held, source, p_value, stable, permutations = None, None, unknown, unknown, 0
    unseen: list[Counterparts] = []
    if test is not None:
        unseen = [standing(found, test, reading.names)]
        met = members(found.conditions, test.matrix, reading.names)
        held, source = tally(met, test.is_positive), "hold-out"
        p_value = held.holm_p
    if procedure is None or found.met is None or not found.conditions:
        return Proof(held, source, p_value, stable, unseen=unseen)
    again = effort.again
    if test is None and effort.cv is not None:
        unseen = fold_counterparts(procedure, found.met, effort.cv, again)
        held = out_of_fold(unseen, len(found.conditions))
        source = "out of fold"
        if procedure.keeps_model:  # labels that are permuted would meet a model that knows the true
            p_value = held.holm_p
    part, rows = procedure.sampled(effort.max_rows, again.seed)
    if test is None and effort.n_permutations:
        permutations = effort.n_permutations
        p_value = permutation_p(part, found.met[:, rows], permutations, again)
    if effort.n_bootstrap:
        stable = stability(part, found.met[:, rows], effort.n_bootstrap, again)
    return Proof(held, source, p_value, stable, permutations, unseen)


def standing(found: Found, rows: LabelledRows, names: Sequence[str]) -> Counterparts:
    """Return rows on which the conditions stand for themselves."""
    shown = dict(enumerate(found.conditions))
    return Counterparts(shown, rows.matrix, names, rows.is_positive)
