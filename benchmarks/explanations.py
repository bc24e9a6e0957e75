"""Shapley values of the same trees and rows: by shap, by LightGBM's pred_contrib, and by us."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np
from figures import Figure, compare_calls
from sklearn.ensemble import RandomForestClassifier
from tables import Shape, make_table

from thresher import convert

ROWS = 20_000
ASKED = 2_048
TREES = 100
LEAVES = 31

Rows = Any


class Rival(NamedTuple):
    """A fitted model, and how `who`, its own library or shap, explains rows."""

    name: str
    who: str
    model: Any
    explain: Callable[[Rows], Any]
    asked: int = ASKED


def rivals(X: Rows, y: Any) -> Iterator[Rival]:
    """Return models of the same number of trees, and of leaves, as far as packages are there."""
    if find_spec("lightgbm") is not None:
        from lightgbm import LGBMClassifier

        model = LGBMClassifier(n_estimators=TREES, num_leaves=LEAVES, n_jobs=1, verbose=-1)
        model.fit(X, y)
        yield Rival("LightGBM", "pred_contrib", model, partial(_pred_contrib, model))
    if find_spec("shap") is not None:
        import shap

        small = RandomForestClassifier(TREES, max_leaf_nodes=LEAVES, n_jobs=1, random_state=0)
        full = RandomForestClassifier(TREES, min_samples_leaf=2, n_jobs=1, random_state=0)
        for leaves, forest, asked in ((f"{LEAVES} leaves", small, ASKED), ("in full", full, 256)):
            explainer = shap.TreeExplainer(forest.fit(X, y))
            explain = partial(_shap_values, explainer)
            yield Rival(f"RandomForest, {leaves}", "shap", forest, explain, asked)


def _pred_contrib(model: Any, rows: Rows) -> Any:
    return model.predict(rows, pred_contrib=True)[:, :-1]


def _shap_values(explainer: Any, rows: Rows) -> Any:
    return explainer.shap_values(rows, check_additivity=False)[:, :, 1]


def compare_explanations(seconds: float, rows: int = ROWS) -> list[Figure]:
    """Return the CPU time of contributions of rows, that of the rival on its model = 1.

    Time is that of all rows that are asked for, in one thread; trees that were taken over are
    prepared anew in each call, and shap's explainer is made once outside of it.
    """
    shape = Shape(rows)
    table, others = make_table(shape), make_table(shape, seed=1).X
    figures = []
    for rival in rivals(table.X, table.y):
        asked = others[: rival.asked]
        ours = convert(rival.model)
        theirs = f"{rival.name}: {rival.who}"
        calls = {
            theirs: partial(rival.explain, asked),
            f"{rival.name}: taken over": partial(ours.contributions, asked),
        }
        expected, found = (call() for call in calls.values())
        np.testing.assert_allclose(found[:, :-1], expected, rtol=0, atol=1e-8)
        times = compare_calls("contributions", calls, shape, seconds, trees=TREES)
        figures += [replace(one, seconds=one.seconds / len(asked)) for one in times]
    return figures
