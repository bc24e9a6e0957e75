"""What the pages of studies are made of: tables between marks, and figures."""

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

OURS, OTHERS, TEXT = "#0072b2", "#999999", "#333333"


def fill(page: Path, parts: Mapping[str, Sequence[str]]) -> None:
    """Put lines between `<!-- name -->` and the next `<!-- end -->` of a page, by name."""
    text = page.read_text(encoding="utf-8")
    for name, lines in parts.items():
        place = re.compile(f"(<!-- {name} -->\n).*?(<!-- end -->)", re.DOTALL)
        table = "\n".join(lines)
        text = place.sub(lambda found, new=table: f"{found[1]}{new}\n{found[2]}", text)
    page.write_text(text, encoding="utf-8")


def show(parts: Mapping[str, Sequence[str]], page: Path | None) -> None:
    """Print the parts of a page, and fill it unless it is None."""
    for name, lines in parts.items():
        print("\n".join([f"{name}:", *lines, ""]))
    if page is not None:
        fill(page, parts)


def markdown_table(columns: Sequence[str], rows: Iterable[Iterable[object]]) -> list[str]:
    """Return the lines of a table in Markdown."""
    lines = (f"| {' | '.join(map(str, row))} |" for row in (columns, *rows))
    head, *body = lines
    return [head, "|" + " --- |" * len(columns), *body]


def percent(share: float | None, digits: int = 2) -> str:
    """Return a share in percent, or a dash where there is none."""
    return "-" if share is None or share != share else f"{100.0 * share:.{digits}f} %"


def say(text: str) -> None:
    """Tell how far a study is."""
    print(text, file=sys.stderr, flush=True)


def new_figure(
    width: float, height: float, rows: int = 1, columns: int = 1
) -> tuple[Any, list[Any]]:
    """Return a figure and its axes, without the lines that say nothing."""
    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False).ravel().tolist()
    for ax in axes:
        ax.spines[["top", "right"]].set_visible(False)
        ax.tick_params(colors=TEXT, labelsize=9)
    return figure, axes


def save_figure(figure: Any, target: Path) -> None:
    """Write SVG that changes only if the figure does: no date, fixed ids."""
    with mpl.rc_context({"svg.hashsalt": "thresher"}):
        figure.savefig(target, metadata={"Date": None})
