"""What the score depends on: Shapley values by column, and along the columns that matter most."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.column import Matrix
from thresher.condition.clause import Clause, Interval, LevelSet
from thresher.condition.picture import axis_of
from thresher.explain.weighed import WeighedTrees
from thresher.matrix import Columns
from thresher.wording import name

MOST_ROWS, MOST_COLUMNS, CURVES, BINS = 500, 10, 4, 16
"""Rows drawn at random, columns with a bar, columns with a curve, and its bins."""


def influence_data(
    model: Any, matrix: Matrix, columns: Columns, is_positive: NDArray[np.bool_], seed: int
) -> dict[str, Any] | None:
    """Return mean absolute contributions and their means along columns; None without trees."""
    trees = _trees(getattr(model, "estimator_", model), columns)
    if trees is None:
        return None
    drawn = np.random.default_rng(seed).permutation(len(matrix))[:MOST_ROWS]
    rows, truth = matrix[drawn], is_positive[drawn]
    found = np.asarray(trees.contributions(rows, 1))[:, :-1]
    means = np.abs(found).mean(axis=0)
    order = [place for place in np.argsort(-means, kind="stable").tolist() if means[place] > 0.0]
    return {
        "rows": len(rows),
        "columns": [
            {"name": name(columns.wide_names[place]), "share": float(means[place] / means.sum())}
            for place in order[:MOST_COLUMNS]
        ],
        "hidden": max(0, len(order) - MOST_COLUMNS),
        "curves": [
            _curve(_anything(columns, place), rows[:, place], found[:, place], truth)
            for place in order[:CURVES]
        ],
    }


def _trees(model: Any, columns: Columns) -> WeighedTrees | None:
    """Return what is explained, None for models that cannot be."""
    if not hasattr(model, "weighed_trees") or getattr(model, "columns_", None) is not columns:
        return None
    try:
        found: WeighedTrees = model.weighed_trees()
    except ValueError:  # of trees that each decide, no sum
        return None
    return found


def _anything(columns: Columns, place: int) -> Clause:
    """Return a clause that every value of a column meets, so that its axis has no cut."""
    column, levels = columns.wide_names[place], columns.wide_levels[place]
    if levels is None:
        return Interval(column, missing=True)
    return LevelSet(column, tuple(levels), tuple(levels), missing=True)


def _curve(
    clause: Clause,
    values: NDArray[Any],
    contributions: NDArray[np.float64],
    is_positive: NDArray[np.bool_],
) -> dict[str, Any]:
    """Return rows of each bin with the mean contribution there, and its least and largest."""
    axis = axis_of(clause, values, is_positive, BINS)
    places = axis.places(values)
    points = []
    for place in np.unique(places).tolist():
        inside = contributions[places == place]
        ends = [float(inside.mean()), float(inside.min()), float(inside.max())]
        points.append([place, len(inside), *ends])
    return {"axis": axis.as_data(), "points": points}
