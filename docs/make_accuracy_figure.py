"""Draw docs/images/accuracy.svg from benchmarks/accuracy_results.csv. `python docs/make_...py`."""

import csv
import sys
from collections import defaultdict
from pathlib import Path
from statistics import mean

import matplotlib as mpl

mpl.use("Agg")
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

HERE = Path(__file__).parent
TARGET = HERE / "images" / "accuracy.svg"
FIGURES = HERE.parent / "benchmarks" / "accuracy_results.csv"
OURS, OTHERS, TEXT = "#0072b2", "#999999", "#333333"
RIVALS = ("LightGBM", "XGBoost", "CatBoost")
TITLES = {
    "score": "17 tables, 8 fresh families, scored once",
    "paper": "The paper's 18 tables",
    "manufacturing": "6 tables of plants",
}


def main() -> None:
    """Draw the figure; its path may be given."""
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else TARGET
    # Without a date and with fixed ids the file changes only if the figure does.
    mpl.rcParams["svg.hashsalt"] = "thresher"
    with FIGURES.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    # As wide as the article of the site, so that words keep their size.
    figure, sides = pyplot.subplots(2, 2, figsize=(6.5, 5.8), layout="constrained")
    *sides, last = sides.flat
    for side, (part, title) in zip(sides, TITLES.items(), strict=True):
        values = defaultdict(list)
        for row in rows:
            if row["part"] == part:
                values[row["contender"]].append(float(row["F1"]))
        _draw(side, {name: mean(each) for name, each in values.items()}, title)
    _explain(last)
    figure.savefig(target, metadata={"Date": None})


def _draw(side: Axes, found: dict[str, float], title: str) -> None:
    """Draw a mark for each contender, the best at the top."""
    names = sorted(found, key=lambda name: found[name])
    least = min(found.values())
    for place, name in enumerate(names):
        color = OTHERS if name in RIVALS else OURS
        side.plot([least - 0.02, found[name]], [place, place], color=color, linewidth=1, alpha=0.4)
        side.plot(found[name], place, "o", color=color)
        side.annotate(
            f"{found[name]:.3f}".lstrip("0"),
            (found[name], place),
            xytext=(6, -3),
            textcoords="offset points",
            color=TEXT,
            fontsize=9,
        )
    side.set_yticks(range(len(names)), names, color=TEXT)
    # Room for the figure of the best one.
    side.set_xlim(least - 0.02, max(found.values()) + 0.25 * (max(found.values()) - least))
    side.locator_params(axis="x", nbins=4)
    side.set_xlabel("mean F1", color=TEXT)
    side.set_title(title, x=-0.42, ha="left", fontsize=10, color=TEXT)
    side.spines[["top", "right"]].set_visible(False)


def _explain(side: Axes) -> None:
    """Say in the empty corner whose marks are whose."""
    side.set_axis_off()
    marks = [Line2D([], [], marker="o", linestyle="", color=color) for color in (OURS, OTHERS)]
    side.legend(marks, ["thresher", "others"], loc="center", frameon=False, labelcolor=TEXT)


if __name__ == "__main__":
    main()
