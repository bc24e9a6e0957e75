"""A CSV file of one's own as numbers and a target."""

import csv
import gzip
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MISSING = frozenset({"", "?", "na", "n/a", "nan", "null", "none"})
DELIMITERS = ",;\t"
MOST_LEVELS = 255


class BadDataError(ValueError):
    """A table that cannot be used; the message says why and what to do."""


def read_own_table(
    path: Path, target: str, left_out: Sequence[str] = ()
) -> tuple["NDArray[np.float64]", list[str]]:
    r"""Read a CSV file (UTF-8, with a header; also .gz) for methods that want numbers.

    A text column becomes one indicator column for each of its values, a missing number NaN.

    Parameters
    ----------
    path : Path
    target : str
        The column with the two classes.
    left_out : sequence of str
        Columns that are not used.

    Returns
    -------
    X : array of shape (rows, columns)
    y : list of str
        The classes as they stand in the file.

    Raises
    ------
    BadDataError

    Examples
    --------
    >>> path = getfixture("tmp_path") / "parts.csv"
    >>> _ = path.write_text("speed,line,state\n1.5,a,ok\n,b,scrap\n2,a,ok\n")
    >>> read_own_table(path, "state")
    (array([[1.5, 1. , 0. ], [nan, 0. , 1. ], [2. , 1. , 0. ]]), ['ok', 'scrap', 'ok'])
    """
    import numpy as np

    columns = _read_columns(path)
    for name in (target, *left_out):
        if name not in columns:
            raise BadDataError(
                f"'{path}' has no column {name!r}; its columns are {', '.join(columns)}."
            )
    y = _target(columns.pop(target), target)
    parts = [_numbers(name, values) for name, values in columns.items() if name not in left_out]
    if not parts:
        raise BadDataError(f"'{path}' has no column beside the target {target!r}.")
    return np.column_stack(parts), y


def _read_columns(path: Path) -> dict[str, list[str]]:
    header, rows = _read_rows(path)
    if not header:
        raise BadDataError(f"'{path}' is empty; its first line must name the columns.")
    if len(set(header)) < len(header):
        twice = next(name for name in header if header.count(name) > 1)
        raise BadDataError(f"'{path}' has two columns {twice!r}; rename one of them.")
    if not rows:
        raise BadDataError(f"'{path}' has a header but no rows.")
    return {name: [row[place] for row in rows] for place, name in enumerate(header)}


def _read_rows(path: Path) -> tuple[list[str], list[list[str]]]:
    try:
        with (gzip.open if path.suffix == ".gz" else open)(
            path, "rt", encoding="utf-8-sig", newline=""
        ) as file:
            first = file.readline()
            file.seek(0)
            reader = csv.reader(file, delimiter=max(DELIMITERS, key=first.count))
            header = [name.strip() for name in next(reader, [])]
            rows = [_row(path, row, len(header), reader.line_num) for row in reader if row]
    except UnicodeDecodeError:
        raise BadDataError(f"'{path}' is not text in UTF-8; save it as CSV in UTF-8.") from None
    except (OSError, EOFError, zlib.error, csv.Error) as error:
        raise BadDataError(f"'{path}' cannot be read as CSV: {error}.") from None
    return header, rows


def _row(path: Path, row: list[str], expected: int, line: int) -> list[str]:
    if len(row) != expected:
        raise BadDataError(
            f"Line {line} of '{path}' has {len(row)} values, and the header {expected}; "
            "quote values that contain the delimiter."
        )
    return [value.strip() for value in row]


def _is_missing(value: str) -> bool:
    return value.lower() in MISSING


def _target(values: list[str], name: str) -> list[str]:
    for place, value in enumerate(values):
        if _is_missing(value):
            raise BadDataError(
                f"Column {name!r} has no value in row {place + 1}; fill it in or remove the row."
            )
    classes = sorted(set(values))
    if len(classes) != 2:
        shown = ", ".join(map(repr, classes[:3])) + (", ..." if len(classes) > 3 else "")
        raise BadDataError(
            f"Column {name!r} has {len(classes)} different values ({shown}); "
            "a target needs exactly two."
        )
    return values


def _numbers(name: str, values: list[str]) -> Any:
    import numpy as np

    try:
        numbers = np.array([np.nan if _is_missing(value) else float(value) for value in values])
    except ValueError:
        return _indicators(name, values)
    if np.isinf(numbers).any():
        raise BadDataError(f"Column {name!r} has an infinite value; leave it empty if unknown.")
    return numbers


def _indicators(name: str, values: list[str]) -> Any:
    import numpy as np

    levels = sorted({value for value in values if not _is_missing(value)})
    if len(levels) > MOST_LEVELS:
        raise BadDataError(
            f"Column {name!r} is text with {len(levels)} different values, such as "
            f"{levels[0]!r}; leave it out (--drop {name}) or turn it into numbers."
        )
    texts = np.array(values)
    return np.column_stack([(texts == level).astype(np.float64) for level in levels])


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
