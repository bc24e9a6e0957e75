"""The whole of `thresher.plant.train` beside one fit of the default forest on the same rows.

Choice of model, threshold and derived columns in five outer folds, and conditions with p-values
down to .01 are part of it; the report is not.
"""

from functools import partial
from typing import Any

import pandas as pd
from figures import Figure
from measure import best_seconds
from tables import Shape, make_table

from thresher import ImbalancedForestClassifier
from thresher.plant import train

ROWS, COLUMNS = 10_000, 20
REPEATS = 3
"""Fits of the forest, of which the fastest counts."""


def compare_training(rows: int = ROWS, columns: int = COLUMNS, **options: Any) -> list[Figure]:
    """Return the cost of a training, one forest = 1."""
    shape = Shape(rows, columns)
    table = make_table(shape)
    names = [f"column {place}" for place in range(columns)]
    frame = pd.DataFrame(table.X, columns=names).assign(target=table.y)
    forest = ImbalancedForestClassifier(random_state=0, n_bootstrap=0)
    fit = {"default forest, fit": partial(forest.fit, table.X, table.y)}
    least = min(best_seconds(fit, 0)["default forest, fit"] for _ in range(REPEATS))
    whole = {"train, model='auto'": partial(train, frame, "target", **options)}
    best = {"default forest, fit": least, **best_seconds(whole, 0)}
    return [Figure("train", name, shape, time / least, time) for name, time in best.items()]
