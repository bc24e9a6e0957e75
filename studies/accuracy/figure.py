"""Draw docs/images/accuracy.svg from results.csv: `python -m studies.accuracy.figure`."""

import csv
from collections import defaultdict
from pathlib import Path
from statistics import mean
from typing import Any

from matplotlib.lines import Line2D

from studies.page import OTHERS, OURS, TEXT, new_figure, save_figure

HERE = Path(__file__).parent
RIVALS = ("LightGBM", "XGBoost", "CatBoost")
TITLES = {
    "score": "17 tables, 8 fresh families, scored once",
    "paper": "The paper's 18 tables",
    "manufacturing": "6 tables of plants",
}


def main() -> None:
    """Draw the figure, as wide as the article of the site."""
    with (HERE / "results.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    figure, (*sides, last) = new_figure(6.5, 5.8, 2, 2)
    for side, (part, title) in zip(sides, TITLES.items(), strict=True):
        values = defaultdict(list)
        for row in rows:
            if row["part"] == part:
                values[row["contender"]].append(float(row["F1"]))
        _draw(side, {name: mean(each) for name, each in values.items()}, title)
    last.set_axis_off()
    marks = [Line2D([], [], marker="o", linestyle="", color=color) for color in (OURS, OTHERS)]
    last.legend(marks, ["thresher", "others"], loc="center", frameon=False, labelcolor=TEXT)
    save_figure(figure, HERE.parents[1] / "docs" / "images" / "accuracy.svg")


def _draw(side: Any, found: dict[str, float], title: str) -> None:
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


if __name__ == "__main__":
    main()
