"""Gradient boosting by LightGBM, whose trees are taken over; the only file that imports it."""

from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.converters.convert import convert
from thresher.errors import MissingPackageError
from thresher.tree.additive import AdditiveTrees
from thresher.tree.sample import Rows

NEEDED = "boosted trees need LightGBM; pip install 'thresher[boost]'"
MOST_SEEDS = 2**31
"""LightGBM takes seeds below this."""


class Boosting(NamedTuple):
    """How trees are boosted: number and step, leaves, rows a leaf, shares of columns and rows."""

    n_estimators: int
    learning_rate: float
    max_leaf_nodes: int
    min_samples_leaf: int
    max_features: float
    max_samples: float

    def parameters(self, seed: int, n_threads: int) -> dict[str, Any]:
        """Return what LightGBM calls them."""
        return {
            "objective": "binary",
            "learning_rate": float(self.learning_rate),
            "num_leaves": int(self.max_leaf_nodes),
            "min_data_in_leaf": int(self.min_samples_leaf),
            "feature_fraction": float(self.max_features),
            "bagging_fraction": float(self.max_samples),
            "bagging_freq": 1,
            "seed": seed % MOST_SEEDS,
            "num_threads": n_threads,
            "deterministic": True,
            "force_row_wise": True,
            "verbosity": -1,
        }


def has_lightgbm() -> bool:
    """Whether LightGBM is installed."""
    return find_spec("lightgbm") is not None


def find_lightgbm() -> Any:
    """Return LightGBM's module; raise where it is not installed."""
    try:
        import lightgbm
    except ImportError:
        raise MissingPackageError(f"{NEEDED.capitalize()}.") from None
    return lightgbm


def boost(
    rows: Rows, is_category: NDArray[Any], how: Boosting, seed: int, n_threads: int
) -> AdditiveTrees:
    """Return the trees of one fit; they speak of positives."""
    lightgbm = find_lightgbm()
    parameters = how.parameters(seed, n_threads)
    table = lightgbm.Dataset(
        np.ascontiguousarray(rows.matrix),
        label=rows.is_positive,
        weight=rows.weights,
        categorical_feature=np.flatnonzero(is_category).tolist(),
        params=parameters,
    )
    booster = lightgbm.train(parameters, table, num_boost_round=int(how.n_estimators))
    return convert(booster).trees_
