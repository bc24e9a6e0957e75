"""Draw docs/images/thresholding.svg: four thresholds on one curve. `python docs/make_...py`."""

import sys
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from thresher import ThresholdClassifier
from thresher.datasets import load_dataset

mpl.use("Agg")
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

TARGET = Path(__file__).parent / "images" / "thresholding.svg"
COST_OF_A_MISS = 20.0
SHOWN = (0.01, 0.95)
TICKS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 0.8, 0.95)
POINTS = 300
F1, BCR, COST, TEXT = "#009e73", "#cc79a7", "#d55e00", "#333333"


def main() -> None:
    """Draw the figure; its path may be given."""
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else TARGET
    # Without a date and with fixed ids the file changes only if the figure does.
    mpl.rcParams["svg.hashsalt"] = "thresher"
    figure, (top, bottom) = pyplot.subplots(
        2, sharex=True, figsize=(7.2, 5.2), height_ratios=(2, 1), layout="constrained"
    )
    X, y = load_dataset("Pageblocks0")
    curve, marks = _curve(X, y), _thresholds(X, y)
    _draw_line(top, curve, "f1", F1, "F1")
    _draw_line(top, curve, "bcr", BCR, "balanced rate (BCR)")
    _draw_line(bottom, curve, "expected_cost", COST, "cost of a row (a miss costs 20)")
    top.set_ylim(0.0, 1.0)
    bottom.set_ylim(0.0, None)
    for ax in (top, bottom):
        _mark(ax, marks)
    _name_marks(top, marks)
    _set_scale(bottom)
    metadata = {"Date": None} if target.suffix == ".svg" else None
    figure.savefig(target, metadata=metadata, dpi=110)


def _model(rule: str, **parameters: Any) -> ThresholdClassifier:
    estimator = make_pipeline(StandardScaler(), LogisticRegression())
    return ThresholdClassifier(estimator, rule, n_bootstrap=0, **parameters)


def _curve(X: Any, y: Any) -> dict[str, np.ndarray]:
    """Return the curve at evenly spread thresholds: as many as the eye can tell apart."""
    curve = _model("prior", cost_fn=COST_OF_A_MISS).fit(X, y).curve_
    low, high = (np.log(p / (1 - p)) for p in SHOWN)
    thresholds = 1 / (1 + np.exp(-np.linspace(low, high, POINTS)))
    rows = np.searchsorted(curve["threshold"], thresholds) - 1
    columns = {name: curve[name].to_numpy()[rows] for name in ("f1", "bcr", "expected_cost")}
    return {"threshold": thresholds, **columns}


def _thresholds(X: Any, y: Any) -> dict[str, float]:
    cost = _model("cost", cost_fn=COST_OF_A_MISS)
    return {
        "cost": cost.fit(X, y).threshold_,
        "prior (mu)": _model("prior").fit(X, y).threshold_,
        "F1": _model("f1").fit(X, y).threshold_,
        "0.5": 0.5,
    }


def _draw_line(ax: Axes, curve: dict[str, np.ndarray], name: str, color: str, label: str) -> None:
    ax.plot(curve["threshold"], curve[name], color=color, label=label, linewidth=1.8)
    ax.legend(loc="lower right", facecolor="white", edgecolor="none", framealpha=1.0)
    ax.grid(True, color="#dddddd", linewidth=0.6)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)


def _mark(ax: Axes, marks: dict[str, float]) -> None:
    for threshold in marks.values():
        ax.axvline(threshold, color=TEXT, linewidth=1.0, linestyle=(0, (4, 2)))


def _name_marks(ax: Axes, marks: dict[str, float]) -> None:
    for name, threshold in marks.items():
        text = name if name == "0.5" else f"{name}\n{threshold:.3f}"
        place = (threshold, 1.01)
        ax.annotate(
            text, place, xycoords=("data", "axes fraction"), ha="center", va="bottom", color=TEXT
        )


def _set_scale(ax: Axes) -> None:
    ax.set_xscale("logit")
    ax.xaxis.set_major_locator(FixedLocator(TICKS))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    ax.set_xlim(*SHOWN)
    ax.set_xlabel("threshold")


if __name__ == "__main__":
    main()
