"""The target of a table: two classes, as texts."""

from thresher.cli.errors import BadDataError
from thresher.cli.table import Table, texts_of


def read_labels(table: Table, target: str) -> list[str]:
    """Return the classes row by row; raise unless there are two of them and none is missing.

    >>> from thresher.cli.table import Texts
    >>> read_labels(Table("'a.csv'", {"state": Texts.of(["ok", "scrap"])}), "state")
    ['ok', 'scrap']
    """
    table.need([target])
    labels = texts_of(table.columns[target])
    if None in labels:
        raise BadDataError(
            f"Column {target!r} has no value in row {labels.index(None) + 1}; fill it in or "
            "remove the row."
        )
    known = [label for label in labels if label is not None]
    classes = sorted(set(known))
    if len(classes) != 2:
        shown = ", ".join(map(repr, classes[:3])) + (", ..." if len(classes) > 3 else "")
        raise BadDataError(
            f"Column {target!r} has {len(classes)} different values ({shown}); a target needs "
            "exactly two."
        )
    return known


def check_class(label: str, labels: list[str], option: str) -> None:
    """Raise unless a class occurs."""
    classes = sorted(set(labels))
    if label not in classes:
        raise BadDataError(f"{option} {label!r} is not a class of the target: {classes}.")
