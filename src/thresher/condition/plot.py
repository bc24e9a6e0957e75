"""The data behind a condition by matplotlib; the only file here that names it."""

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

GOOD, BAD, INSIDE, INK = "#1d5fa6", "#b54708", "#f6e4d8", "#1b2430"
MISSING = "missing"


def plot(data: dict[str, Any], words: tuple[str, str], *, ax: "Axes | None" = None) -> "Figure":
    """Draw the data of a picture and return the figure; `words` are the event and the unit."""
    if ax is None:
        ax = _new_axes()
    draw = {"histogram": _histogram, "levels": _strips}.get(data["kind"], _grid)
    draw(ax, data)
    event, unit = words
    (good, bad), (all_good, all_bad) = data["inside"], data["all"]
    among = f"\namong {unit} with {data['among']}" if data["among"] else ""
    ax.set_title(
        f"inside: {bad:,} of {all_bad:,} {event}, {good:,} of {all_good:,} other {unit}{among}",
        fontsize=9,
        loc="left",
        wrap=True,
    )
    figure: Figure = ax.get_figure(root=True)  # type: ignore[assignment]
    return figure


def _histogram(ax: "Axes", data: dict[str, Any]) -> None:
    """Draw the rare class upward, the other downward, each to its own scale."""
    axis = data["axes"][0]
    edges = np.array(axis["edges"])
    widths = np.diff(np.log(edges) if axis["log"] else edges)
    counts = _dense(data)
    for index, way, color in ((1, 1.0, BAD), (0, -1.0, GOOD)):
        height = counts[:-1, index] / np.maximum(widths, 1e-300)
        height = way * height / (height.max() or 1.0)
        ax.bar(edges[:-1], height, np.diff(edges), align="edge", color=color)
    for first, last, flag in zip(edges[:-1], edges[1:], axis["inside"], strict=False):
        if flag:
            ax.axvspan(first, last, color=INSIDE, zorder=0, linewidth=0)
    for cut in axis["cuts"]:
        ax.axvline(cut, color=INK, linewidth=1.2)
    ax.axhline(0.0, color=INK, linewidth=0.6)
    if axis["log"]:
        ax.set_xscale("log")
    ax.set_yticks([])
    good, bad = counts[-1].tolist()
    missing = f" ({bad:,} and {good:,} {MISSING})" if good + bad else ""
    ax.set_xlabel(axis["name"] + missing)


def _strips(ax: "Axes", data: dict[str, Any]) -> None:
    """Draw the rate of each level, in another colour inside the condition."""
    axis, counts = data["axes"][0], _dense(data)
    labels = [*axis["labels"], MISSING][: len(counts) if counts[-1].any() else -1 + len(counts)]
    rates = counts[:, 1] / np.maximum(counts.sum(axis=1), 1)
    colors = [BAD if flag else GOOD for flag in axis["inside"]]
    places = -np.arange(len(labels))
    ax.barh(places, rates[: len(labels)], color=colors[: len(labels)])
    ax.set_yticks(places, labels)
    ax.axvline(data["all"][1] / max(sum(data["all"]), 1), color=INK, linestyle=":", linewidth=1.0)
    ax.set_xlabel(f"rate by level of {axis['name']}")


def _grid(ax: "Axes", data: dict[str, Any]) -> None:
    """Draw the common class as shades or dots, the rare one as dots above, and the box."""
    from matplotlib.patches import Rectangle

    across, upward = data["axes"]
    x, y = _places(across), _places(upward)
    counts = _dense(data)
    if data["kind"] == "heat map":
        shades = np.log1p(counts[:-1, : len(y) - 1, 0]).T
        ax.pcolormesh(x, y, np.where(shades > 0, shades, np.nan), cmap="Blues", alpha=0.8)
    for index, color, alpha in ((0, GOOD, 0.35), (1, BAD, 1.0)):
        if index == 0 and data["kind"] == "heat map":
            continue
        at = np.argwhere(counts[:-1, : len(y) - 1, index])
        rows = counts[at[:, 0], at[:, 1], index]
        left, low = (0.5 * (edges[:-1] + edges[1:])[at[:, k]] for k, edges in enumerate((x, y)))
        ax.scatter(left, low, s=6.0 * np.sqrt(rows), color=color, alpha=alpha, linewidth=0)
    for first, last in _runs(across["inside"], x):
        for low, high in _runs(upward["inside"], y):
            box = Rectangle((first, low), last - first, high - low, fill=False, edgecolor=INK)
            ax.add_patch(box)
    _label(ax, across, upward)


def _runs(flags: list[bool], edges: Any) -> list[tuple[float, float]]:
    """Return the stretches of bins that are flagged; missing values have no place."""
    padded = np.array([False, *flags[:-1], False])
    starts, ends = (np.flatnonzero(np.diff(padded.astype(int)) == step) for step in (1, -1))
    return list(zip(edges[starts].tolist(), edges[ends].tolist(), strict=True))


def _label(ax: "Axes", across: dict[str, Any], upward: dict[str, Any]) -> None:
    for axis, name in ((across, "x"), (upward, "y")):
        if "labels" in axis:
            getattr(ax, f"set_{name}ticks")(np.arange(len(axis["labels"])) + 0.5, axis["labels"])
        elif axis["log"]:
            getattr(ax, f"set_{name}scale")("log")
        getattr(ax, f"set_{name}label")(axis["name"])


def _places(axis: dict[str, Any]) -> Any:
    """Return the edges of bins; levels are one apart."""
    if "labels" in axis:
        return np.arange(len(axis["labels"]) + 1.0)
    return np.array(axis["edges"])


def _dense(data: dict[str, Any]) -> Any:
    """Return the counts of all bins, those of missing values last."""
    counts = np.zeros((*(len(axis["inside"]) for axis in data["axes"]), 2), dtype=np.int64)
    for *place, good, bad in data["cells"]:
        counts[tuple(place)] = good, bad
    return counts


def _new_axes() -> "Axes":
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError(
            "ConditionTable.plot needs matplotlib: pip install 'thresher[plot]'."
        ) from error
    return pyplot.subplots(figsize=(5.2, 3.4), layout="constrained")[1]
