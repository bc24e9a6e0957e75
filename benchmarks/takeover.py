"""Models that were taken over beside their originals: predict_proba of the same trees and rows."""

from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np
from figures import Figure, compare_calls
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    RandomForestClassifier,
)
from tables import Shape, make_table

from thresher import convert

ROWS = 20_000
TREES = 200

Model = Callable[[], Any]


def originals() -> Iterator[tuple[str, Model]]:
    """Return the models of other libraries, as far as these are installed."""
    if find_spec("lightgbm") is not None:
        from lightgbm import LGBMClassifier

        yield "LightGBM", partial(LGBMClassifier, n_estimators=TREES, n_jobs=1, verbose=-1)
    if find_spec("xgboost") is not None:
        from xgboost import XGBClassifier

        yield "XGBoost", partial(XGBClassifier, n_estimators=TREES, n_jobs=1)
    yield "RandomForest", partial(RandomForestClassifier, TREES, n_jobs=1, random_state=0)
    yield "ExtraTrees", partial(ExtraTreesClassifier, TREES, n_jobs=1, random_state=0)
    yield "GradientBoosting", partial(GradientBoostingClassifier, n_estimators=TREES)


def compare_takeovers(seconds: float, rows: int = ROWS) -> list[Figure]:
    """Return the time of each model that was taken over, its original = 1."""
    shape = Shape(rows)
    table, asked = make_table(shape), make_table(shape, seed=1).X
    figures = []
    for name, make in originals():
        original = make().fit(table.X, table.y)
        model = convert(original)
        calls = {
            name: partial(original.predict_proba, asked),
            f"{name}, taken over": partial(model.predict_proba, asked),
        }
        _check(*(call() for call in calls.values()))
        figures += compare_calls("takeover predict", calls, shape, seconds, trees=TREES)
    return figures


def _check(expected: Any, found: Any) -> None:
    """Raise where the two say different things: a wrong answer is no fast one."""
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6)
