"""The public function: a table in, a judged model with its conditions out."""

import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from thresher.errors import ParameterError
from thresher.judging.recipe import AUTO, TREES, Recipe
from thresher.plant.gates import check_gates
from thresher.plant.lake.choice import is_streamed, streamed_source
from thresher.plant.quiet import without_warnings
from thresher.plant.table_training import Wishes, train_rows
from thresher.plant.training_table import Roles, read_training_table
from thresher.threshold.rules import Costs, rule_for
from thresher.validation import check_number

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
    cost_fn: float | Mapping[str, float] | None = None,
    cost_fp_column: str | None = None,
    cost_fn_column: str | None = None,
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
    criterion: str | None = None,
    leaves: int | None = None,
    min_samples_leaf: int | str = AUTO,
    pruning: str = AUTO,
    derive: str | None = AUTO,
    smooth: bool = False,
    time_budget: float | None = None,
    min_precision: float | None = None,
    min_recall: float | None = None,
    title: str | None = None,
    description: str | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    verbose: bool = False,
    stream: bool | None = None,
    memory: int | None = None,
    confidence: float | None = None,
    threshold_by: str | None = None,
    learn_costs: bool = False,
    miss: float | None = None,
    false_alarm: float | None = None,
    price: float | None = None,
    codes: str | Sequence[str] | None = None,
    good: str | None = None,
    settings: str | Collection[str] = (),
) -> Any:
    """Train a model on a table, judge it on rows that it has not seen, and read its conditions.

    Every choice (which model, which threshold) is made again inside each fold that judges it, so
    that the judgement is that of the whole procedure. The same as `thresher train`.

    Parameters
    ----------
    table : data frame, path, or anything that `thresher.tables.read_table` takes
        Of several Parquet files, or one that is large, see `stream`; a pattern or a folder there.
        Data frames of Dask and Spark are taken as they are, and read so too.
    target : str
        The column with the two classes.
    positive : object, default=None
        The class to find; by default the rarer one.
    model : {"auto", "tree", "card", "forest", "boosted", "blend"}, default="auto"
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
        and new tables must have these columns. They are not learnt from, unless `learn_costs`.
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
    derive : "auto" or None, default="auto"
        "auto": each model competes a second time with columns made of two others (products,
        differences, ratios), where these earn their place on unseen rows; see
        `thresher.PairFeatures`.
    smooth : bool, default=False
        Choose the threshold of a metric on smoothed labels, see `thresher.ThresholdClassifier`.
    time_budget : float, default=None
        Seconds for choosing and judging. Candidates that take longer, the least readable first, are
        left out, and a remark tells which; with it the model depends on the speed of the machine.
    min_precision, min_recall : float, default=None
        Quality gates; a GateMissedError where the judgement is below one of them.
    title, description : str, default=None
        Heading of the report, and a sentence about the data.
    random_state : int, default=0
    n_jobs : int, default=None
        Threads.
    verbose : bool, default=False
        Show progress with the remaining time, on a terminal.
    stream : bool, default=None
        Read Parquet batch by batch, however large it is: trees and a forest compete, and the last
        files (with `time` the latest rows) judge, about a quarter of the rows. By default where
        the values take more than 2 GB of memory.
    memory : int, default=None
        With `stream`: bytes for binned rows and counts; half of the machine's memory by default.
    confidence : float, default=None
        Promise, with this confidence, what the rules "precision_at_recall", "recall_at_precision",
        "budget" and "cost" aim at; see `thresher.ThresholdClassifier` and `facts.promise`. It is
        refused with `group`, whose rows are not independent.
    threshold_by : str, default=None
        A column to learn from whose groups (machines, products, sites) have cuts of their own, see
        `thresher.ThresholdClassifier`.
    learn_costs : bool, default=False
        Learn from the columns with costs as from any other.
    miss, false_alarm, price : float, default=None
        Of the rule "refer": limits of what passes and alerts wrongly, or the price of a referred
        row beside `cost_fp` and `cost_fn`; see `thresher.ThresholdClassifier`.
    codes : "all" or names, default=None
        The target has reason codes: a model for each of them. With the rule "budget" `per_1000`
        alerts are for all of them together, and `cost_fn` may be a mapping of code to the cost of
        a missed row.
    good : str, default=None
        With `codes`, the value of good rows: by default the most frequent one, "" where they have
        none.
    settings : names, default=()
        Columns that somebody can set on the line: the report and `PlantModel.actions` say where to
        hold them, and what that would bring. Not with `stream`.

    Returns
    -------
    PlantModel, with `codes` a CodedModel

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
    (1000, 'tree (entropy, 32 leaves, pruned for f1)')
    """
    by_code, cost_fn = _costs_by_code(cost_fn, codes, cost_fp)
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
        smooth=smooth,
        derive=derive or "none",
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
    roles = Roles(
        target=target,
        positive=positive,
        id=_names(id),
        time=time,
        group=group,
        ignore=_names(ignore),
        stations=stations,
        costs=recipe.cost_columns,
        learns_costs=learn_costs,
    )
    wishes = Wishes(
        folds=folds,
        time_budget=time_budget,
        min_precision=min_precision,
        min_recall=min_recall,
        unit=unit,
        event=event,
        title=title,
        description=description,
        verbose=verbose,
        settings=tuple(_names(settings)),
    )
    _check(recipe, roles, wishes)
    if codes is not None or good is not None:
        from thresher.plant.coded.training import Asked, train_coded

        wanted = _wanted_codes(codes, positive, stream)
        return train_coded(table, roles, recipe, wishes, Asked(wanted, good, by_code))
    if is_streamed(table, stream):
        return _train_streamed(table, roles, recipe, wishes, memory)
    rows = read_training_table(table, roles, Costs(cost_fp or 0.0, cost_fn or 0.0))
    if rows.plan is not None:
        logger.info(rows.plan.as_table().as_text() + "\n")
    for remark in rows.remarks:
        logger.warning(remark)
    return train_rows(rows, roles, recipe, wishes)


def _check(recipe: Recipe, roles: Roles, wishes: Wishes) -> None:
    """Refuse what does not go together, before anything is read."""
    _refuse_two_costs(recipe)
    recipe.check()
    if recipe.confidence is not None and roles.group is not None:
        raise ParameterError(
            "confidence needs rows that are independent of each other, which those of one group "
            "are not; leave group= or confidence= out."
        )
    if wishes.time_budget is not None:
        check_number("time_budget", wishes.time_budget, 0.0, above=True)


def _train_streamed(
    table: Any, roles: Roles, recipe: Recipe, wishes: Wishes, memory: int | None
) -> Any:
    """Train batch by batch, on files or a table of a cluster."""
    from thresher.plant.lake.table import LakeTable
    from thresher.plant.lake.training import LakeTraining, refuse, train_lake

    refuse(recipe, roles, wishes.time_budget, wishes.settings)
    lake = LakeTable(streamed_source(table), roles, recipe.seed, wishes.verbose)
    words = {name: getattr(wishes, name) for name in ("unit", "event", "title", "description")}
    with without_warnings():
        found = train_lake(LakeTraining(lake, recipe, memory), **words)
    check_gates(found.judgement, wishes.min_precision, wishes.min_recall)
    return found


def _costs_by_code(
    cost_fn: float | Mapping[str, float] | None, codes: Any, cost_fp: float | None
) -> tuple[Mapping[str, float] | None, float | None]:
    """Return costs by code where they are given so, and one cost for the recipe."""
    if not isinstance(cost_fn, Mapping):
        return None, cost_fn
    if codes is None:
        raise ParameterError("cost_fn by code needs codes=; give one number, or say codes='all'.")
    if not cost_fn:
        raise ParameterError("cost_fn names no code; give the cost of a missed row of each.")
    try:
        for code, cost in cost_fn.items():
            check_number(f"cost_fn[{code!r}]", cost, 0.0, above=True)
    except (TypeError, ValueError) as error:
        raise ParameterError(str(error)) from None
    return cost_fn, None if cost_fp is None else sum(cost_fn.values()) / len(cost_fn)


def _wanted_codes(
    codes: str | Sequence[str] | None, positive: Any, stream: bool | None
) -> str | Sequence[str]:
    """Return the codes to find; raise for what does not go with them."""
    if codes is None:
        raise ParameterError("good= is for codes=; say codes='all' for a model of each code.")
    if positive is not None:
        raise ParameterError("codes= and positive= are both given; leave one of them out.")
    if stream:
        raise ParameterError(
            "codes= needs the table in memory; leave stream=True out, or find one code with "
            "positive=."
        )
    return codes


def _refuse_two_costs(recipe: Recipe) -> None:
    for name in ("cost_fp", "cost_fn"):
        if getattr(recipe, name) is not None and getattr(recipe, f"{name}_column") is not None:
            raise ParameterError(f"{name}= and {name}_column= are both given; leave one out.")


def _names(given: str | Collection[str]) -> list[str]:
    return [given] if isinstance(given, str) else list(given)
