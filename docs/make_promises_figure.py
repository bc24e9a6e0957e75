"""Draw docs/images/promises.svg from benchmarks/promises_results.json. `python docs/make_...py`."""

import json
import sys
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")
from matplotlib import pyplot
from matplotlib.axes import Axes

HERE = Path(__file__).parent
TARGET = HERE / "images" / "promises.svg"
FIGURES = HERE.parent / "benchmarks" / "promises_results.json"
OURS, OTHERS, TEXT = "#0072b2", "#999999", "#333333"
COLORS = ("#0072b2", "#56b4e9", "#009e73", "#e69f00", "#d55e00")
ASKED = 90.0
BESIDE = 0.01
"""The share of positives of the lower part."""


def main() -> None:
    """Draw the figure; its path may be given."""
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else TARGET
    # Without a date and with fixed ids the file changes only if the figure does.
    mpl.rcParams["svg.hashsalt"] = "thresher"
    found = json.loads(FIGURES.read_text(encoding="utf-8"))
    # As wide as the article of the site, so that words keep their size.
    figure, (top, bottom) = pyplot.subplots(2, figsize=(6.5, 5.8), layout="constrained")
    _draw_cells(top, [cell for cell in found["cells"] if cell["what"] == "recall"])
    _draw_ways(bottom, [one for one in found["beside"] if one["share"] == BESIDE])
    metadata = {"Date": None} if target.suffix == ".svg" else None
    figure.savefig(target, metadata=metadata, dpi=110)


def _draw_cells(ax: Axes, cells: list[dict[str, Any]]) -> None:
    """Draw how often recall holds, a line for each share of positives."""
    for color, share in zip(COLORS, dict.fromkeys(cell["share"] for cell in cells), strict=True):
        line = [cell for cell in cells if cell["share"] == share]
        kept = [100.0 * cell["kept"] for cell in line]
        label = f"{100 * share:g} % positives"
        ax.plot([cell["size"] for cell in line], kept, "o-", color=color, label=label, linewidth=1)
    ax.axhline(ASKED, color=TEXT, linestyle="--", linewidth=1)
    ax.annotate("asked", (30, ASKED), (0, 3), textcoords="offset points", color=TEXT, fontsize=9)
    ax.set(xscale="log", ylim=(80, 100), xlabel="positives to promise on, on average")
    ax.set_xticks([30, 60, 120, 240], ["30", "60", "120", "240"], minor=False)
    ax.set_xticks([], minor=True)
    ax.set_title("Promises of recall >= .9 that hold, %", fontsize=10, loc="left")
    ax.legend(fontsize=9, frameon=False, ncols=2)
    _finish(ax)


def _draw_ways(ax: Axes, ways: list[dict[str, Any]]) -> None:
    """Draw the alerts of each way, with how often its recall holds."""
    names = [one["way"] for one in ways]
    colors = [OURS if "thresher" in name else OTHERS for name in names]
    ax.barh(names, [one["alerts"] for one in ways], color=colors, height=0.6)
    for place, one in enumerate(ways):
        held = f"{one['alerts']:.0f}; holds in {100 * one['held'] / one['made']:.0f} %"
        beside = (one["alerts"], place)
        ax.annotate(
            held, beside, (4, 0), textcoords="offset points", va="center", color=TEXT, fontsize=9
        )
    ax.invert_yaxis()
    ax.set_xlim(0, 1250)  # with room for the words beside the longest bar
    ax.set_xticks(range(0, 1001, 200))
    title = f"Alerts per 1000 rows: 10,000 rows, {100 * BESIDE:g} % positives"
    ax.set_title(title, fontsize=10, loc="left")
    ax.tick_params(axis="y", labelsize=9)
    _finish(ax)


def _finish(ax: Axes) -> None:
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(colors=TEXT)


if __name__ == "__main__":
    main()
