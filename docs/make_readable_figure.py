"""Draw docs/images/readable.svg: F1 against the share referred. `python docs/make_readable_...py`.

Five folds: a forest without each fold, trees of it that may refer so much, and their answers to the
fold, where the forest decides about referred rows.
"""

import sys
import warnings
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np

mpl.use("Agg")
from matplotlib import pyplot
from matplotlib.axes import Axes
from sklearn.metrics import f1_score
from sklearn.model_selection import StratifiedKFold

from thresher import ImbalancedForestClassifier
from thresher.answers import REFER
from thresher.datasets import load_dataset

TARGET = Path(__file__).parent / "images" / "readable.svg"
SETS = ("Letter-B", "Glass-containers", "Yeast-me2", "Ecoli-om", "Thyroid1", "Pageblocks0")
"""One of each of six families."""

SHARES = (0.0, 0.02, 0.05, 0.1, 0.2, 0.3)
OURS, FOREST, TEXT = "#0072b2", "#d55e00", "#333333"


def main() -> None:
    """Draw the figure; its path may be given."""
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else TARGET
    # Without a date and with fixed ids the file changes only if the figure does.
    mpl.rcParams["svg.hashsalt"] = "thresher"
    # As wide as the article of the site, so that words keep their size.
    figure, axes = pyplot.subplots(3, 2, figsize=(6.5, 7.2), layout="constrained")
    for ax, name in zip(axes.flat, SETS, strict=True):
        draw(ax, name, *measured(name))
    figure.supxlabel("test rows that the tree refers, %", fontsize=9, color=TEXT)
    metadata = {"Date": None} if target.suffix == ".svg" else None
    figure.savefig(target, metadata=metadata, dpi=110)


def measured(name: str) -> tuple[float, list[tuple[float, float]]]:
    """Return F1 of the forest, and share and F1 of each tree; means over the folds."""
    X, y = load_dataset(name)
    found = np.array([_fold(X, y, *one) for one in _folds(X, y)])
    means = found.mean(axis=0)
    return float(means[0, 1]), [(float(share), float(f1)) for share, f1 in means[1:]]


def _folds(X: Any, y: Any) -> Any:
    return StratifiedKFold(5, shuffle=True, random_state=0).split(X, y)


def _fold(X: Any, y: Any, train: Any, test: Any) -> list[tuple[float, float]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        forest = ImbalancedForestClassifier(100, n_bootstrap=0, random_state=0)
        by_forest = forest.fit(X[train], y[train]).predict(X[test])
        points = [(0.0, _f1(y[test], by_forest))]
        for share in SHARES:
            tree = forest.to_tree(32, share, cv=None)
            asked = tree.decide(X[test]) == REFER
            decided = np.where(asked, by_forest, tree.predict(X[test]))
            points.append((float(asked.mean()), _f1(y[test], decided)))
    return points


def _f1(truth: Any, decided: Any) -> float:
    return float(f1_score(truth, decided, zero_division=0))


def draw(ax: Axes, name: str, forest: float, points: list[tuple[float, float]]) -> None:
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
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    ax.tick_params(labelsize=9, colors=TEXT)


if __name__ == "__main__":
    main()
