"""The public function: a fitted tree in, a table of conditions out."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from thresher.column import refuse_infinity
from thresher.condition.condition import Condition
from thresher.condition.counterparts import Counterparts
from thresher.condition.effort import can_be_fitted, effort_for
from thresher.condition.imitation import IMITATION, REFITS, Imitation
from thresher.condition.proof import Found, Proof, prove, read_conditions, standing
from thresher.condition.readable_tree import (
    Reading,
    TrainingRows,
    is_foreign,
    read_model,
)
from thresher.condition.refitting import (
    Again,
    LabelledRows,
    Procedure,
)
from thresher.condition.stage_order import known_at
from thresher.condition.table import ConditionTable
from thresher.frames import frame_kind
from thresher.matrix import Columns
from thresher.threshold.classifier import ThresholdClassifier
from thresher.threshold.imitated import ImitatedClassifier
from thresher.validation import (
    check_choice,
    check_number,
    draw_seed,
    read_labels,
    read_weights,
)

OUTPUTS = ("frame", "table", "text", "json", "sql")


def find_conditions(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    X_test: Any = None,
    y_test: Any = None,
    stages: Mapping[str, str] | None = None,
    cost_fp: float | None = None,
    cost_fn: float | None = None,
    shorten: bool = True,
    cv: Any = 5,
    n_permutations: int | None = None,
    n_bootstrap: int | None = None,
    max_rows: int | None = None,
    max_leaf_nodes: int = 32,
    sample_weight: Any = None,
    output: str = "frame",
    random_state: Any = 0,
    n_jobs: int | None = None,
    verbose: bool = False,
    refit: str = "model",
) -> Any:
    """Read the conditions that lead to the rare class from a fitted model, with evidence.

    One row a condition: a positive leaf of the tree, in words, without what is not needed. Its
    training counts flatter it, for these rows chose it. What tests it is therefore taken from
    hold-out rows (`X_test`, `y_test`); or, given the training rows alone, from fitting the model
    again and again: on folds (`holdout_rate`), on permuted labels (`p_value`), on bootstrap
    samples (`stability`). Without rows there are training counts only, and the rest is null.

    Parameters
    ----------
    model : classifier
        Fitted. A tree of this library, alone or inside a ThresholdClassifier, is read itself; a
        forest or boosted trees through the tree that imitates it (`to_tree`). So is any other
        classifier of two classes (LightGBM, XGBoost, a pipeline, ...), for which X and y are
        needed: the tree imitates decisions about held-out rows, out of fold, in the columns
        of X. Its threshold is that of the best F1 on these scores, unless it comes inside a
        ThresholdClassifier. What `convert` returns, and `cv="prefit"`, cannot be fitted again:
        only `X_test` and `y_test` test such conditions.
    X, y : table and labels, default=None
        The rows that the model was fitted on.
    X_test, y_test : table and labels, default=None
        Rows that had no part in the model, not even in the choice of its parameters.
    stages : mapping of column to stage, default=None
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
        99 and 50 for a tree, 99 and 20 for other models and with derived columns; 0 for none.
    max_rows : int, default=None
        Of a larger table, permutations and bootstrap samples take a sample of so many rows, or as
        many as hold 100 of the rarer class: 50,000 for a tree and 2,000 for a forest, which has 25
        trees there at most. With fewer rows it is harder to be significant and stable.
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
    verbose : bool, default=False
        Show progress with the remaining time, on a terminal.
    refit : {"model", "imitation"}, default="model"
        What is fitted again for a classifier of another library. "model": the classifier, for each
        permutation and bootstrap sample, six fits each. "imitation": the classifier on folds alone,
        and its imitation on bootstrap samples; p-values are then Fisher's on rows out of fold,
        adjusted by Holm's method. The table's `imitation` says which, and how well the tree
        imitates.

    Returns
    -------
    data frame
        Those with most scrap first. Columns: `condition` (its number), `text`, `parts`, `scrap`,
        `rate` with Wilson's 95 % interval (`rate_low`, `rate_high`), `lift` (rate over that of all
        parts), `coverage` (share of all scrap), the same counts with `holdout_` before them (the
        rate is the precision of the condition as an alarm), `p_value`, `stability`, `money`,
        `state` (what unseen rows say of it, "confirmed" or not), `stage`, `leaves` (nodes of
        `tree_`) and `sql`.

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
    >>> from thresher import ImbalancedTreeClassifier, find_conditions
    >>> from thresher.datasets import make_assembly_line
    >>> line = make_assembly_line(random_state=0)
    >>> model = ImbalancedTreeClassifier(max_leaf_nodes=16).fit(line.X, line.y)
    >>> found = find_conditions(model, line.X, line.y, stages=line.stages, n_permutations=19)
    >>> print(found[["text", "parts", "scrap", "stage"]].to_string(index=False))
    text parts scrap stage
    oven_temperature <= 148.008 and shift = night   127   112          S4 seal
        press_force > 61.4912 and tool_age > 38.5   131   111 S2 bearing press
          leak_rate > 4.11022 and flow <= 30.9982   126   103    EOL leak test
       torque_3 <= 11.1993 and supplier in {B, D}   103    90         S3 shaft
    """
    check_choice("output", output, OUTPUTS)
    found = make_findings(
        model,
        X,
        y,
        X_test=X_test,
        y_test=y_test,
        stages=stages,
        cost_fp=cost_fp,
        cost_fn=cost_fn,
        shorten=shorten,
        cv=cv,
        n_permutations=n_permutations,
        n_bootstrap=n_bootstrap,
        max_rows=max_rows,
        max_leaf_nodes=max_leaf_nodes,
        sample_weight=sample_weight,
        random_state=random_state,
        n_jobs=n_jobs,
        verbose=verbose,
        refit=refit,
    )
    return _output(found.table, output, frame_kind(X if X is not None else X_test))


class Findings(NamedTuple):
    """Conditions, with the rows that speak for them.

    Attributes
    ----------
    table : the conditions with their evidence.
    columns : of the tree that they were read from.
    seen : the training rows with the conditions; None where they are not given.
    unseen : rows that did not choose the conditions, with what stands for these there.
    """

    table: ConditionTable
    columns: Columns
    seen: Counterparts | None
    unseen: Sequence[Counterparts]


def make_findings(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    X_test: Any = None,
    y_test: Any = None,
    stages: Mapping[str, str] | None = None,
    cost_fp: float | None = None,
    cost_fn: float | None = None,
    shorten: bool = True,
    cv: Any = 5,
    n_permutations: int | None = None,
    n_bootstrap: int | None = None,
    max_rows: int | None = None,
    max_leaf_nodes: int = 32,
    sample_weight: Any = None,
    random_state: Any = 0,
    n_jobs: int | None = None,
    verbose: bool = False,
    refit: str = "model",
) -> Findings:
    """Find conditions as `find_conditions` does, and return the rows that speak for them, too."""
    _check_pairs(X, y, X_test, y_test)
    _check_costs(cost_fp, cost_fn)
    check_choice("refit", refit, REFITS)
    again = Again(draw_seed(random_state), n_jobs, verbose)
    imitation = None
    if is_foreign(model):
        model = _imitated(model, X, y, sample_weight, again.seed)
        imitation = Imitation.of(model, max_leaf_nodes, refit)
    elif refit == IMITATION:
        raise ValueError("refit='imitation' is for classifiers of other libraries; leave it out.")
    effort = effort_for(model, n_permutations, n_bootstrap, max_rows)
    effort = effort._replace(cv=cv if can_be_fitted(model) else None, again=again)
    if imitation is not None and refit == IMITATION:
        effort = effort._replace(n_permutations=0)
    training = None if X is None else TrainingRows(X, y, sample_weight)
    reading = read_model(model, max_leaf_nodes, training)
    procedure = None
    if X is not None:
        rows = _read_rows(reading, X, y, "X", "y")
        weights = read_weights(sample_weight, len(rows.matrix))
        procedure = Procedure(
            model,
            X,
            rows,
            reading.columns,
            weights,
            max_leaf_nodes,
            shorten,
            keeps_model=refit == IMITATION,
        )
        _check_training_rows(model, reading, rows)
    test = None if X_test is None else _read_rows(reading, X_test, y_test, "X_test", "y_test")
    found = read_conditions(reading, procedure)
    proof = prove(reading, found, procedure, test, effort)
    table = _table(reading, found, proof, stages, cost_fp, cost_fn)
    seen = None
    if procedure is not None:
        seen = standing(found, procedure.rows, reading.names)
    return Findings(replace(table, imitation=imitation), reading.columns, seen, proof.unseen)


def _check_pairs(X: Any, y: Any, X_test: Any, y_test: Any) -> None:
    if (X is None) != (y is None):
        raise ValueError("Give X and y to find_conditions together, or neither.")
    if (X_test is None) != (y_test is None):
        raise ValueError("Give X_test and y_test to find_conditions together, or neither.")


def _check_costs(cost_fp: float | None, cost_fn: float | None) -> None:
    if (cost_fp is None) != (cost_fn is None):
        raise ValueError("Give cost_fp and cost_fn to find_conditions together, or neither.")
    if cost_fp is not None:
        check_number("cost_fp", cost_fp, 0.0)
        check_number("cost_fn", cost_fn, 0.0)


def _imitated(model: Any, X: Any, y: Any, sample_weight: Any, seed: int) -> ImitatedClassifier:
    if X is None:
        raise ValueError(
            f"A {type(model).__name__} is read through a tree that imitates it: give X and y, the "
            "rows that it was fitted on."
        )
    return ImitatedClassifier.of(model, X, y, sample_weight, seed)


def _read_rows(reading: Reading, X: Any, y: Any, x_name: str, y_name: str) -> LabelledRows:
    """Return rows in the codes of the model."""
    matrix = reading.columns.matrix(X, "find_conditions")
    refuse_infinity(matrix)
    labels = read_labels(y, y_name)
    if len(labels) != len(matrix):
        raise ValueError(f"{x_name} has {len(matrix)} rows, but {y_name} has {len(labels)}.")
    if reading.pos_label not in labels.tolist():
        raise ValueError(f"{y_name} has no row of the positive class, {reading.pos_label!r}.")
    if len(classes := np.unique(labels)) > 2:
        raise ValueError(f"{y_name} must have two classes, got {len(classes)}.")
    return LabelledRows(matrix, labels, labels == reading.pos_label)


def _check_training_rows(model: Any, reading: Reading, rows: LabelledRows) -> None:
    """Raise where X and y cannot be what the model was fitted on, or it cannot be fitted again."""
    if reading.is_distilled:
        return
    if isinstance(model, ThresholdClassifier) and isinstance(model.cv, str):
        raise ValueError(
            "A ThresholdClassifier with cv='prefit' cannot be fitted again; give hold-out rows as "
            "X_test and y_test, without X and y."
        )
    counts = reading.tree.node_counts(rows.matrix, rows.is_positive.astype(np.uint8))
    # Rows of weight zero and rows held out for pruning come on top of those that grew the tree.
    if (counts < reading.tree.rows).any():
        raise ValueError(
            "X and y are not the rows that the model was fitted on; give other rows as X_test and "
            "y_test."
        )


def _table(
    reading: Reading,
    found: Found,
    proof: Proof,
    stages: Mapping[str, str] | None,
    cost_fp: float | None,
    cost_fn: float | None,
) -> ConditionTable:
    table = ConditionTable(
        conditions=found.conditions,
        texts=tuple(condition.text(found.complete) for condition in found.conditions),
        training=found.counts,
        held=proof.held,
        p_value=proof.p_value,
        stability=proof.stability,
        money=np.full(len(found.conditions), np.nan),
        stages=_known_at(found.conditions, stages),
        evidence=proof.source,
        pos_label=reading.pos_label,
        permutations=proof.permutations,
    )
    if cost_fp is None or cost_fn is None:
        return table
    return table.with_costs(cost_fp, cost_fn)


def _known_at(
    conditions: Sequence[Condition], stages: Mapping[str, str] | None
) -> tuple[str | None, ...]:
    if stages is None:
        return (None,) * len(conditions)
    return tuple(known_at(condition.given_columns, stages) for condition in conditions)


def _output(table: ConditionTable, output: str, kind: str | None) -> Any:
    if output == "table":
        return table
    return table.to_frame(kind) if output == "frame" else getattr(table, f"to_{output}")()
