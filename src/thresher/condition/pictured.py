"""A condition with the rows that it speaks of: in a notebook, and by matplotlib."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from thresher.column import Matrix, assemble
from thresher.condition.clause import Interval, LevelSet
from thresher.condition.condition import Condition
from thresher.condition.picture import picture_data
from thresher.condition.plot import plot
from thresher.drawing.condition_picture import draw_picture, picture_words
from thresher.drawing.notebook import in_notebook
from thresher.frames import read_columns
from thresher.matrix import Columns
from thresher.pair import Pair

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class ConditionPicture:
    """The data behind a condition, which a notebook shows.

    Attributes
    ----------
    text : the condition in words.
    data : rows of both classes in bins, as plain data.
    event, unit : the words for a positive row, and for a row.
    """

    text: str
    data: dict[str, Any]
    event: str = "positive rows"
    unit: str = "rows"

    def plot(self, *, ax: "Axes | None" = None) -> "Figure":
        """Draw it by matplotlib and return the figure."""
        return plot(self.data, (self.event, self.unit), ax=ax)

    def __repr__(self) -> str:
        return f"<ConditionPicture: {picture_words(self.data, self.event, self.unit)}>"

    def _repr_html_(self) -> str:
        return in_notebook(self.text, draw_picture(self.data, self.event, self.unit))


def pictured(
    condition: Condition, X: Any, is_positive: NDArray[np.bool_], text: str
) -> ConditionPicture:
    """Return a condition with rows of a table, of which it needs its own columns alone."""
    matrix, names = columns_asked(condition, X)
    if len(matrix) != len(is_positive):
        raise ValueError(f"X has {len(matrix)} rows, y has {len(is_positive)}; give as many.")
    return ConditionPicture(text, picture_data(condition, names, matrix, is_positive))


def columns_asked(condition: Condition, X: Any) -> tuple[Matrix, tuple[str, ...]]:
    """Return the columns that a condition asks about as a matrix, and their names."""
    columns, names = read_columns(X)
    labels = names or tuple(f"x[{place}]" for place in range(len(columns)))
    known = dict(zip(labels, columns, strict=True))
    asked = tuple(dict.fromkeys(condition.given_columns))
    for name in asked:
        if name not in known:
            raise ValueError(f"X has no column {name!r}, which the condition asks about.")
    levels = {one.column: one.known for one in condition.clauses if isinstance(one, LevelSet)}
    pairs = tuple(
        Pair(asked.index(one.pair.left), one.pair.operation, asked.index(one.pair.right))
        for one in condition.clauses
        if isinstance(one, Interval) and one.pair is not None
    )
    found = Columns(asked, tuple(levels.get(name) for name in asked), pairs)
    return found.widened(assemble([known[name] for name in asked], found.levels)), found.wide_names
