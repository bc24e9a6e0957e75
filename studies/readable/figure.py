"""Draw readable.svg: F1 against the share referred. `python -m studies.readable.figure`.

Five folds: a forest without each fold, trees of it that may refer so much, and their answers to the
fold, where the forest decides about referred rows.
"""

import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import f1_score
from sklearn.model_selection import StratifiedKFold

from studies.page import OURS, TEXT, new_figure, save_figure
from thresher import ImbalancedForestClassifier
from thresher.answers import REFER
from thresher.datasets import load_dataset

SETS = ("Letter-B", "Glass-containers", "Yeast-me2", "Ecoli-om", "Thyroid1", "Pageblocks0")
"""One of each of six families."""

SHARES = (0.0, 0.02, 0.05, 0.1, 0.2, 0.3)
FOREST = "#d55e00"


def main() -> None:
    """Draw the figure."""
    figure, axes = new_figure(6.5, 7.2, 3, 2)
    for ax, name in zip(axes, SETS, strict=True):
        X, y = load_dataset(name)
        folds = StratifiedKFold(5, shuffle=True, random_state=0).split(X, y)
        (_, forest), *points = np.mean([_fold(X, y, *one) for one in folds], axis=0).tolist()
        draw(ax, name, forest, points)
    figure.supxlabel("test rows that the tree refers, %", fontsize=9, color=TEXT)
    save_figure(figure, Path(__file__).parent / "readable.svg")


def _fold(X: Any, y: Any, train: Any, test: Any) -> list[tuple[float, float]]:
    """Return the share referred and F1 of the forest, which refers none, and of each tree."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        forest = ImbalancedForestClassifier(100, n_bootstrap=0, random_state=0)
        by_forest = forest.fit(X[train], y[train]).predict(X[test])
        points = [(0.0, float(f1_score(y[test], by_forest, zero_division=0)))]
        for share in SHARES:
            tree = forest.to_tree(32, share, cv=None)
            asked = tree.decide(X[test]) == REFER
            decided = np.where(asked, by_forest, tree.predict(X[test]))
            f1 = float(f1_score(y[test], decided, zero_division=0))
            points.append((float(asked.mean()), f1))
    return points


def draw(ax: Any, name: str, forest: float, points: list[tuple[float, float]]) -> None:
    """Draw one set: the trees, and the forest as a line."""
    ax.plot([100.0 * share for share, _ in points], [f1 for _, f1 in points], "o-", color=OURS)
    ax.axhline(forest, color=FOREST, linestyle="--", linewidth=1.2)
    ax.annotate(
        f"forest {forest:.3f}", (1.0, forest), (-2, 4), xycoords=("axes fraction", "data"),
        textcoords="offset points", ha="right", color=FOREST, fontsize=9,
    )  # fmt: skip
    ax.set_title(f"{name}, F1", fontsize=10, loc="left", color=TEXT)
    low = min(forest, *(f1 for _, f1 in points))
    ax.set(xlim=(-1, 32), ylim=(low - 0.06, max(forest, *(f1 for _, f1 in points)) + 0.05))


if __name__ == "__main__":
    main()
