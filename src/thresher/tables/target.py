"""The target of a table: two classes, as texts."""

from collections.abc import Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.errors import QuestionError, TableError
from thresher.tables.table import Table, changed, texts_of
from thresher.tables.vocabulary import BAD, GOOD, NO, YES
from thresher.texts import Texts
from thresher.wording import counted, first_of, listed

Labels = NDArray[np.str_]

OTHERS = "others"
"""The class of all rows that are not of the one to find, where a target has several."""


def with_target(
    table: Table, target: str, positive: Any = None, classes: Sequence[str] = ()
) -> Table:
    """Return the rows that have a label, with two classes as the target; its notes tell of changes.

    Parameters
    ----------
    target : the column.
    positive : the class to find; of several values, it stands against all others.
    classes : those that a model knows, for later rows.

    Examples
    --------
    >>> states = Texts.of(["ok", None, "leak", "noise"])
    >>> table = with_target(Table("'a.csv'", {"state": states}), "state", "leak")
    >>> table.columns["state"].values(), table.notes
    (['others', 'leak', 'others'], ("1 row without a label in 'state' is left out.",))
    """
    found, notes = as_classes(table, target, positive, classes)
    rows = np.flatnonzero(found.codes >= 0)
    if not len(rows):
        raise TableError(f"Column {target!r} has no value in any row; it cannot be the target.")
    missing = len(table) - len(rows)
    if missing:
        are = "is" if missing == 1 else "are"
        notes += (f"{counted(missing, 'rows')} without a label in {target!r} {are} left out.",)
    whole = replace(table, columns={**table.columns, target: found}, notes=(*table.notes, *notes))
    return whole.take(rows) if missing else whole


def as_classes(
    table: Table, target: str, positive: Any = None, classes: Sequence[str] = ()
) -> tuple[Texts, tuple[str, ...]]:
    """Return the classes of all rows, missing ones too, and notes about what was changed."""
    table.need([target])
    found, notes = _one_form_each(target_texts(table, target), classes)
    is_known = positive is not None and str(positive) in found.levels
    if positive is not None and not is_known and not classes and len(found.levels) > 2:
        raise _unknown_class(str(positive), target, found.levels)
    if OTHERS in classes or (len(found.levels) > 2 and is_known):
        found = changed(found, lambda level: level if level == str(positive) else OTHERS)
    return found, notes


def _unknown_class(positive: str, target: str, levels: Sequence[str]) -> TableError:
    near = get_close_matches(positive, levels, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]!r}? They" if near else "they"
    return TableError(
        f"positive={positive!r} is not among the values of {target!r}; {hint} are "
        f"{first_of(levels, 8)}."
    )


def target_texts(table: Table, target: str) -> Texts:
    """Return the values of a target as texts; a dash among several is no value."""
    column = table.columns[target]
    texts = column if isinstance(column, Texts) else Texts.of(texts_of(column))
    if "-" in texts.levels and len(texts.levels) > 2:
        texts = changed(texts, lambda level: None if level == "-" else level)
    return texts.used()


def _one_form_each(texts: Texts, classes: Sequence[str]) -> tuple[Texts, tuple[str, ...]]:
    """Return several forms of one class as one text: that of the model, or the most frequent."""
    rows = np.bincount(texts.codes[texts.codes >= 0], minlength=len(texts.levels)).tolist()
    by_rows = sorted(zip(rows, texts.levels, strict=True), key=lambda pair: -pair[0])
    known: dict[str, str] = {}
    for level in (*map(str, classes), *(level for _, level in by_rows)):
        known.setdefault(_form_of(level), level)
    forms = {level: known[_form_of(level)] for level in texts.levels}
    new = set(forms.values())
    if len(new) != 2 or set(texts.levels) <= new:
        return texts, ()
    merged = listed(sorted(repr(level) for level, name in forms.items() if level != name))
    note = f"The target's {merged} count as {listed(sorted(map(repr, new)), 'or')}."
    return changed(texts, forms.__getitem__), (note,)


def _form_of(level: str) -> str:
    word = " ".join(level.lower().split())
    return next((min(forms) for forms in (GOOD, BAD, YES, NO) if word in forms), word)


def read_labels(table: Table, target: str) -> Labels:
    """Return the classes row by row; raise unless there are two of them and none is missing.

    >>> read_labels(Table("'a.csv'", {"state": Texts.of(["ok", "scrap"])}), "state")
    array(['ok', 'scrap'], dtype='<U5')
    """
    table.need([target])
    texts = target_texts(table, target)
    missing = np.flatnonzero(texts.codes < 0)
    if len(missing):
        raise TableError(
            f"Column {target!r} has no value in row {missing[0] + 1}; fill it in or remove the row."
        )
    if len(texts.levels) != 2:
        raise _not_two(target, texts)
    return np.array(texts.levels)[texts.codes]


def _not_two(target: str, texts: Texts) -> TableError:
    if len(texts.levels) == 1:
        return TableError(
            f"Column {target!r} has one value in all rows, {texts.levels[0]!r}; a target needs two."
        )
    rows = np.bincount(texts.codes, minlength=len(texts.levels))
    order = np.argsort(-rows, kind="stable").tolist()
    shown = first_of([f"{texts.levels[code]!r} ({rows[code]:,} rows)" for code in order], 8)
    return QuestionError(
        f"Column {target!r} has {len(texts.levels)} different values: {shown}; say which one to "
        "find with positive=, and it stands against all others."
    )


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
