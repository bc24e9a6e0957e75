"""The target of a table: two classes, as texts."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.errors import TableError
from thresher.tables.table import Table, texts_of
from thresher.texts import Texts

Labels = NDArray[np.str_]


def read_labels(table: Table, target: str) -> Labels:
    """Return the classes row by row; raise unless there are two of them and none is missing.

    >>> read_labels(Table("'a.csv'", {"state": Texts.of(["ok", "scrap"])}), "state")
    array(['ok', 'scrap'], dtype='<U5')
    """
    table.need([target])
    column = table.columns[target]
    texts = (column if isinstance(column, Texts) else Texts.of(texts_of(column))).used()
    missing = np.flatnonzero(texts.codes < 0)
    if len(missing):
        raise TableError(
            f"Column {target!r} has no value in row {missing[0] + 1}; fill it in or remove the row."
        )
    if len(texts.levels) != 2:
        shown = ", ".join(map(repr, texts.levels[:3])) + (", ..." if len(texts.levels) > 3 else "")
        raise TableError(
            f"Column {target!r} has {len(texts.levels)} different values ({shown}); a target needs "
            "exactly two."
        )
    return np.array(texts.levels)[texts.codes]


def typed_labels(labels: Sequence[str | None], classes: Any) -> Any:
    """Return texts of classes as what they stand for: whole numbers, truth values, or texts.

    >>> typed_labels(["0", "1"], ["0", "1"]), typed_labels(["true"], ["false", "true"])
    (array([0, 1]), array([ True]))
    """
    known = {str(label) for label in classes}
    if known <= {"true", "false"}:
        return np.array([label == "true" for label in labels])
    if all(label.lstrip("-").isdecimal() and len(label) < 16 for label in known):
        return np.array([int(label or 0) for label in labels])
    return np.array(labels, dtype=object)


def positive_label(labels: Labels, given: Any = None) -> str:
    """Return the class to find: as given, or the rarer one, the later one of two equal ones.

    >>> positive_label(np.array(["ok", "scrap", "ok"]))
    'scrap'
    """
    classes, counts = np.unique(labels, return_counts=True)
    if given is None:
        return str(classes[0] if counts[0] < counts[1] else classes[1])
    if str(given) not in classes.tolist():
        raise TableError(
            f"positive={str(given)!r} is not a class of the target: {classes.tolist()}."
        )
    return str(given)
