"""The public function: a table in, a judged model with its conditions out."""

import logging
from collections.abc import Collection
from dataclasses import replace
from typing import Any, NamedTuple

from thresher.boosted.lightgbm import NEEDED, has_lightgbm
from thresher.condition.finding import Findings, make_findings
from thresher.condition.row_money import with_row_costs
from thresher.errors import ParameterError, TableError
from thresher.judging.column_summary import summarize
from thresher.judging.competitor import Derived, competitors
from thresher.judging.facts import Facts
from thresher.judging.hold_out import HoldOut
from thresher.judging.judgement import reachable_f1
from thresher.judging.nested_training import NestedJudgement, Trained, Training
from thresher.judging.recipe import AUTO, MAX_LEAVES, TREES, Recipe
from thresher.judging.row_prints import RowPrints, row_hashes
from thresher.pair import OPERATIONS
from thresher.pairs.features import PairFeatures
from thresher.plant.model import PlantModel
from thresher.plant.quiet import without_warnings
from thresher.plant.training_table import Roles, TrainingTable, read_training_table
from thresher.tables.features import make_features
from thresher.tables.plan import units_of
from thresher.threshold.by_row import ByRow
from thresher.threshold.counts import Costs
from thresher.threshold.groups import Groups
from thresher.threshold.rules import rule_for
from thresher.tree.classifier import ImbalancedTreeClassifier
from thresher.validation import thread_count
from thresher.wording import first_of

logger = logging.getLogger("thresher.plant")
DEFAULT_RULE = "f1"


def train(
    table: Any,
    target: str,
    *,
    positive: Any = None,
    model: str = "auto",
    rule: str | None = None,
    beta: float = 1.0,
    cost_fp: float | None = None,
    cost_fn: float | None = None,
    cost_fp_column: str | None = None,
    cost_fn_column: str | None = None,
    floor: float | None = None,
    per_1000: float | None = None,
    id: str | Collection[str] = (),
    time: str | None = None,
    group: str | None = None,
    ignore: str | Collection[str] = (),
    stages: Any = None,
    folds: int = 5,
    trees: int = TREES,
    criterion: str | None = None,
    leaves: int | None = None,
    min_samples_leaf: int | str = AUTO,
    pruning: str = AUTO,
    pairs: bool = True,
    random_state: int = 0,
    n_jobs: int | None = None,
    verbose: bool = False,
    confidence: float | None = None,
    threshold_by: str | None = None,
    miss: float | None = None,
    false_alarm: float | None = None,
    price: float | None = None,
    settings: str | Collection[str] = (),
) -> PlantModel:
    """Train a model on a table, judge it on rows that it has not seen, and read its conditions.

    Every choice (which model, which threshold) is made again inside each fold that judges it, so
    that the judgement is that of the whole procedure. The same as `thresher train`.

    Parameters
    ----------
    table : data frame, path, or anything that `thresher.tables.read_table` takes
    target : str
        The column with the two classes.
    positive : object, default=None
        The class to find; by default the rarer one.
    model : {"auto", "tree", "forest", "boosted"}, default="auto"
        "auto" takes the simplest that is within the noise of the best on unseen rows. Boosted trees
        need LightGBM (extra `boost`); without it "auto" does not try them.
    rule : str, default=None
        What the threshold is chosen for; see `thresher.ThresholdClassifier`. By default what the
        parameters below are for: "precision_at_recall" with `floor`, "budget" with `per_1000`,
        "refer" with `miss`, `false_alarm` or `price`, "cost" with costs; "f1" without any.
    beta, cost_fp, cost_fn, floor, per_1000 : float
        Parameters of some rules. Costs are also shown with any other rule.
    cost_fp_column, cost_fn_column : str, default=None
        Columns with the costs of each row, for the rule "cost": every row is decided by its own,
        and new tables must have these columns. They are not learnt from.
    id, ignore : names, default=()
        Columns that name a row, and columns to leave out; neither is learnt from.
    time, group : str, default=None
        When a row was made: later rows judge the model. Rows of one group are held out together.
    stages : mapping of column to stage, or a table with the columns `column` and `stage`
        In the order of the line.
    folds : int, default=5
    trees : int, default=400
        Of a forest.
    criterion : str, default=None
        Of trees and forest, see `thresher.ImbalancedTreeClassifier`; by default of a tree the
        better of "adaptive_renyi" and "entropy" on unseen rows.
    leaves : int, default=None
        Most leaves of a tree; by default 8 or 32, what is better on unseen rows.
    min_samples_leaf : int or "auto", default="auto"
        Least rows of a leaf. "auto": 5 for a tree, what out-of-bag votes say for a forest.
    pruning : str, default="auto"
        What a tree is pruned for: "bcr", "gmean", "error", "f1", "cost", or "none". "auto": what
        the rule is after, or not at all, what is better on unseen rows.
    pairs : bool, default=True
        Whether each model competes a second time with columns made of two others (products,
        differences, ratios), where these improve the score on unseen rows; see
        `thresher.PairFeatures`.
    random_state : int, default=0
    n_jobs : int, default=None
        Threads.
    verbose : bool, default=False
        Show progress with the remaining time, on a terminal.
    confidence : float, default=None
        Promise, with this confidence, what the rules "precision_at_recall", "recall_at_precision",
        "budget" and "cost" aim at; see `thresher.ThresholdClassifier` and `facts.promise`. It is
        refused with `group`, whose rows are not independent.
    threshold_by : str, default=None
        A column to learn from whose groups (machines, products, sites) have cuts of their own, see
        `thresher.ThresholdClassifier`.
    miss, false_alarm, price : float, default=None
        Of the rule "refer": limits of what passes and alerts wrongly, or the price of a referred
        row beside `cost_fp` and `cost_fn`; see `thresher.ThresholdClassifier`.
    settings : names, default=()
        Columns that somebody can set on the line: the report and `PlantModel.actions` say where to
        hold them, and what that would bring.

    Returns
    -------
    PlantModel

    Raises
    ------
    TableError, ParameterError
        One sentence: what is wrong, and the way out.

    Examples
    --------
    >>> from thresher.datasets import make_assembly_line
    >>> from thresher import train
    >>> line = make_assembly_line(1000, random_state=0)
    >>> model = train(line.X.assign(scrap=line.y), "scrap", model="tree", folds=3)
    >>> model.judgement.rows, model.facts.model
    (1000, 'tree (entropy, 32 leaves, pruned for f1)')
    """
    recipe = Recipe(
        model=model,
        rule=rule or DEFAULT_RULE,
        cost_fp=cost_fp,
        cost_fn=cost_fn,
        beta=beta,
        floor=floor,
        per_1000=per_1000,
        trees=trees,
        seed=random_state,
        jobs=n_jobs,
        criterion=criterion,
        leaves=leaves,
        min_samples_leaf=min_samples_leaf,
        pruning=pruning,
        pairs=pairs,
        confidence=confidence,
        cost_fp_column=cost_fp_column,
        cost_fn_column=cost_fn_column,
        threshold_by=threshold_by,
        miss=miss,
        false_alarm=false_alarm,
        price=price,
    )
    if rule is None:
        recipe = replace(recipe, rule=rule_for(recipe.as_data()) or DEFAULT_RULE)
    # Refuse what does not go together, before anything is read.
    for name in ("cost_fp", "cost_fn"):
        if getattr(recipe, name) is not None and getattr(recipe, f"{name}_column") is not None:
            raise ParameterError(f"{name}= and {name}_column= are both given; leave one out.")
    recipe.check()
    if recipe.confidence is not None and group is not None:
        raise ParameterError(
            "confidence needs rows that are independent of each other, which those of one group "
            "are not; leave group= or confidence= out."
        )
    roles = Roles(target, positive, _names(id), time, group, _names(ignore), stages)
    roles = roles._replace(costs=recipe.cost_columns)
    usual, threads = Costs(cost_fp or 0.0, cost_fn or 0.0), thread_count(n_jobs)
    rows = read_training_table(table, roles, usual, seed=random_state, n_threads=threads)
    if rows.plan is not None:
        logger.info(rows.plan.as_table().as_text() + "\n")
    for remark in rows.remarks:
        logger.warning(remark)
    for finding in rows.leakage.leaks:
        logger.warning(finding.sentence)
    for name in _names(settings):
        _need(rows, "settings", name)
    if rows.costs is not None:
        # Means: of false alarms on negatives, of misses on positives.
        mean_fp = float(rows.costs.fp[~rows.is_positive].mean())
        mean_fn = float(rows.costs.fn[rows.is_positive].mean())
        recipe = replace(recipe, cost_fp=mean_fp, cost_fn=mean_fn)
        recipe.check()
    training = make_training(rows, recipe, folds)
    if recipe.model == AUTO and not has_lightgbm():
        logger.info(f"No boosted trees compete, since {NEEDED}.")
    with without_warnings():
        logger.info(f"Training on {rows}; {training.hold_out.words} ...")
        trained = training.run(shown=verbose)
        judged = training.judge(shown=verbose)
        logger.info(f"Looking for the conditions behind the {trained.chosen.candidate.name} ...")
        fitted = trained.estimator
        is_tree = isinstance(fitted, ImbalancedTreeClassifier)
        reader = fitted if is_tree else fitted.to_tree(MAX_LEAVES, cv=None)
        found = _find_conditions(training, trained, rows, reader, verbose)
        facts = make_facts(target, rows, training, trained, judged)
        facts = replace(facts, settings=tuple(_names(settings)))
    origin = Origin(training, rows, judged, found)
    conditions = replace(found.table, target=target)
    return PlantModel(fitted, reader, conditions, facts, origin=origin)


def _names(given: str | Collection[str]) -> list[str]:
    return [given] if isinstance(given, str) else list(given)


def _need(rows: TrainingTable, parameter: str, name: str) -> None:
    """Raise unless a column is learnt from."""
    if name not in rows.features.columns:
        raise TableError(
            f"{parameter}={name!r} is no column that is learnt from; choose from "
            f"{first_of(rows.features.columns)}."
        )


class Origin(NamedTuple):
    """A training in memory, of which a report can be made."""

    training: Training
    rows: TrainingTable
    judged: NestedJudgement
    found: Findings


def make_training(rows: TrainingTable, recipe: Recipe, folds: int) -> Training:
    """Return what chooses, fits and judges on a table."""
    is_ordered = rows.times is not None
    hold_out = HoldOut(rows.is_positive, rows.groups, is_ordered, folds, recipe.seed)
    hold_out.check()
    features = make_features(rows.features)
    by_row = ByRow(rows.costs)
    if recipe.threshold_by is not None:
        _need(rows, "threshold_by", recipe.threshold_by)
        column = rows.features.columns[recipe.threshold_by]
        try:
            by_row = ByRow(None, Groups.of(recipe.threshold_by, column))
        except ValueError as error:
            raise TableError(str(error)) from None
    pairing = None
    if recipe.pairs:  # of sums the units must agree
        pairing = PairFeatures(
            operations=OPERATIONS,
            units=units_of(rows.features.columns, rows.plan) or None,
            stages=None if rows.stages is None else dict(rows.stages),
            random_state=recipe.seed,
            n_jobs=recipe.jobs,
        )
    return Training(recipe, features, rows.labels, rows.positive, hold_out, pairing, by_row)


def _find_conditions(
    training: Training, trained: Trained, rows: TrainingTable, reader: Any, verbose: bool
) -> Findings:
    """Read the conditions of the fitted model, with evidence from the same folds."""
    recipe = training.recipe
    found = make_findings(
        trained.estimator,
        training.features.X,
        training.labels,
        stages=rows.stages,
        cost_fp=recipe.cost_fp,
        cost_fn=recipe.cost_fn,
        cv=training.hold_out.splits(),
        max_leaf_nodes=MAX_LEAVES,
        random_state=recipe.seed,
        n_jobs=recipe.jobs,
        verbose=verbose,
    )
    if rows.costs is None:
        return found
    leaves = reader.apply(training.features.X)
    table = with_row_costs(found.table, leaves, rows.costs, training.is_positive)
    return found._replace(table=table)


def make_facts(
    target: str, rows: TrainingTable, training: Training, trained: Trained, judged: NestedJudgement
) -> Facts:
    """Return what is known of a training."""
    from thresher import __version__

    chosen, derived = trained.chosen, None
    if trained.pairing is not None:
        derived = Derived.of(trained.pairing, tuple(training.features.names))
    columns, levels = list(rows.features.columns.items()), trained.estimator.columns_.levels
    return Facts(
        target=target,
        positive=rows.positive,
        rows=len(rows),
        positives=int(rows.is_positive.sum()),
        recipe=training.recipe,
        held_out=training.hold_out.words,
        judgement=judged.judgement,
        folds=tuple(judged.folds),
        scores=chosen.scores,
        threshold_interval=training.recipe.interval(chosen.scores),
        promise=training.promise(chosen),
        reachable_f1=reachable_f1(judged.folds),
        derived=derived,
        candidates=competitors(trained.rivals, chosen, training.recipe.measure),
        stages=rows.stages,
        prints=RowPrints.of(row_hashes(columns, rows.labels.tolist())),
        columns=tuple(map(summarize, rows.features.columns.values(), levels)),
        remarks=rows.remarks,
        leaks=rows.leakage.leaks,
        plan=rows.plan,
        library=__version__,
    )
