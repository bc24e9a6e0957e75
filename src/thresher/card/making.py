"""A card of what any model says."""

from typing import NamedTuple

from thresher.card.cut import Band, best_cut, referred_band
from thresher.card.fitting import Size, fit_trees
from thresher.card.lesson import Lesson
from thresher.card.link import threshold_at, with_link
from thresher.card.points import added, on_grid, on_points
from thresher.matrix import Columns
from thresher.tree.additive import AdditiveTrees


class Card(NamedTuple):
    """Trees whose sum decides.

    Attributes
    ----------
    trees : whose leaves are added up, with the curve from the sum to a probability.
    threshold : a row is positive if and only if its probability is above it.
    threshold_alert : what alerts exceed, where rows between the two are referred; otherwise None.
    """

    trees: AdditiveTrees
    threshold: float
    threshold_alert: float | None


def make_card(
    lesson: Lesson, columns: Columns, size: Size, *, points: bool, refer: float, n_threads: int
) -> Card:
    """Return the card that says what a lesson says, as far as its size allows."""
    fitted = fit_trees(lesson, columns, size, n_threads)
    trees = added(on_points(fitted) if points else on_grid(fitted), columns.width)
    sums = trees.scores(lesson.matrix, n_threads)
    trees = with_link(trees, sums[: lesson.n_rows], lesson)
    cut = best_cut(sums, lesson, whole=points)
    band = Band(cut, cut)
    if refer > 0.0:
        band = referred_band(sums, cut, lesson, refer, whole=points)
    low, high = (threshold_at(trees, edge) for edge in band)
    return Card(trees, low, high if band.low < band.high else None)
