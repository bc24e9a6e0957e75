"""Draw docs/images/contributions.svg: from base value to score. `python docs/make_...py`."""

import sys
from pathlib import Path

import matplotlib as mpl
import numpy as np

from thresher import ImbalancedForestClassifier
from thresher.datasets import make_assembly_line

mpl.use("Agg")
from matplotlib import pyplot
from matplotlib.axes import Axes

TARGET = Path(__file__).parent / "images" / "contributions.svg"
ALERTS = (1, 2, 5)
SHOWN = 4
UP, DOWN, REST, TEXT = "#d55e00", "#0072b2", "#999999", "#333333"


def main() -> None:
    """Draw the figure; its path may be given."""
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else TARGET
    # Without a date and with fixed ids the file changes only if the figure does.
    mpl.rcParams["svg.hashsalt"] = "thresher"
    line = make_assembly_line(random_state=0)
    train, test = slice(0, 3000), slice(3000, None)
    model = ImbalancedForestClassifier(100, random_state=0).fit(line.X[train], line.y[train])
    alerts = line.X[test][model.predict(line.X[test]) == 1].iloc[list(ALERTS)]
    figure, axes = pyplot.subplots(
        len(ALERTS), sharex=True, figsize=(7.2, 5.4), layout="constrained"
    )
    texts = model.reasons(alerts, top=SHOWN)
    for ax, values, reasons in zip(axes, model.contributions(alerts), texts, strict=True):
        _draw(ax, values, reasons)
    axes[-1].set_xlabel("probability of scrap: from the base value to the score", color=TEXT)
    metadata = {"Date": None} if target.suffix == ".svg" else None
    figure.savefig(target, metadata=metadata, dpi=110)


def _draw(ax: Axes, values: np.ndarray, reasons: list[str]) -> None:
    """Draw the largest contributions one behind the other, then all others together."""
    order = np.argsort(-np.abs(values[:-1]), kind="stable")
    steps = [*values[order[:SHOWN]], values[order[SHOWN:]].sum()]
    labels = [*(text.rsplit(": ", 1)[0] for text in reasons), "all other columns"]
    start = values[-1]
    for place, step in enumerate(steps):
        color = REST if place == SHOWN else UP if step > 0 else DOWN
        ax.barh(place, step, left=start, color=color, height=0.7)
        ax.text(
            max(start, start + step) + 0.01, place, f"{step:+.2f}", va="center", color=TEXT, size=8
        )
        start += step
    ax.axvline(values[-1], color=TEXT, linewidth=0.8, linestyle=":", zorder=0)
    ax.axvline(start, color=TEXT, linewidth=0.8, zorder=0)
    ax.set_yticks(range(len(labels)), labels, size=8, color=TEXT)
    ax.invert_yaxis()
    ax.set_xlim(0.0, 1.0)
    for side in ("top", "right", "left"):
        ax.spines[side].set_visible(False)
    ax.tick_params(left=False)


if __name__ == "__main__":
    main()
