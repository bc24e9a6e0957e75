"""Early detection, the p-chart and a watch drawn; the only file here that names matplotlib."""

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Colours that differ for colour-blind readers too (Okabe and Ito); markers differ as well.
LINES = {
    "f1": ("F1", "#009e73", "o"),
    "precision": ("precision", "#0072b2", "s"),
    "recall": ("recall", "#d55e00", "^"),
}
QUESTIONS = [("#0072b2", "o"), ("#d55e00", "s"), ("#cc79a7", "^"), ("#009e73", "v")]
CHART = ("rate", "low", "high", "out")
MAX_LOG = 300.0
"""Logarithm of the largest e-value that is drawn."""
REAL, PREDICTED, OUT, TEXT_COLOR = "#0072b2", "#d55e00", "#cc3311", "#333333"


def plot_early(columns: dict[str, Any], *, ax: "Axes | None" = None) -> "Figure":
    """Draw F1 with its interval, precision and recall, station by station."""
    if ax is None:
        (ax,) = _new_axes("EarlyDetection.plot", 1, (7.5, 4.2))
    x = np.arange(len(columns["station"]))
    for name, (label, color, marker) in LINES.items():
        ax.plot(x, columns[name], color=color, marker=marker, label=label, linewidth=1.6)
    ax.fill_between(
        x,
        columns["f1_low"],
        columns["f1_high"],
        color=LINES["f1"][1],
        alpha=0.15,
        linewidth=0,
        label="95 % interval of F1",
    )
    ax.set_xticks(x, columns["station"], rotation=30, ha="right")
    ax.set_xlabel("known up to this station")
    ax.set_ylim(-0.02, 1.02)
    _finish(ax)
    return _figure(ax)


def plot_monitoring(columns: dict[str, Any]) -> "Figure":
    """Draw the p-chart; below it the estimated rate and the threshold that follows it."""
    top, bottom = _new_axes("Monitoring.plot", 2, (8.5, 6.0))
    _draw_chart(top, columns)
    bottom.plot(
        columns["day"],
        100.0 * columns["estimated"],
        color=PREDICTED,
        linewidth=1.6,
        label="estimated scrap rate (no labels)",
    )
    bottom.plot(
        columns["day"],
        100.0 * columns["threshold"],
        color=TEXT_COLOR,
        linestyle="--",
        linewidth=1.4,
        label="threshold that follows",
    )
    fixed = 100.0 * columns["fixed_threshold"][0]
    bottom.axhline(fixed, color="#888888", linestyle=":", label="threshold as fitted")
    bottom.set_ylabel("%")
    bottom.set_ylim(0.0, None)
    _finish(bottom)
    _label_days(bottom)
    return _figure(top)


def plot_watch(section: dict[str, Any]) -> "Figure":
    """Draw e-values with the line of alarm; below it the p-chart of the same batches."""
    top, bottom = _new_axes("Watch.plot", 2, (8.5, 6.0), sharex=False)
    place = np.arange(len(section["days"]))
    for one, (color, marker) in zip(section["series"], QUESTIONS, strict=False):
        e_values = np.exp(np.minimum(one["values"], MAX_LOG))
        top.plot(
            place, e_values, color=color, marker=marker, markersize=3, lw=1.4, label=one["name"]
        )
    top.axhline(np.exp(section["line"]), color=OUT, linestyle="--", label="alarm")
    top.set_yscale("log")
    top.set_ylabel("e-value")
    _finish(top)
    chart = {name: np.array([row[name] for row in section["chart"]["rows"]]) for name in CHART}
    columns = {**chart, "day": np.arange(len(chart["rate"])), "out_of_control": chart["out"] > 0}
    _draw_chart(bottom, {**columns, "center": [section["chart"]["center"] or 0.0]})
    bottom.set_ylabel(f"{section['chart']['of'] or 'rate'}, %")
    bottom.set_xlabel("batch")
    return _figure(top)


def _draw_chart(ax: "Axes", columns: dict[str, Any]) -> None:
    day, out = columns["day"], columns["out_of_control"]
    rate = 100.0 * columns["rate"]
    for name, label in (("low", None), ("high", "control limits (3 sigma)")):
        ax.step(
            day, 100.0 * columns[name], where="mid", color="#888888", linewidth=1.0, label=label
        )
    ax.axhline(100.0 * columns["center"][0], color="#888888", linestyle=":", label="center line")
    ax.plot(day, rate, color=REAL, marker="o", markersize=3.5, linewidth=1.2, label="real")
    if "predicted" in columns:
        predicted = 100.0 * columns["predicted"]
        ax.plot(day, predicted, color=PREDICTED, linestyle="--", label="predicted")
    if out.any():
        ax.plot(
            day[out],
            rate[out],
            linestyle="none",
            marker="D",
            markersize=9,
            markerfacecolor="none",
            markeredgecolor=OUT,
            markeredgewidth=1.6,
            label="out of control",
        )
    ax.set_ylabel("scrap, %")
    ax.set_ylim(0.0, None)
    _finish(ax)


def _label_days(ax: "Axes") -> None:
    from matplotlib.dates import AutoDateLocator, ConciseDateFormatter

    locator = AutoDateLocator(maxticks=7)  # type: ignore[no-untyped-call]
    ax.xaxis.set_major_locator(locator)
    formatter = ConciseDateFormatter(locator)  # type: ignore[no-untyped-call]
    ax.xaxis.set_major_formatter(formatter)


def _new_axes(
    what: str, rows: int, size: tuple[float, float], *, sharex: bool = True
) -> "list[Axes]":
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError(f"{what} needs matplotlib: pip install 'thresher[plot]'.") from error
    _, axes = pyplot.subplots(
        rows, sharex=sharex, squeeze=False, figsize=size, layout="constrained"
    )
    return list(axes[:, 0])


def _finish(ax: "Axes") -> None:
    ax.grid(True, color="#dddddd", linewidth=0.6)
    ax.set_axisbelow(True)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)


def _figure(ax: "Axes") -> "Figure":
    figure: Figure = ax.get_figure(root=True)  # type: ignore[assignment]
    return figure
