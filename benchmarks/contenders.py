"""Who is compared: the kernel, our estimator and the rivals, each with one tree of one size.

The size: depth 8, hence at most 256 leaves, and at least two rows in a leaf; one thread.
"""

from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.tree import DecisionTreeClassifier
from tables import Table

from thresher import ImbalancedTreeClassifier, _core
from thresher.tree.growing import Growth

DEPTH = 8
MIN_ROWS = 2
REFERENCE = "DecisionTreeClassifier"
CRITERIA = ("entropy", "adaptive_renyi")
RIVAL_PACKAGES = {
    "lightgbm": "lightgbm",
    "xgboost": "xgboost",
    "imblearn": "imbalanced-learn",
    "shap": "shap",
}
"""Module: the package that brings it. The third is a rival of forests, see forests.py, the last of
contributions, see explanations.py."""

Fit = Callable[[Table], Any]


def absent_rivals() -> list[str]:
    """Return the packages of rivals that are not installed; they are left out."""
    return [package for module, package in RIVAL_PACKAGES.items() if find_spec(module) is None]


def contenders() -> dict[str, Fit]:
    """Return all contenders by name, the reference first."""
    fits: dict[str, Fit] = {REFERENCE: reference}
    fits |= {f"kernel, {criterion}": partial(kernel, criterion) for criterion in CRITERIA}
    fits["255 bins, adaptive_renyi"] = partial(kernel, "adaptive_renyi", max_bins=255)
    fits |= {f"estimator, {criterion}": partial(estimator, criterion) for criterion in CRITERIA}
    fits["HistGradientBoosting"] = histogram_boosting
    absent = absent_rivals()
    if "lightgbm" not in absent:
        fits["LightGBM"] = lightgbm
    if "xgboost" not in absent:
        fits["XGBoost"] = xgboost
    return fits


def reference(table: Table) -> DecisionTreeClassifier:
    """Fit scikit-learn's tree, the unit of every ratio."""
    model = DecisionTreeClassifier(
        criterion="entropy", max_depth=DEPTH, min_samples_leaf=MIN_ROWS, random_state=0
    )
    return model.fit(table.X, table.y)


def kernel(criterion: str, table: Table, max_bins: int | None = None) -> dict[str, Any]:
    """Grow a tree by the compiled function alone: no check of input, no pruning."""
    columns = table.X.shape[1]
    growth = Growth(criterion, max_depth=DEPTH, min_samples_leaf=MIN_ROWS, max_bins=max_bins)
    options = growth.core_options(columns, class_weight=(1.0, 1.0), seed=0)
    categorical = np.zeros(columns, dtype=np.uint8)
    return _core.grow(table.X, table.is_positive, None, categorical, options)


def estimator(
    criterion: str, table: Table, *, pruning: str | None = "bcr", n_jobs: int = 1
) -> ImbalancedTreeClassifier:
    """Fit our estimator on the plain array, pruning included."""
    model = ImbalancedTreeClassifier(
        criterion, max_depth=DEPTH, min_samples_leaf=MIN_ROWS, pruning=pruning, n_jobs=n_jobs
    )
    return model.fit(table.X, table.y)


def histogram_boosting(table: Table) -> HistGradientBoostingClassifier:
    """Fit one iteration; without early stopping, which holds rows out of large tables."""
    model = HistGradientBoostingClassifier(
        max_iter=1,
        max_depth=DEPTH,
        max_leaf_nodes=2**DEPTH,
        min_samples_leaf=MIN_ROWS,
        early_stopping=False,
    )
    return model.fit(table.X, table.y)


def lightgbm(table: Table) -> Any:
    """Fit one tree."""
    from lightgbm import LGBMClassifier

    model = LGBMClassifier(
        n_estimators=1,
        max_depth=DEPTH,
        num_leaves=2**DEPTH,
        min_child_samples=MIN_ROWS,
        min_child_weight=0.0,
        n_jobs=1,
        verbose=-1,
    )
    return model.fit(table.X, table.y)


def xgboost(table: Table) -> Any:
    """Fit one tree of the histogram method."""
    from xgboost import XGBClassifier

    share = float(table.y.mean())
    model = XGBClassifier(
        n_estimators=1,
        max_depth=DEPTH,
        tree_method="hist",
        # XGBoost limits a leaf's Hessian, share * (1 - share) a row in the first tree.
        min_child_weight=MIN_ROWS * share * (1.0 - share),
        reg_lambda=0.0,
        n_jobs=1,
    )
    return model.fit(table.X, table.y)


def leaf_count(model: Any) -> int | None:
    """Return the number of leaves before pruning; None where the rival does not tell it."""
    if isinstance(model, dict):
        return int(np.count_nonzero(model["feature"] < 0))
    if isinstance(model, ImbalancedTreeClassifier):
        return model.unpruned_tree_.n_leaves
    if hasattr(model, "booster_"):
        return int(model.booster_.dump_model()["tree_info"][0]["num_leaves"])
    if hasattr(model, "get_booster"):
        return int(model.get_booster().get_dump()[0].count("leaf="))
    return int(model.get_n_leaves()) if hasattr(model, "get_n_leaves") else None
