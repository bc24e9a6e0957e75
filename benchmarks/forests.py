"""Forests beside RandomForestClassifier and imbalanced-learn's BalancedRandomForestClassifier.

All grow the same number of trees to the end, with at least two rows in a leaf and the square root
of the columns in a node, on one thread. Our fit includes the out-of-bag votes and the threshold of
rule="f1" on them, without its interval (n_bootstrap=0); the rivals' has votes where oob_score is
named only. A tuned forest, as it comes, stands beside one fit of LightGBM, as it comes.
"""

import pickle
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from contenders import CRITERIA, MIN_ROWS, Fit, absent_rivals
from figures import LARGE, Figure, compare_calls
from measure import best_seconds
from sklearn.ensemble import RandomForestClassifier
from tables import Shape, Table, make_table

from thresher import ImbalancedForestClassifier, _core, find_leakage, train
from thresher.forest.structure import Forest
from thresher.tree.growing import Growth

REFERENCE = "RandomForestClassifier"
BALANCED_REFERENCE = "BalancedRandomForestClassifier"
BOOSTING = "LightGBM, 100 trees"
TREES = 100
FEW_TREES = 20
"""Where RandomForestClassifier takes seconds for a few trees."""

GROWTH = {"min_samples_leaf": MIN_ROWS, "max_features": "sqrt"}

Models = dict[str, Any]


def compare_forests(shape: Shape, seconds: float) -> list[Figure]:
    """Return all figures of forests on a table of this shape, `seconds` for each part."""
    table = make_table(shape)
    figures, models = _fit("plain", shape, table, seconds)
    ours, theirs = models["estimator, entropy"], models[REFERENCE]
    if "imbalanced-learn" not in absent_rivals():
        figures += _fit("balanced", shape, table, seconds)[0]
    figures += _tuned(shape, table, seconds) + _random_cuts(shape, table, seconds)
    return figures + _memory(shape, ours, theirs) + _predict(shape, ours, theirs, seconds)


def _tuned(shape: Shape, table: Table, seconds: float) -> list[Figure]:
    """Compare the whole default forest, threshold included, with one fit of LightGBM."""
    if "lightgbm" in absent_rivals():
        return []
    from lightgbm import LGBMClassifier

    ours = ImbalancedForestClassifier(random_state=0, n_bootstrap=0, n_jobs=1)
    models = {BOOSTING: LGBMClassifier(n_jobs=1, verbose=-1), "tuned forest, 400 trees": ours}
    calls = {name: partial(model.fit, table.X, table.y) for name, model in models.items()}
    return compare_calls("tuned forest", calls, shape, seconds)


def _random_cuts(shape: Shape, table: Table, seconds: float) -> list[Figure]:
    """Compare the default forest with one of the same size whose trees all have best cuts."""
    settings = {"random_state": 0, "n_bootstrap": 0, "n_jobs": 1}
    models: Models = {
        name: ImbalancedForestClassifier(random_cuts=share, **settings)
        for name, share in (("best cuts alone", 0.0), ("half random cuts", 0.5))
    }
    fits = {name: partial(model.fit, table.X, table.y) for name, model in models.items()}
    figures = compare_calls("random cuts, fit", fits, shape, seconds)
    predictions = {name: partial(model.predict_proba, table.X) for name, model in models.items()}
    return figures + compare_calls("random cuts, predict", predictions, shape, seconds)


def tree_count(bootstrap: str, shape: Shape) -> int:
    """Return the trees of a forest: so many that what they share hardly counts in a tree's time."""
    return FEW_TREES if bootstrap == "plain" and shape.rows >= LARGE else TREES


def contenders(bootstrap: str, n_trees: int) -> dict[str, Fit]:
    """Return all contenders by name, the rival that draws rows in the same way first."""
    fits: dict[str, Fit] = {BALANCED_REFERENCE: partial(balanced_random_forest, n_trees)}
    if bootstrap == "plain":
        fits = {
            REFERENCE: partial(random_forest, n_trees),
            f"{REFERENCE}, oob_score": partial(random_forest, n_trees, oob_score=True),
        }
    for name, fit in {"growth alone": growth, "estimator": estimator}.items():
        for criterion in CRITERIA:
            fits[f"{name}, {criterion}"] = partial(fit, bootstrap, criterion, n_trees)
    return fits


def random_forest(n_trees: int, table: Table, oob_score: bool = False) -> Any:
    """Fit scikit-learn's forest, with out-of-bag votes if asked for."""
    model = RandomForestClassifier(
        n_trees, criterion="entropy", oob_score=oob_score, random_state=0, n_jobs=1, **GROWTH
    )
    with warnings.catch_warnings():
        # A few of many rows are in the sample of every one of few trees.
        warnings.filterwarnings("ignore", message="Some inputs do not have OOB scores")
        return model.fit(table.X, table.y)


def balanced_random_forest(n_trees: int, table: Table) -> Any:
    """Fit imbalanced-learn's forest, its rows drawn as its documentation recommends."""
    from imblearn.ensemble import BalancedRandomForestClassifier

    model = BalancedRandomForestClassifier(
        n_trees,
        criterion="entropy",
        sampling_strategy="all",
        replacement=True,
        bootstrap=False,
        random_state=0,
        n_jobs=1,
        **GROWTH,
    )
    return model.fit(table.X, table.y)


def growth(bootstrap: str, criterion: str, n_trees: int, table: Table) -> Forest:
    """Grow the trees by the compiled function alone: no votes, no threshold."""
    columns = table.X.shape[1]
    arrays = _core.grow_forest(
        table.X,
        table.is_positive,
        None,
        np.zeros(columns, dtype=np.uint8),
        Growth(criterion, **GROWTH).core_options(columns, class_weight=(1.0, 1.0), seed=0),
        bootstrap=bootstrap,
        first_tree=0,
        n_trees=n_trees,
        progress=None,
        n_threads=1,
    )
    return Forest.from_core(arrays)


def estimator(
    bootstrap: str, criterion: str, n_trees: int, table: Table
) -> ImbalancedForestClassifier:
    """Fit our forest, out-of-bag votes and threshold included."""
    model = ImbalancedForestClassifier(
        n_trees,
        criterion=criterion,
        random_cuts=0.0,
        bootstrap=bootstrap,
        rule="f1",
        n_bootstrap=0,
        random_state=0,
        n_jobs=1,
        **GROWTH,
    )
    return model.fit(table.X, table.y)


def leaf_count(model: Any) -> int:
    """Return the leaves of a tree, on average."""
    if isinstance(model, Forest):
        return round(np.count_nonzero(model.is_leaf) / len(model))
    if isinstance(model, ImbalancedForestClassifier):
        return leaf_count(model.forest_)
    return round(np.mean([tree.get_n_leaves() for tree in model.estimators_]))


def _fit(bootstrap: str, shape: Shape, table: Table, seconds: float) -> tuple[list[Figure], Models]:
    """Return the figures, the time of a whole fit divided by its trees, and the models."""
    n_trees = tree_count(bootstrap, shape)
    models: Models = {}
    calls = {
        name: partial(_fit_and_keep, models, name, fit, table)
        for name, fit in contenders(bootstrap, n_trees).items()
    }
    best = best_seconds(calls, seconds)
    unit = next(iter(best.values()))
    part = f"forest fit, {bootstrap}"
    figures = [
        Figure(part, name, shape, time / unit, time / n_trees, leaf_count(models[name]), n_trees)
        for name, time in best.items()
    ]
    return figures, models


def _fit_and_keep(models: Models, name: str, fit: Fit, table: Table) -> None:
    models[name] = fit(table)


def _memory(shape: Shape, ours: ImbalancedForestClassifier, theirs: Any) -> list[Figure]:
    arrays = {
        REFERENCE: array_bytes(theirs),
        "estimator, trees": tree_bytes(ours),
        "estimator, votes for training rows included": array_bytes(ours) + leaf_value_bytes(ours),
    }
    pickled = {REFERENCE: len(pickle.dumps(theirs)), "estimator": len(pickle.dumps(ours))}
    return [
        Figure(part, name, shape, size / sizes[REFERENCE], trees=len(ours.forest_))
        for part, sizes in {"forest memory": arrays, "forest pickle": pickled}.items()
        for name, size in sizes.items()
    ]


def array_bytes(model: Any) -> int:
    """Return the bytes of all arrays that a model hands to pickle, each once."""
    buffers: list[pickle.PickleBuffer] = []
    pickle.dumps(model, protocol=5, buffer_callback=buffers.append)
    return sum(buffer.raw().nbytes for buffer in buffers)


def tree_bytes(model: ImbalancedForestClassifier) -> int:
    """Return the bytes of our trees' arrays, with the leaf values that prediction keeps."""
    return array_bytes(model.forest_) + leaf_value_bytes(model)


def leaf_value_bytes(model: ImbalancedForestClassifier) -> int:
    """Return the bytes of what is not pickled but held: a value for each node."""
    return model.node_values().nbytes


def _predict(
    shape: Shape, ours: ImbalancedForestClassifier, theirs: Any, seconds: float
) -> list[Figure]:
    """Compare on as many new rows as the table has, and on one row."""
    rows = make_table(shape, seed=1).X
    parts = {
        "forest predict": best_seconds(_predictions(ours, theirs, rows), seconds / 3),
        "forest one row": best_seconds(_predictions(ours, theirs, rows[:1]), seconds / 6),
    }
    return [
        Figure(part, name, shape, time / best[REFERENCE], time, trees=len(ours.forest_))
        for part, best in parts.items()
        for name, time in best.items()
    ]


def _predictions(
    ours: ImbalancedForestClassifier, theirs: Any, rows: Any
) -> dict[str, Callable[[], Any]]:
    voters, values = ours.forest_.voters, ours.node_values()
    return {
        REFERENCE: lambda: theirs.predict_proba(rows),
        "kernel, mean vote": lambda: voters.mean(rows, values, 1),
        "estimator, predict_proba": lambda: ours.predict_proba(rows),
        "estimator, predict": lambda: ours.predict(rows),
    }


# ------------------------------------------------------------------- counted in fits of a forest


def compare_distillation(seconds: float, rows: int = 20_000, trees: int = 200) -> list[Figure]:
    """Return the time of to_tree without and with rows to refer; a fit of the forest = 1."""
    shape = Shape(rows, 20)
    table = make_table(shape)
    settings: dict[str, Any] = {"n_estimators": trees, "n_bootstrap": 0, "random_state": 0}
    forest = ImbalancedForestClassifier(**settings).fit(table.X, table.y)
    calls = {
        "fit of the forest": lambda: ImbalancedForestClassifier(**settings).fit(table.X, table.y),
        "to_tree(32)": partial(forest.to_tree, cv=None),
        "to_tree(32, refer=.1)": partial(forest.to_tree, refer=0.1, cv=None),
    }
    return compare_calls("distillation", calls, shape, seconds, trees=trees)


def compare_training(rows: int = 10_000, columns: int = 20, **options: Any) -> list[Figure]:
    """Return the cost of the whole of `train`, a fit of the default forest on the same rows = 1.

    And that of the check for leakage, the whole of `train` = 1.

    Choice of model, threshold and pairs in five outer folds, and conditions with p-values down to
    .01 are part of it; the report is not. Of three fits of the forest the fastest counts.
    """
    shape = Shape(rows, columns)
    table = make_table(shape)
    names = [f"column {place}" for place in range(columns)]
    frame = pd.DataFrame(table.X, columns=names).assign(target=table.y)
    forest = ImbalancedForestClassifier(random_state=0, n_bootstrap=0)
    fit = {"default forest, fit": partial(forest.fit, table.X, table.y)}
    least = min(best_seconds(fit, 0)["default forest, fit"] for _ in range(3))
    whole = {"train, model='auto'": partial(train, frame, "target", **options)}
    best = {"default forest, fit": least, **best_seconds(whole, 0)}
    figures = [Figure("train", name, shape, time / least, time) for name, time in best.items()]
    leakage = {"find_leakage": partial(find_leakage, frame.drop(columns="target"), table.y)}
    (seconds,), train_seconds = best_seconds(leakage, 0).values(), best["train, model='auto'"]
    share = Figure("leakage", "find_leakage", shape, seconds / train_seconds, seconds)
    return [*figures, share]
