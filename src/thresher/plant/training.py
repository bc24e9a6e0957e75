"""The public function: a table in, a judged model with its conditions out."""

import logging
from collections.abc import Collection
from dataclasses import replace
from typing import Any

from thresher.condition.finding import conditions as find_conditions
from thresher.condition.table import ConditionTable
from thresher.errors import GateMissedError
from thresher.judging.early import best_f1_counts
from thresher.judging.facts import Facts, competitors
from thresher.judging.hold_out import HoldOut
from thresher.judging.judgement import Judgement
from thresher.judging.nested_training import NestedJudgement, Trained, Training
from thresher.judging.recipe import MAX_LEAVES, TREES, Recipe
from thresher.judging.row_prints import RowPrints, row_hashes
from thresher.judging.verdict import terms_of
from thresher.plant.model import Origin, PlantModel, reader_of
from thresher.plant.quiet import without_warnings
from thresher.plant.training_table import Roles, TrainingTable, read_training_table
from thresher.tables.features import make_features

logger = logging.getLogger("thresher.plant")


def train(
    table: Any,
    target: str,
    *,
    positive: Any = None,
    model: str = "auto",
    rule: str = "f1",
    beta: float = 1.0,
    cost_fp: float | None = None,
    cost_fn: float | None = None,
    floor: float | None = None,
    per_1000: float | None = None,
    id: str | Collection[str] = (),
    time: str | None = None,
    group: str | None = None,
    ignore: str | Collection[str] = (),
    stations: Any = None,
    folds: int = 5,
    unit: str | None = None,
    event: str | None = None,
    trees: int = TREES,
    min_precision: float | None = None,
    min_recall: float | None = None,
    title: str | None = None,
    description: str | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    verbose: bool = False,
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
    model : {"auto", "tree", "forest"}, default="auto"
        "auto" takes what is better on unseen rows.
    rule : str, default="f1"
        What the threshold is chosen for; see `thresher.ThresholdClassifier`.
    beta, cost_fp, cost_fn, floor, per_1000 : float
        Parameters of some rules. Costs are also shown with any other rule.
    id, ignore : names, default=()
        Columns that name a row, and columns to leave out; neither is learnt from.
    time, group : str, default=None
        When a row was made: later rows judge the model. Rows of one group are held out together.
    stations : mapping of column to station, or a table with the columns `column` and `station`
        In the order of the line.
    folds : int, default=5
    unit, event : str, default=None
        What a row is, and what is looked for, in the plural or as a mass noun: "parts", "scrap".
    trees : int, default=200
        Of a forest.
    min_precision, min_recall : float, default=None
        Quality gates; a GateMissedError where the judgement is below one of them.
    title, description : str, default=None
        Heading of the report, and a sentence about the data.
    random_state : int, default=0
    n_jobs : int, default=None
        Threads.
    verbose : bool, default=False
        Show progress with the remaining time, on a terminal.

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
    >>> from thresher.plant import train
    >>> line = make_assembly_line(1000, random_state=0)
    >>> model = train(line.X.assign(scrap=line.y), "scrap", model="tree", folds=3, unit="parts")
    >>> model.judgement.rows, model.facts.model
    (1000, 'tree (entropy, pruned for f1)')
    """
    recipe = Recipe(
        model, rule, cost_fp, cost_fn, beta, floor, per_1000, trees, random_state, n_jobs
    )
    recipe.check()
    roles = Roles(target, positive, _names(id), time, group, _names(ignore), stations)
    rows = read_training_table(table, roles)
    for remark in rows.remarks:
        logger.warning(remark)
    training = _training(rows, recipe, folds)
    with without_warnings():
        logger.info(f"Training on {rows}; {training.hold_out.words} ...")
        judged = training.judge(shown=verbose)
        check_gates(judged.judgement, min_precision, min_recall)
        trained = training.run()
        logger.info(f"Looking for the conditions behind the {trained.chosen.candidate.name} ...")
        found = _find_conditions(training, trained, rows, verbose)
        terms = terms_of(unit, event, target, rows.positive)
        facts = replace(make_facts(roles, rows, training, trained, judged), terms=terms)
        origin = Origin(training, rows, judged, title, description)
        reader = reader_of(trained.estimator)
    return PlantModel(trained.estimator, reader, found, facts, origin=origin)


def check_gates(
    judgement: Judgement, min_precision: float | None, min_recall: float | None
) -> None:
    """Raise where precision or recall are below what was asked for."""
    asked = {"precision": min_precision, "recall": min_recall}
    missed = [
        f"{name} is {getattr(judgement, name):.3f}, below min_{name}={least:g}"
        for name, least in asked.items()
        if least is not None and getattr(judgement, name) < least
    ]
    if missed:
        raise GateMissedError(f"The quality gate is missed: {' and '.join(missed)}.")


def _names(given: str | Collection[str]) -> list[str]:
    return [given] if isinstance(given, str) else list(given)


def _training(rows: TrainingTable, recipe: Recipe, folds: int) -> Training:
    hold_out = HoldOut(rows.is_positive, rows.groups, rows.times is not None, folds, recipe.seed)
    hold_out.check()
    return Training(recipe, make_features(rows.features), rows.labels, rows.positive, hold_out)


def _find_conditions(
    training: Training, trained: Trained, rows: TrainingTable, verbose: bool
) -> ConditionTable:
    """Read the conditions of the fitted model, with evidence from the same folds."""
    recipe = training.recipe
    table: ConditionTable = find_conditions(
        trained.estimator,
        training.features.X,
        training.labels,
        stations=rows.stations,
        cost_fp=recipe.cost_fp,
        cost_fn=recipe.cost_fn,
        cv=training.hold_out.splits(),
        max_leaf_nodes=MAX_LEAVES,
        output="table",
        random_state=recipe.seed,
        n_jobs=recipe.jobs,
        verbose=verbose,
    )
    return table


def make_facts(
    roles: Roles, rows: TrainingTable, training: Training, trained: Trained, judged: NestedJudgement
) -> Facts:
    """Return what is known of a training."""
    from thresher import __version__

    chosen = trained.chosen
    truth = training.is_positive[chosen.unseen.rows]
    columns = list(rows.features.columns.items())
    return Facts(
        target=roles.target,
        positive=rows.positive,
        rows=len(rows),
        positives=int(rows.is_positive.sum()),
        recipe=training.recipe,
        held_out=training.hold_out.words,
        judgement=judged.judgement,
        folds=tuple(judged.folds),
        scores=chosen.scores,
        threshold_interval=training.interval(chosen),
        reachable_f1=float(best_f1_counts(chosen.unseen.scores, truth).fbeta()[0]),
        candidates=competitors(trained.rivals, chosen, training.recipe.measure),
        stations=rows.stations,
        prints=RowPrints.of(row_hashes(columns, rows.labels.tolist())),
        remarks=rows.remarks,
        library=__version__,
    )
