"""A tree as a drawing; the only file that names matplotlib."""

from textwrap import shorten, wrap
from typing import TYPE_CHECKING, Any

from thresher.tree.structure import Tree
from thresher.tree.text import Wording

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Inches that a box takes, gaps included; characters of a line that fit into it at font size 8.
BOX_WIDTH, BOX_HEIGHT, LINE = 1.75, 1.55, 26
EDGE_COLOR = "#555555"
# Light enough for black text: from blue (no positives) to orange (positives only).
FILL = ("#dbe9f6", "#fdf3e3", "#f9b36b")


def plot(
    tree: Tree, wording: Wording, *, max_depth: int | None = None, ax: "Axes | None" = None
) -> "Figure":
    """Draw a tree and return the figure.

    Parameters
    ----------
    max_depth : int, default=None
        Draw this many levels of splits; a box that hides further splits says so.
    ax : matplotlib axes, default=None
        Where to draw; a new figure that fits the tree by default.
    """
    places = _places(tree, max_depth)
    if ax is None:
        ax = _new_axes(places)
    ax.set_axis_off()
    for node, (x, y) in places.items():
        parent = int(tree.parent[node])
        if parent >= 0:
            _draw_edge(ax, places[parent], (x, y), is_left=int(tree.left[parent]) == node)
    for node, (x, y) in places.items():
        hides = tree.feature[node] >= 0 and int(tree.left[node]) not in places
        _draw_box(ax, (x, y), _box_text(tree, node, wording, hides), float(tree.probability[node]))
    _fit(ax, places)
    figure: Figure = ax.get_figure(root=True)  # type: ignore[assignment]
    return figure


def _places(tree: Tree, max_depth: int | None) -> dict[int, tuple[float, float]]:
    """Return the centre of each drawn box: leaves side by side, parents above their children."""
    depth = tree.node_depth.tolist()
    shown = [node for node in range(tree.n_nodes) if max_depth is None or depth[node] <= max_depth]
    left, right = tree.left.tolist(), tree.right.tolist()
    across: dict[int, float] = {}
    for node in shown:
        if left[node] < 0 or depth[node] == max_depth:
            across[node] = float(len(across))
    for node in reversed(shown):
        if node not in across:
            across[node] = 0.5 * (across[left[node]] + across[right[node]])
    return {node: (BOX_WIDTH * across[node], -BOX_HEIGHT * depth[node]) for node in shown}


def _new_axes(places: dict[int, tuple[float, float]]) -> "Axes":
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError("plot needs matplotlib: pip install 'thresher[plot]'.") from error
    width = max(x for x, _ in places.values()) + 1.6 * BOX_WIDTH
    height = -min(y for _, y in places.values()) + 1.2 * BOX_HEIGHT
    figure = pyplot.figure(figsize=(width, height))
    return figure.add_axes((0.0, 0.0, 1.0, 1.0))


def _fit(ax: "Axes", places: dict[int, tuple[float, float]]) -> None:
    ax.set_xlim(-0.8 * BOX_WIDTH, max(x for x, _ in places.values()) + 0.8 * BOX_WIDTH)
    ax.set_ylim(min(y for _, y in places.values()) - 0.6 * BOX_HEIGHT, 0.6 * BOX_HEIGHT)


def _box_text(tree: Tree, node: int, wording: Wording, hides: bool) -> str:
    if tree.feature[node] >= 0:
        title = wording.condition(tree, node, left=True)
    else:
        title = f"decision: {wording.decision(tree, node)}"
    lines = wrap(shorten(title, 3 * LINE, placeholder=" ..."), LINE)
    rows, positives, *rest = wording.counts(tree, node)
    text = "\n".join([*lines, f"{rows}, {positives}", ", ".join(rest)])
    return f"{text}\n(further splits)" if hides else text


def _draw_edge(
    ax: "Axes", start: tuple[float, float], end: tuple[float, float], *, is_left: bool
) -> None:
    ax.plot([start[0], end[0]], [start[1], end[1]], color=EDGE_COLOR, linewidth=0.8, zorder=1)
    # Half way down, where the boxes leave room.
    middle = (0.5 * (start[0] + end[0]), 0.5 * (start[1] + end[1]))
    label: dict[str, Any] = {
        "color": EDGE_COLOR,
        "fontsize": 7,
        "ha": "center",
        "va": "center",
        "zorder": 2,
    }
    ax.text(*middle, "yes" if is_left else "no", backgroundcolor="white", **label)


def _draw_box(ax: "Axes", centre: tuple[float, float], text: str, probability: float) -> None:
    from matplotlib.colors import LinearSegmentedColormap

    color = LinearSegmentedColormap.from_list("rate", FILL)(probability)
    box: dict[str, Any] = {
        "boxstyle": "round,pad=0.4",
        "facecolor": color,
        "edgecolor": EDGE_COLOR,
        "linewidth": 0.8,
    }
    ax.text(*centre, text, ha="center", va="center", fontsize=8, bbox=box, zorder=3)
