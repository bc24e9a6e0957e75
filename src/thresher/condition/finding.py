"""The public function: a fitted tree in, a table of conditions out."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.condition.condition import Condition, Members, members
from thresher.condition.evidence import Tally, money_at_stake, tally, tree_tally
from thresher.condition.reading import Reading, read_model
from thresher.condition.refitting import (
    Procedure,
    out_of_fold_counts,
    permutation_p,
    stability,
)
from thresher.condition.stations import known_at
from thresher.condition.table import ConditionTable
from thresher.frames import Matrix, frame_kind, refuse_infinity
from thresher.threshold.classifier import ThresholdClassifier
from thresher.tree.pruning import node_counts
from thresher.validation import (
    check_choice,
    check_integer,
    check_number,
    draw_seed,
    read_labels,
    read_weights,
)

OUTPUTS = ("frame", "table", "text", "json", "sql")
REPEATS_OF_A_TREE, REPEATS_OF_A_FOREST = (99, 50), (39, 10)
"""Permutations and bootstrap samples by default; a forest takes about a second for each."""


def conditions(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    X_test: Any = None,
    y_test: Any = None,
    stations: Mapping[str, str] | None = None,
    cost_fp: float | None = None,
    cost_fn: float | None = None,
    shorten: bool = True,
    cv: Any = 5,
    n_permutations: int | None = None,
    n_bootstrap: int | None = None,
    max_leaf_nodes: int = 32,
    sample_weight: Any = None,
    output: str = "frame",
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> Any:
    """Read the conditions that lead to the rare class from a fitted tree, with evidence.

    One row a condition: a positive leaf of the tree, in words, without what is not needed. Its
    training counts flatter it, for these rows chose it. What tests it is therefore taken from
    hold-out rows (`X_test`, `y_test`); or, given the training rows alone, from fitting the model
    again and again: on folds (`holdout_rate`), on permuted labels (`p_value`), on bootstrap
    samples (`stability`). Without rows there are training counts only, and the rest is null.

    Parameters
    ----------
    model : ImbalancedTreeClassifier, ImbalancedForestClassifier or ThresholdClassifier
        Fitted; a ThresholdClassifier around a tree. A forest is read through the tree that
        imitates it (`to_tree`).
    X, y : table and labels, default=None
        The rows that the model was fitted on.
    X_test, y_test : table and labels, default=None
        Rows that had no part in the model, not even in the choice of its parameters.
    stations : mapping of column to station, default=None
        In the order of the line: where the last column of a condition becomes known.
    cost_fp, cost_fn : float, default=None
        Cost of stopping a good part, and of letting through a bad one.
    shorten : bool, default=True
        Drop clauses that the training rows do not need, mostly "and not for another reason". A
        short condition holds for all rows of its leaf and some more. Needs X and y. With False, or
        without X and y, conditions are those of the leaves exactly.
    cv : int, splitter or None, default=5
        Folds of `holdout_rate` where there is no `X_test`.
    n_permutations, n_bootstrap : int, default=None
        99 and 50 for a tree, 39 and 10 for a forest, which takes much longer; 0 for none.
    max_leaf_nodes : int, default=32
        Most leaves of the tree that imitates a forest.
    sample_weight : array-like, default=None
        The weights that the model was fitted with. Counts are of rows.
    output : {"frame", "text", "json", "sql", "table"}, default="frame"
        A data frame of the library of X (pandas by default; a dict of columns where it is not
        installed); text; a JSON text; one WHERE clause for all conditions; or the ConditionTable
        that can be turned into any of them.
    random_state : int, RandomState or None, default=0
        Seed of folds, permutations and bootstrap samples.
    n_jobs : int, default=None
        Threads that fit models again.

    Returns
    -------
    data frame
        Those with most scrap first. Columns: `condition` (its number), `text`, `parts`, `scrap`,
        `rate` with Wilson's 95 % interval (`rate_low`, `rate_high`), `lift` (rate over that of all
        parts), `coverage` (share of all scrap), the same counts with `holdout_` before them (the
        rate is the precision of the condition as an alarm), `p_value`, `stability`, `money`,
        `station`, `leaves` (nodes of `tree_`) and `sql`.

    Notes
    -----
    `p_value` tests that the rate inside is no higher than outside, by Fisher's exact test, one
    for all conditions together: on hold-out rows adjusted by Holm's method; otherwise the
    share of permutations of the labels, each followed by the whole procedure, whose best condition
    is at least as good (Westfall and Young's single-step maximum), so that nothing is left to
    adjust. With 99 permutations the least p-value is 0.01.

    `stability`: two conditions are similar if at least half of the rows in either are in both.

    `money`: parts times (rate * cost_fn - (1 - rate) * cost_fp), with `holdout_rate` where it is
    known.

    Examples
    --------
    >>> from thresher import ImbalancedTreeClassifier, conditions
    >>> from thresher.datasets import make_assembly_line
    >>> line = make_assembly_line(random_state=0)
    >>> model = ImbalancedTreeClassifier(max_leaf_nodes=16).fit(line.X, line.y)
    >>> found = conditions(model, line.X, line.y, stations=line.stations, n_permutations=19)
    >>> found[["text", "parts", "scrap", "p_value", "station"]]
    """
    check_choice("output", output, OUTPUTS)
    _check_pairs(X, y, X_test, y_test)
    seed = draw_seed(random_state)
    reading = read_model(model, max_leaf_nodes)
    procedure = None
    if X is not None:
        procedure = _procedure(
            model, reading, X, y, sample_weight, max_leaf_nodes=max_leaf_nodes, shorten=shorten
        )
    return procedure, seed
