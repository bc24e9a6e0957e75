"""The figures of the study, drawn as SVG.

No figure tells anything by colour alone: shapes, line styles and labels say the same.
"""

import io
from collections.abc import Callable, Sequence
from functools import wraps
from math import ceil
from typing import Any, ParamSpec, TypeVar

import numpy as np
import scikit_posthocs
from matplotlib import rc_context, rcParamsDefault
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from thresher.criteria import renyi_entropy, shannon_entropy
from thresher.frames import make_frame
from thresher.study import Ranking, Scores
from thresher.study.results import LEVEL

INK, PAPER, FAINT = "#333333", "#ffffff", "#d4d4d4"
"""Colours of text, background and grid; a page may replace them by its own."""

OURS, PRINTED, GROUP = "#0072b2", "#d55e00", "#8a8a8a"
"""Colours of our values, of the paper's, and of bars that join what belongs together."""

ORDERS = (0.1, 0.3, 0.5, 0.7, 2.0, 5.0)
"""Orders of the entropies drawn beside Shannon's, which is of order 1."""

ALPHA = "\N{GREEK SMALL LETTER ALPHA}"
MARKERS = "os^vD*"
SPACE = "\N{NO-BREAK SPACE}"  # SVG drops others at the ends

INKED = ("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color")
STYLE: Any = {
    # Letters stay letters, names with a dollar sign too, and ids do not change from run to run.
    "svg.fonttype": "none",
    "svg.hashsalt": "thresher",
    "text.parse_math": False,
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Arial"],
    "font.size": 10.0,
    "figure.facecolor": PAPER,
    "axes.facecolor": PAPER,
    "savefig.facecolor": PAPER,
    **dict.fromkeys(INKED, INK),
}


P = ParamSpec("P")
T = TypeVar("T")


def _styled(draw: Callable[P, T]) -> Callable[P, T]:
    """Draw in the style of this file, whatever the reader's own settings are."""

    @wraps(draw)
    def draw_in_style(*args: P.args, **kwargs: P.kwargs) -> T:
        with rc_context({**rcParamsDefault, "backend": "agg", **STYLE}):
            return draw(*args, **kwargs)

    return draw_in_style


@_styled
def render(figure: Figure) -> bytes:
    """Return a figure as the bytes of an SVG file; the same figure, the same bytes."""
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    file = io.BytesIO()
    figure.savefig(file, format="svg", metadata={"Date": None})
    return file.getvalue()


# ------------------------------------------------------------------------------- average ranks


@_styled
def draw_ranks(rankings: dict[str, Ranking]) -> Figure:
    """Draw average ranks on a line, and a bar over the methods equivalent to the control.

    Parameters
    ----------
    rankings : dict of Ranking
        One diagram each, from top to bottom, under its title.
    """
    widest = max(len(ranking.scores.methods) for ranking in rankings.values())
    height = 1.2 + 0.24 * ceil(widest / 2)
    figure, axes = _panels(len(rankings), 1, (7.6, 0.3 + height * len(rankings)))
    for ax, (title, ranking) in zip(axes, rankings.items(), strict=True):
        _draw_rank_line(ax, ranking)
        ax.set_title(f"{title}: average rank, 1 is best", loc="left", fontsize=10, pad=22)
    if any(ranking.differences for ranking in rankings.values()):
        note = f"Grey bar and (=): not told apart from the control (Holm, level {LEVEL:g})."
        figure.supxlabel(note, x=0.01, ha="left", fontsize=9)
    return figure


def _draw_rank_line(ax: Axes, ranking: Ranking) -> None:
    drawn = scikit_posthocs.critical_difference_diagram(
        {_label(ranking, name): ranking.average[name] for name in ranking.by_rank},
        _equivalence(ranking),
        ax=ax,
        label_fmt_left=f"{{label}}{SPACE * 2}{{rank:.2f}}{SPACE}",
        label_fmt_right=f"{SPACE}{{rank:.2f}}{SPACE * 2}{{label}}",
        label_props={"fontsize": 9},
        marker_props={"color": INK, "s": 14},
        elbow_props={"color": INK, "linewidth": 0.8},
        crossbar_props={"color": GROUP, "linewidth": 4.0, "solid_capstyle": "round"},
        text_h_margin=0.3,
    )
    for label in drawn["labels"]:
        if "(control)" in label.get_text():
            label.set_fontweight("bold")
    count = len(ranking.scores.methods)
    ax.set_xlim(1, max(count, 2))
    ax.set_xticks(range(1, count + 1))


def _label(ranking: Ranking, method: str) -> str:
    if method == ranking.control:
        return f"{method} (control)"
    return f"{method} (=)" if method in ranking.kept else method


def _equivalence(ranking: Ranking) -> Any:
    """Return p-values that join the kept methods, and nothing else, with one bar."""
    is_kept = np.array([name in ranking.kept for name in ranking.by_rank])
    p = np.where(np.outer(is_kept, is_kept), 1.0, 0.0)
    np.fill_diagonal(p, 1.0)
    labels = [_label(ranking, name) for name in ranking.by_rank]
    frame = make_frame(dict(zip(labels, p.T, strict=True)), "pandas")
    frame.index = labels
    return frame


# ------------------------------------------------------------------------------------ dot plots


@_styled
def draw_scores(scores: Scores, heading: str, printed: Scores | None = None) -> Figure:
    """Draw a panel for each data set: our score of each method, and the printed one beside it.

    Parameters
    ----------
    scores : Scores
    heading : str
        What is measured.
    printed : Scores, default=None
        The paper's values; data sets and methods that it lacks have none.
    """
    across = min(3, len(scores.datasets))
    down = ceil(len(scores.datasets) / across)
    size = (2.0 + 2.6 * across, 1.2 + down * (0.35 + 0.17 * len(scores.methods)))
    figure, axes = _panels(down, across, size, is_shared=True)
    for ax, dataset in zip(axes, scores.datasets, strict=False):
        _draw_dots(ax, scores, dataset, printed)
    for ax in axes[len(scores.datasets) :]:
        ax.set_visible(False)
    _label_below(axes[: len(scores.datasets)], across, heading)
    handles, labels = axes[0].get_legend_handles_labels()
    if printed is not None:
        figure.legend(handles, labels, loc="outside upper left", ncols=2, frameon=False)
    return figure


def _draw_dots(ax: Axes, scores: Scores, dataset: str, printed: Scores | None) -> None:
    places, zeros = np.arange(len(scores.methods)), np.zeros(len(scores.methods))
    ours = np.array([scores.of(dataset, method) for method in scores.methods])
    if printed is not None:
        theirs = np.array([_printed(printed, dataset, method) for method in scores.methods])
        _draw_along(ax, places, ours, theirs, color=GROUP, linewidth=1.2, zorder=1.5)
        ax.plot(theirs, places, "D", color=PRINTED, fillstyle="none", ms=5.5, label="paper")
    ax.plot(ours, places, "o", color=OURS, markersize=4.5, label="here", zorder=3)
    ax.set_title(shorten(dataset), loc="left", fontsize=10)
    ax.set_yticks(places, scores.methods, fontsize=8)
    ax.tick_params(axis="y", length=0)
    ax.set_ylim(len(places) - 0.5, -0.5)
    ax.set_xlim(-0.04, 1.04)
    ax.set_xticks(np.linspace(0.0, 1.0, 6))
    _draw_along(ax, places, zeros, zeros + 1.0, color=FAINT, linewidth=0.6, zorder=1)
    ax.grid(True, axis="x", color=FAINT, linewidth=0.6)
    ax.set_axisbelow(True)
    _open_frame(ax)


def _draw_along(
    ax: Axes, places: NDArray[Any], start: NDArray[Any], end: NDArray[Any], **style: Any
) -> None:
    """Draw a line at each place from start to end; all as one path, for a small file."""
    gap = np.full(len(places), np.nan)
    ax.plot(np.column_stack([start, end, gap]).ravel(), np.repeat(places, 3), **style)


def shorten(name: str, max_length: int = 36) -> str:
    """Return a name that fits above a panel.

    >>> shorten("a" * 50, max_length=5)
    'aaaa…'
    """
    return name if len(name) <= max_length else f"{name[: max_length - 1]}…"


def _printed(printed: Scores, dataset: str, method: str) -> float:
    if dataset in printed.datasets and method in printed.methods:
        return printed.of(dataset, method)
    return float("nan")


def _label_below(axes: Sequence[Axes], across: int, heading: str) -> None:
    """Name the axis below the last panel of each column."""
    for ax in axes[-across:]:
        ax.set_xlabel(heading)
        ax.tick_params(labelbottom=True)


# --------------------------------------------------------------------------------- entropy curves


@_styled
def draw_entropies(orders: Sequence[float] = ORDERS) -> Figure:
    """Draw Renyi's entropy of two classes for several orders, and Shannon's dashed."""
    figure, (ax,) = _panels(1, 1, (6.4, 4.2))
    share = np.linspace(0.0, 1.0, 1001)
    for position, order in enumerate(orders):
        (line,) = ax.plot(share, renyi_entropy(share, order), label=f"Rényi, {ALPHA} = {order:g}")
        line.set_color(OURS if order < 1.0 else PRINTED)
        line.set_marker(MARKERS[position % len(MARKERS)])
        line.set_markevery((40 + 20 * position, 160))
    name = f"Shannon ({ALPHA} = 1)"
    ax.plot(share, shannon_entropy(share), "--", color=INK, linewidth=2.4, label=name)
    ax.set_xlabel("share of positives P(y = 1)")
    ax.set_ylabel("entropy in bits")
    ax.set_xlim(0.0, 1.0)
    ax.set_ylim(0.0, 1.02)
    ax.grid(True, color=FAINT, linewidth=0.6)
    _open_frame(ax)
    figure.legend(loc="outside right center", frameon=False)
    return figure


# ---------------------------------------------------------------------------------------- common


def _panels(
    down: int, across: int, size: tuple[float, float], *, is_shared: bool = False
) -> tuple[Figure, list[Axes]]:
    """Return a new figure that no window manages, and its panels row by row."""
    figure = Figure(figsize=size, layout="constrained")
    axes = figure.subplots(down, across, squeeze=False, sharex=is_shared, sharey=is_shared)
    return figure, list(axes.ravel())


def _open_frame(ax: Axes) -> None:
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
