"""A table of one's own as numbers and a target, for methods that want numbers."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from thresher.column import MAX_LEVELS
from thresher.errors import TableError
from thresher.tables.left_aside import left_aside
from thresher.tables.source import Source
from thresher.tables.table import Column
from thresher.tables.target import read_labels, with_target
from thresher.texts import Texts

if TYPE_CHECKING:
    from numpy.typing import NDArray


def read_own_table(
    source: Source, target: str, left_out: Sequence[str] = ()
) -> tuple["NDArray[np.float64]", list[str], tuple[str, ...]]:
    r"""Read a table in which a text column becomes one indicator column for each of its values.

    Parameters
    ----------
    source : Source
    target : str
        The column with the two classes.
    left_out : sequence of str
        Columns that are not used.

    Returns
    -------
    X : array of shape (rows, columns)
        NaN where a number is missing.
    y : list of str
        The classes as they stand in the file.
    notes : tuple of str
        How the table was read, and which columns are not learnt from.

    Raises
    ------
    TableError

    Examples
    --------
    >>> path = getfixture("tmp_path") / "parts.csv"
    >>> _ = path.write_text("speed,line,state\n1.5,a,ok\n,b,scrap\n2,a,ok\n")
    >>> read_own_table(Source(str(path)), "state")
    (array([[1.5, 1. , 0. ], [nan, 0. , 1. ], [2. , 1. , 0. ]]), ['ok', 'scrap', 'ok'], ())
    """
    table = source.read(texts=[target])
    table.need([target, *left_out])
    table = with_target(table, target)
    y = read_labels(table, target).tolist()
    features = table.without([target, *left_out])
    aside = left_aside(features)
    features = features.without(aside)
    if not features.columns:
        raise TableError(f"{table.source} has no column beside the target {target!r}.")
    parts = [_numbers(name, column) for name, column in features.columns.items()]
    return np.column_stack(parts), y, (*table.notes, *dict.fromkeys(aside.values()))


def _numbers(name: str, column: Column) -> "NDArray[np.float64]":
    return _indicators(name, column) if isinstance(column, Texts) else column


def _indicators(name: str, column: Texts) -> "NDArray[np.float64]":
    if len(column.levels) > MAX_LEVELS:
        raise TableError(
            f"Column {name!r} is text with {len(column.levels)} different values, such as "
            f"{column.levels[0]!r}; leave it out (drop={name}) or turn it into numbers."
        )
    codes = np.arange(len(column.levels))
    indicators: NDArray[np.float64] = (column.codes[:, None] == codes).astype(np.float64)
    return indicators


def fill_missing(factory: Any, *, random_state: Any = None) -> Any:
    """Make a method for a table with missing values.

    A method that does not read them gets the median of the training rows, and an indicator column.

    >>> from thresher.benchmark import METHODS
    >>> X, y = [[1.0], [2.0], [float("nan")]], [0, 0, 1]
    >>> fill_missing(METHODS["LogR"]).fit(X, y).predict([[3.0]])
    array([0])
    """
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.utils import get_tags

    method = factory(random_state=random_state)
    if get_tags(method).input_tags.allow_nan:
        return method
    filler = SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True)
    return make_pipeline(filler, method)
