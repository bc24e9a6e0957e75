"""The measures along the threshold as a drawing; the only file here that names matplotlib."""

from typing import TYPE_CHECKING

import numpy as np

from thresher.threshold.counts import Vector

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Colours that differ for colour-blind readers too (Okabe and Ito).
LINES = {
    "precision": ("precision", "#0072b2"),
    "recall": ("recall", "#d55e00"),
    "f1": ("F1", "#009e73"),
    "bcr": ("balanced rate (BCR)", "#cc79a7"),
}
TEXT_COLOR = "#333333"

OUTERMOST = 1e-4
"""The probabilities drawn are from this to 1 minus this."""


def plot_curve(
    columns: dict[str, Vector],
    threshold: float,
    interval: tuple[float, float] | None,
    *,
    is_probability: bool,
    ax: "Axes | None" = None,
) -> "Figure":
    """Draw precision, recall, F1 and BCR along the threshold, and the chosen threshold.

    Probabilities are drawn on the scale of their log odds, where those of a rare class have room.
    """
    ax = _new_axes() if ax is None else ax
    x = _shown(columns["threshold"], is_probability)
    for name, (label, color) in LINES.items():
        # Decisions change between two thresholds.
        y = _defined(columns) if name == "precision" else columns[name]
        ax.plot(x, y, color=color, label=label, drawstyle="steps-mid", linewidth=1.6)
    if is_probability:
        ax.set_xscale("logit")
        _label_shares(ax, x)
    _mark(ax, threshold, interval, (float(x[0]), float(x[-1])))
    _finish(ax)
    figure: Figure = ax.get_figure(root=True)  # type: ignore[assignment]
    return figure


def _new_axes() -> "Axes":
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError("plot_curve needs matplotlib: pip install 'thresher[plot]'.") from error
    _, ax = pyplot.subplots(figsize=(7.0, 4.2), layout="constrained")
    return ax


def _defined(columns: dict[str, Vector]) -> Vector:
    """Leave a gap where there is no alert, and so no precision."""
    return np.where(columns["alerts_per_1000"] > 0, columns["precision"], np.nan)


def _shown(thresholds: Vector, is_probability: bool) -> Vector:
    """Keep thresholds of 0 and 1 on the scale of log odds, just outside the others."""
    if not is_probability:
        return thresholds
    inside = thresholds[(thresholds > 0.0) & (thresholds < 1.0)]
    if not len(inside):
        return np.clip(thresholds, 0.01, 0.99)
    low, high = 0.5 * inside.min(), 1.0 - 0.5 * (1.0 - inside.max())
    return np.clip(thresholds, max(low, OUTERMOST), min(high, 1.0 - OUTERMOST))


def _label_shares(ax: "Axes", x: Vector) -> None:
    """Write 0.001, 0.01, 0.1, 0.5, 0.9 as plain numbers, and no minor labels."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter, NullLocator

    ends = [10.0**power for power in range(-4, 0)]
    shares = [*ends, 0.5, *(1.0 - end for end in reversed(ends))]
    ax.xaxis.set_major_locator(FixedLocator(shares))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.6g}"))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.set_xlim(float(x[0]), float(x[-1]))


def _mark(
    ax: "Axes", threshold: float, interval: tuple[float, float] | None, ends: tuple[float, float]
) -> None:
    at = float(np.clip(threshold, *ends))
    ax.axvline(at, color=TEXT_COLOR, linewidth=1.2, label=f"threshold {threshold:.3g}")
    if interval is not None and np.isfinite(interval).all():
        low, high = np.clip(interval, *ends).tolist()
        ax.axvspan(low, high, color=TEXT_COLOR, alpha=0.12, linewidth=0, label="95 % interval")


def _finish(ax: "Axes") -> None:
    ax.set_xlabel("threshold")
    ax.set_ylim(-0.02, 1.02)
    ax.grid(True, color="#dddddd", linewidth=0.6)
    ax.set_axisbelow(True)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
