"""Train on a table that is read: choose, fit, judge, and find the conditions."""

import logging
from dataclasses import replace
from typing import NamedTuple

from thresher.blend.boosting import NEEDED, has_lightgbm
from thresher.condition.finding import Findings, find_conditions
from thresher.condition.row_money import with_row_costs
from thresher.errors import TableError
from thresher.judging.column_summary import summarize
from thresher.judging.competitor import competitors
from thresher.judging.derived import Derived
from thresher.judging.facts import Facts
from thresher.judging.hold_out import HoldOut, Strata
from thresher.judging.judgement import reachable_f1
from thresher.judging.nested_training import NestedJudgement, Trained, Training
from thresher.judging.offer import Offer, offered_tree
from thresher.judging.recipe import AUTO, MAX_LEAVES, Recipe
from thresher.judging.row_prints import RowPrints, row_hashes
from thresher.judging.verdict import terms_of
from thresher.pair import OPERATIONS
from thresher.pairs.features import PairFeatures
from thresher.plant.gates import check_gates
from thresher.plant.model import PlantModel
from thresher.plant.origin import TableOrigin
from thresher.plant.quiet import without_warnings
from thresher.plant.reader import reader_of
from thresher.plant.training_table import Roles, TrainingTable
from thresher.tables.features import make_features
from thresher.tables.units import units_of
from thresher.threshold.by_row import ByRow
from thresher.threshold.groups import Groups
from thresher.wording import first_of

NAMES_NEEDED = "these need a library for data frames; pip install pandas, polars or pyarrow"
logger = logging.getLogger("thresher.plant")


class Wishes(NamedTuple):
    """What a user wants of a training beside its recipe; see `thresher.plant.train`."""

    folds: int = 5
    time_budget: float | None = None
    min_precision: float | None = None
    min_recall: float | None = None
    unit: str | None = None
    event: str | None = None
    title: str | None = None
    description: str | None = None
    verbose: bool = False
    settings: tuple[str, ...] = ()


class JudgedRows(NamedTuple):
    """A table, what was chosen on it, and how that was judged."""

    rows: TrainingTable
    training: Training
    trained: Trained
    judged: NestedJudgement


def train_rows(rows: TrainingTable, roles: Roles, recipe: Recipe, wishes: Wishes) -> PlantModel:
    """Train and judge a model on a table that is read."""
    found = judge_rows(rows, recipe, wishes)
    check_gates(found.judged.judgement, wishes.min_precision, wishes.min_recall)
    return make_model(found, roles, wishes)


def judge_rows(
    rows: TrainingTable, recipe: Recipe, wishes: Wishes, strata: Strata = None
) -> JudgedRows:
    """Choose and fit a model on a table, and judge it on rows that had no part in that.

    `strata` are classes that random folds keep in proportion, where these are not the labels.
    """
    _check_settings(rows, wishes.settings)
    recipe = _with_mean_costs(recipe, rows)
    training = make_training(rows, recipe, wishes.folds, strata)
    if recipe.model in (AUTO, "blend") and not has_lightgbm():
        logger.info(f"No boosted trees compete, since {NEEDED}.")
    if recipe.derive == AUTO and not training.features.is_named:
        logger.info(f"No columns made of two others compete, since {NAMES_NEEDED}.")
    with without_warnings():
        logger.info(f"Training on {rows}; {training.hold_out.words} ...")
        trained = training.run(shown=wishes.verbose)
        if wishes.time_budget is not None:
            training, trained = training.within(wishes.time_budget, trained)
            rows = _with_remark(rows, training, wishes.time_budget)
        return JudgedRows(rows, training, trained, training.judge(shown=wishes.verbose))


def make_model(found: JudgedRows, roles: Roles, wishes: Wishes) -> PlantModel:
    """Find the conditions behind what was chosen, and put together what is known of it."""
    rows, training, trained, judged = found
    with without_warnings():
        logger.info(f"Looking for the conditions behind the {trained.chosen.candidate.name} ...")
        conditions = _find_conditions(training, trained, rows, wishes.verbose)
        terms = terms_of(wishes.unit, wishes.event, roles.target, rows.positive)
        facts = make_facts(roles, rows, training, trained, judged)
        facts = replace(facts, terms=terms, settings=wishes.settings)
        words = wishes.title, wishes.description
        origin = TableOrigin(training, rows, judged, *words, conditions)
        reader = reader_of(trained.estimator)
    return PlantModel(trained.estimator, reader, conditions.table, facts, origin=origin)


def _check_settings(rows: TrainingTable, settings: tuple[str, ...]) -> None:
    for name in settings:
        if name not in rows.features.columns:
            raise TableError(
                f"settings={name!r} is no column that is learnt from; choose from "
                f"{first_of(rows.features.columns)}."
            )


def _with_remark(rows: TrainingTable, training: Training, seconds: float) -> TrainingTable:
    """Return the table with a remark on candidates for which there was no time."""
    if not training.left_out:
        return rows
    remark = (
        f"time_budget={seconds:g} left no time for {len(training.left_out)} candidates: "
        f"{', '.join(sorted(training.left_out))}."
    )
    logger.warning(remark)
    return replace(rows, remarks=(*rows.remarks, remark))


def _with_mean_costs(recipe: Recipe, rows: TrainingTable) -> Recipe:
    """Return the recipe with mean costs: of false alarms on negatives, of misses on positives."""
    if rows.costs is None:
        return recipe
    fp = float(rows.costs.fp[~rows.is_positive].mean())
    fn = float(rows.costs.fn[rows.is_positive].mean())
    recipe = replace(recipe, cost_fp=fp, cost_fn=fn)
    recipe.check()
    return recipe


def _by_row(rows: TrainingTable, recipe: Recipe) -> ByRow:
    """Return costs or groups of the rows."""
    name = recipe.threshold_by
    if name is None:
        return ByRow(rows.costs)
    if name not in rows.features.columns:
        raise TableError(
            f"threshold_by={name!r} is no column that is learnt from; choose from "
            f"{first_of(rows.features.columns)}."
        )
    try:
        return ByRow(None, Groups.of(name, rows.features.columns[name]))
    except ValueError as error:
        raise TableError(str(error)) from None


def make_training(
    rows: TrainingTable, recipe: Recipe, folds: int, strata: Strata = None
) -> Training:
    """Return what chooses, fits and judges on a table."""
    is_ordered = rows.times is not None
    hold_out = HoldOut(rows.is_positive, rows.groups, is_ordered, folds, recipe.seed, strata)
    hold_out.check()
    features = make_features(rows.features)
    by_row = _by_row(rows, recipe)
    training = Training(recipe, features, rows.labels, rows.positive, hold_out, by_row=by_row)
    if recipe.derive == AUTO and features.is_named:
        return replace(training, pairing=_pairing(rows, recipe))
    return training


def _pairing(rows: TrainingTable, recipe: Recipe) -> PairFeatures:
    """Return what looks for columns made of two others; sums need units that agree."""
    return PairFeatures(
        operations=OPERATIONS,
        units=units_of(rows.features.columns, rows.plan) or None,
        stations=None if rows.stations is None else dict(rows.stations),
        random_state=recipe.seed,
        n_jobs=recipe.jobs,
    )


def _find_conditions(
    training: Training, trained: Trained, rows: TrainingTable, verbose: bool
) -> Findings:
    """Read the conditions of the fitted model, with evidence from the same folds."""
    recipe = training.recipe
    found = find_conditions(
        trained.estimator,
        training.features.X,
        training.labels,
        stations=rows.stations,
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
    leaves = reader_of(trained.estimator).apply(training.features.X)
    table = with_row_costs(found.table, leaves, rows.costs, training.is_positive)
    return found._replace(table=table)


def _offer(training: Training, trained: Trained, judged: NestedJudgement) -> Offer | None:
    if judged.offered is None or not training.offers(trained):
        return None
    tree = offered_tree(trained.estimator)
    return Offer(tree.get_n_leaves() - 1, judged.offered)


def _derived(training: Training, trained: Trained) -> Derived | None:
    if trained.pairing is None:
        return None
    return Derived.of(trained.pairing, tuple(training.features.names))


def make_facts(
    roles: Roles, rows: TrainingTable, training: Training, trained: Trained, judged: NestedJudgement
) -> Facts:
    """Return what is known of a training."""
    from thresher import __version__

    chosen = trained.chosen
    columns, levels = list(rows.features.columns.items()), trained.estimator.columns_.levels
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
        threshold_interval=training.recipe.interval(chosen.scores),
        promise=training.promise(chosen),
        reachable_f1=reachable_f1(judged.folds),
        derived=_derived(training, trained),
        candidates=competitors(trained.rivals, chosen, training.recipe.measure),
        stations=rows.stations,
        prints=RowPrints.of(row_hashes(columns, rows.labels.tolist())),
        columns=tuple(map(summarize, rows.features.columns.values(), levels)),
        offer=_offer(training, trained, judged),
        remarks=rows.remarks,
        plan=rows.plan,
        library=__version__,
    )
