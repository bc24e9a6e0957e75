"""The target of a table: two classes, as texts."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.column import Texts
from thresher.errors import QuestionError, TableError
from thresher.tables.table import Table, changed, texts_of
from thresher.tables.vocabulary import BAD, GOOD, NO, YES
from thresher.wording import counted, first_of, listed, verb

Labels = NDArray[np.str_]

OTHERS = "others"
"""The class of all rows that are not of the one to find, where a target has several."""
SHOWN_OTHERS = 5
"""Values that a remark names of those."""


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
    >>> table.columns["state"].values()
    ['others', 'leak', 'others']
    >>> print(table.notes[0])
    'leak' stands against all other values of 'state': 'noise' (1 row), 'ok' (1 row).
    """
    found, notes = as_classes(table, target, positive, classes)
    rows = np.flatnonzero(found.codes >= 0)
    if not len(rows):
        raise TableError(f"Column {target!r} has no value in any row; it cannot be the target.")
    missing = len(table) - len(rows)
    if missing:
        are = verb(missing, "are")
        notes += (f"{counted(missing, 'rows')} without a label in {target!r} {are} left out.",)
    whole = replace(table, columns={**table.columns, target: found}, notes=(*table.notes, *notes))
    return whole.take(rows) if missing else whole


def as_classes(
    table: Table, target: str, positive: Any = None, classes: Sequence[str] = ()
) -> tuple[Texts, tuple[str, ...]]:
    """Return the classes of all rows, missing ones too, and notes about what was changed."""
    table.need([target])
    found, notes = _one_form_each(target_texts(table, target), classes)
    if positive is None:
        return found, notes
    found, name, more = _one_spelling(found, str(positive), classes)
    notes += more
    has_several, is_known = len(found.levels) > 2, name in found.levels
    if has_several and not is_known and not classes:
        near = get_close_matches(name, found.levels, n=1, cutoff=0.5)
        hint = f"did you mean {near[0]!r}? They" if near else "they"
        raise TableError(
            f"positive={name!r} is not among the values of {target!r}; {hint} are "
            f"{first_of(found.levels, 8)}."
        )
    if has_several and (is_known or OTHERS in classes):
        others = {level: rows for level, rows in _by_rows(found).items() if level != name}
        shown = first_of(_with_rows(others), SHOWN_OTHERS)
        notes += (f"{name!r} stands against all other values of {target!r}: {shown}.",)
    if OTHERS in classes or (has_several and is_known):
        found = changed(found, lambda level: level if level == name else OTHERS)
    return found, notes


def _by_rows(texts: Texts) -> dict[str, int]:
    """Return the rows of each value, the most frequent first."""
    rows = np.bincount(texts.codes[texts.codes >= 0], minlength=len(texts.levels)).tolist()
    pairs = zip(texts.levels, rows, strict=True)
    return dict(sorted(pairs, key=lambda pair: -pair[1]))


def _with_rows(rows: Mapping[str, int]) -> list[str]:
    return [f"{level!r} ({counted(n, 'rows')})" for level, n in rows.items()]


def _one_spelling(
    texts: Texts, positive: str, classes: Sequence[str]
) -> tuple[Texts, str, tuple[str, ...]]:
    """Return all spellings of the class to find as one text, its name, and a note about the others.

    The name is as given, or the most frequent spelling where no value is spelled so. Where another
    class is a spelling too, each stays what it is.
    """
    by_rows = _by_rows(texts)
    found = _spellings(positive, list(by_rows))
    is_one_class = len(_spellings(positive, classes)) == 1
    if not found or not (is_one_class if classes else len(found) < len(by_rows)):
        return texts, positive, ()
    name = positive if classes or positive in found else found[0]
    others = {level: by_rows[level] for level in found if level != name}
    if not others:
        return texts, name, ()
    count = verb(len(others), "count")
    note = f"The target's {listed(_with_rows(others))} {count} as {name!r}."
    return changed(texts, lambda level: name if level in others else level), name, (note,)


def _spellings(positive: str, levels: Sequence[str]) -> list[str]:
    """Return the values that differ from one in case and in blanks around it at most."""
    return [level for level in levels if level.strip().casefold() == positive.strip().casefold()]


def target_texts(table: Table, target: str) -> Texts:
    """Return the values of a target as texts; a dash among several is no value."""
    column = table.columns[target]
    texts = column if isinstance(column, Texts) else Texts.of(texts_of(column))
    if "-" in texts.levels and len(texts.levels) > 2:
        texts = changed(texts, lambda level: None if level == "-" else level)
    return texts.used()


def _one_form_each(texts: Texts, classes: Sequence[str]) -> tuple[Texts, tuple[str, ...]]:
    """Return several forms of one class as one text: that of the model, or the most frequent."""
    known: dict[str, str] = {}
    for level in (*map(str, classes), *_by_rows(texts)):
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
        if len(texts.levels) == 1:
            raise TableError(
                f"Column {target!r} has one value in all rows, {texts.levels[0]!r}; a target needs "
                "two."
            )
        shown = first_of(_with_rows(_by_rows(texts)), 8)
        raise QuestionError(
            f"Column {target!r} has {len(texts.levels)} different values: {shown}; say which one "
            "to find with positive=, and it stands against all others."
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
    found = _spellings(str(given), classes.tolist())
    if str(given) not in found and len(found) != 1:
        raise TableError(
            f"positive={str(given)!r} is not a class of the target: {classes.tolist()}."
        )
    return str(given) if str(given) in found else found[0]
