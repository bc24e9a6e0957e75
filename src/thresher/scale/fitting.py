"""Fitting a tree or a forest to all rows of a table, whatever engine holds them."""

import sys
from collections.abc import Iterable
from contextlib import ExitStack
from importlib import import_module
from typing import Any, TypeVar

from sklearn.base import clone

from thresher import _core
from thresher.forest.classifier import ImbalancedForestClassifier
from thresher.forest.parameters import AUTO, checked_rule_of
from thresher.scale.forests import grow_forest
from thresher.scale.growing_tree import Driver
from thresher.scale.passes import BinnedTable, Roles, TableBlocks, Watch, bin_table
from thresher.tree.classifier import ImbalancedTreeClassifier, warn_of_single_leaf
from thresher.tree.growing import MAX_BINS, Growth
from thresher.tree.sample import describe
from thresher.validation import check_integer, class_factors, draw_seed, thread_count

Model = TypeVar("Model", ImbalancedTreeClassifier, ImbalancedForestClassifier)

ENGINES = {"dask": "dask", "pyspark": "spark"}
"""Modules of this package by the library of a table; all other tables are of Arrow."""
NEED_ROWS = {"splitter": "random", "importance": "shap", "warm_start": True}
"""Values that need all rows in memory, beside any of `pairs` and other parameters."""


def fit(
    estimator: Model,
    table: Any,
    target: str,
    *,
    sample_weight: str | None = None,
    ignore: Iterable[str] = (),
    memory: int | None = None,
    verbose: bool = False,
) -> Model:
    """Fit a tree or a forest to all rows of a table that need not fit into memory.

    The tree is the one that the estimator grows with all rows in memory and `max_bins=255`, byte
    for byte. Neither a tree nor a forest depends on the order of rows, on how they are dealt to
    files or partitions, on the engine, or on machines that are lost.

    Parameters
    ----------
    estimator : ImbalancedTreeClassifier or ImbalancedForestClassifier
        What to fit; it stays as it is. `max_bins` of None or "auto" becomes 255. What needs all
        rows in memory is refused: `pruning_fraction`, `pairs`, `threshold_by`, `warm_start`,
        `splitter="random"` and `importance="shap"`.
    table : path, pattern, list of paths, Arrow table or stream, dask DataFrame, Spark DataFrame
        Parquet files, a folder of them, a dataset of pyarrow or any object with
        `__arrow_c_stream__` are read here, batch by batch; a stream that can be read once is copied
        to a temporary file. A frame of Dask (the current client's, or Dask's scheduler in this
        process) or of Spark stays where it is. Each is read three times, the first time its target
        and category columns only.
    target : str
        Column with the two classes.
    sample_weight : str, default=None
        Column with the weights of the rows.
    ignore : names
        Columns to leave out; the model learns from all others. The only one of a Spark frame may
        hold vectors or arrays of features.
    memory : int, default=None
        Bytes for binned rows and counts. In this process, half of the memory of the machine, or of
        its container, by default; where rows need more than a quarter of it, they are kept in a
        temporary file and counted level by level. On Dask 1 GiB by default, here and in each
        thread of a worker; on Spark 256 MiB, a quarter of `spark.driver.maxResultSize` at most. A
        forest on a cluster needs four times the bytes of all bins.
    verbose : bool, default=False
        Write on standard error what is done.

    Returns
    -------
    model : ImbalancedTreeClassifier or ImbalancedForestClassifier
        The forest has no `oob_decision_function_`, and `to_tree` needs rows.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from thresher import ImbalancedTreeClassifier
    >>> from thresher.scale import fit
    >>> table = pa.table({"speed": [1.0, 2.0, 3.0, 4.0] * 3, "scrap": [0, 0, 0, 1] * 3})
    >>> model = fit(ImbalancedTreeClassifier(max_depth=4), table, target="scrap")
    >>> model.predict(table.select(["speed"])[:4]).tolist()
    [0, 0, 0, 1]
    """
    if not isinstance(estimator, ImbalancedTreeClassifier | ImbalancedForestClassifier):
        raise TypeError(
            "fit takes an ImbalancedTreeClassifier or an ImbalancedForestClassifier, got "
            f"{type(estimator).__name__}."
        )
    model: Model = clone(estimator)
    if model.max_bins in (None, AUTO):
        model.max_bins = MAX_BINS
    if memory is not None:
        check_integer("memory", memory, low=1)
    library = type(table).__module__.partition(".")[0]
    engine = import_module(f"thresher.scale.{ENGINES.get(library, 'local')}")
    if memory is None:
        memory = engine.default_memory()
    roles = Roles(target, sample_weight, tuple(ignore), model.categorical_features)
    watch = _say if verbose else _say_nothing
    with ExitStack() as stack:
        threads = thread_count(model.n_jobs)
        fit_blocks(model, engine.open_table(table, roles, memory, threads, stack), memory, watch)
    return model


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)  # noqa: T201


def _say_nothing(_text: str) -> None:
    pass


def fit_blocks(
    model: ImbalancedTreeClassifier | ImbalancedForestClassifier,
    table: TableBlocks,
    memory: int,
    watch: Watch = _say_nothing,
) -> None:
    """Fit a model with bins to a table in blocks."""
    for name in ("pairs", "pruning_fraction", "threshold_by", *NEED_ROWS):
        value = getattr(model, name, None)
        if value is not None and value == NEED_ROWS.get(name, value):
            raise ValueError(f"{name}={value!r} needs all rows in memory; leave it out.")
    if isinstance(model, ImbalancedForestClassifier):
        rule = checked_rule_of(model)
        grow_forest(model, bin_table(model, table, watch), rule, memory, watch)
    else:
        model.check_parameters(None, None)
        grow_tree(model, bin_table(model, table, watch), memory, watch)


def grow_tree(
    model: ImbalancedTreeClassifier, table: BinnedTable, memory: int, watch: Watch
) -> None:
    """Grow a tree on binned rows, prune it and describe the model."""
    factors = class_factors(model.class_weight, table.classes, table.positive, table.totals)
    seed = draw_seed(model.random_state) if model.max_features is not None else 0
    n_features, is_category = len(table.columns), table.columns.is_category
    options = Growth.of(model, table.row_weight).core_options(n_features, factors, seed)
    growth = _core.BlockGrowth(options, table.edges, is_category, table.digits, table.weight)
    threads, weighted = thread_count(model.n_jobs), table.digits is not None
    driver = Driver(table.blocks, growth, n_features, weighted, memory, threads, watch)
    tree = driver.grow(table.weight, table.rows, model.max_leaf_nodes)
    describe(model, table.columns, table.classes, table.positive)
    model.take_tree(tree, None, table.row_weight)
    warn_of_single_leaf(model.tree_, model.unpruned_tree_, model.threshold_)
