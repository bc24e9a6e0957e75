"""The target of a table as reason codes: a value for good rows, several for why others are bad."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches

import numpy as np

from thresher.errors import ParameterError, QuestionError, TableError
from thresher.tables.table import Table
from thresher.tables.target import OTHERS, Labels, target_texts
from thresher.texts import Texts
from thresher.wording import counted, first_of

ALL = "all"
POOLED = "other codes"
"""The code of rows whose own code is too rare for a model."""
NO_CODE = "no code"
"""The value of good rows that have none."""
LEAST_ROWS = 20
"""Of a code, so that folds inside folds have some to learn from and some to judge by."""


@dataclass(frozen=True)
class ReasonCodes:
    """The reason code of each row.

    Attributes
    ----------
    labels : row by row.
    good : the value of good rows.
    codes : that models are to find, the most frequent first.
    left_out : codes of other bad rows, which no model looks for.
    """

    labels: Labels
    good: str
    codes: tuple[str, ...]
    left_out: tuple[str, ...] = ()

    def one_against_others(self, code: str) -> Texts:
        """Return two classes: the code, and all other rows."""
        return Texts.of(np.where(self.labels == code, code, OTHERS).tolist())


def read_codes(
    table: Table, target: str, wanted: str | Sequence[str] = ALL, good: str | None = None
) -> tuple[Table, ReasonCodes]:
    """Return the rows that have a label, and their reason codes; notes tell of changes.

    Parameters
    ----------
    target : the column.
    wanted : the codes to find, or "all".
    good : the value of good rows, by default the most frequent one; "" where they have none.

    Examples
    --------
    >>> reasons = Texts.of(["ok"] * 90 + ["leak"] * 25 + ["noise"] * 30 + [None])
    >>> table, found = read_codes(Table("'a.csv'", {"reason": reasons}), "reason")
    >>> found.good, found.codes, table.notes
    ('ok', ('noise', 'leak'), ("1 row without a code in 'reason' is left out.",))
    """
    table.need([target])
    table, texts = _known(table, target, good)
    rows = np.bincount(texts.codes, minlength=len(texts.levels)).tolist()
    by_rows = sorted(zip(rows, texts.levels, strict=True), key=lambda pair: (-pair[0], pair[1]))
    sizes = {level: count for count, level in by_rows}
    good = _good_of(target, sizes, good)
    del sizes[good]
    _check_several(target, good, sizes)
    codes = _wanted(target, good, sizes, wanted)
    labels = np.array(texts.levels)[texts.codes]
    rare = [code for code in codes if sizes[code] < LEAST_ROWS]
    if rare and wanted != ALL:
        raise TableError(
            f"Code {rare[0]!r} has {counted(sizes[rare[0]], 'rows')} in {target!r}, and "
            f"{LEAST_ROWS} are needed to train on some and judge by others; leave it out of codes=."
        )
    codes = [code for code in codes if code not in rare]
    is_pooled = len(rare) > 1 and sum(sizes[code] for code in rare) >= LEAST_ROWS
    if is_pooled and POOLED not in sizes:
        labels = np.where(np.isin(labels, rare), POOLED, labels)
        codes.append(POOLED)
    if not codes:
        raise TableError(
            f"No code of {target!r} has {LEAST_ROWS} rows, which are needed to train on some and "
            "judge by others; find any of them with positive=, or add rows."
        )
    notes = () if not rare else (_rare_words(target, rare, sizes, POOLED in codes),)
    left_out = tuple(code for code in np.unique(labels).tolist() if code not in (good, *codes))
    found = ReasonCodes(labels, good, tuple(codes), left_out)
    return replace(table, notes=(*table.notes, *notes)), found


def known_codes(table: Table, target: str, good: str, codes: Sequence[str]) -> list[str | None]:
    """Return the codes of later rows in the words of a training, None where there is none.

    >>> later = Table("'a.csv'", {"reason": Texts.of(["ok", "leak", "rust", None])})
    >>> known_codes(later, "reason", "ok", ["leak", POOLED])
    ['ok', 'leak', 'other codes', None]
    """
    named = {good, *codes}
    found = target_texts(table, target).values()
    if good == NO_CODE:
        found = [NO_CODE if text is None else text for text in found]
    if POOLED not in codes:
        return found
    return [text if text is None or text in named else POOLED for text in found]


def _known(table: Table, target: str, good: str | None) -> tuple[Table, Texts]:
    """Return the rows whose code is known; with good="" a row without one is good."""
    texts = target_texts(table, target)
    missing = int((texts.codes < 0).sum())
    if good == "":
        if not missing:
            raise TableError(
                f"good='' says that good rows have no value in {target!r}, and all rows have one; "
                "name the value of good rows."
            )
        return table, Texts.of(text or NO_CODE for text in texts.values())
    if good is None and 2 * missing > len(texts):
        raise QuestionError(
            f"Column {target!r} has no value in {missing:,} of {len(texts):,} rows: if these are "
            "the good ones, say good=''; if not, name the value of good rows with good=."
        )
    if not missing:
        return table, texts
    are = "is" if missing == 1 else "are"
    note = f"{counted(missing, 'rows')} without a code in {target!r} {are} left out."
    table = replace(table.take(np.flatnonzero(texts.codes >= 0)), notes=(*table.notes, note))
    return table, Texts(texts.codes[texts.codes >= 0], texts.levels)


def _good_of(target: str, sizes: dict[str, int], good: str | None) -> str:
    if good == "":
        return NO_CODE
    if good is not None and good not in sizes:
        raise TableError(f"good={good!r} is not {_nearest(good, target, list(sizes))}")
    return good if good is not None else next(iter(sizes), "")


def _check_several(target: str, good: str, sizes: dict[str, int]) -> None:
    if len(sizes) < 2:
        values = "one value" if not sizes else "two values"
        shown = first_of([repr(one) for one in (good, *sizes)])
        raise TableError(
            f"Column {target!r} has {values} only, {shown}: reason codes are "
            "several beside the value of good rows; leave codes= out."
        )
    if OTHERS in sizes:
        raise TableError(
            f"Column {target!r} has the code {OTHERS!r}, which is what a model of one code calls "
            "all other rows; rename it."
        )


def _wanted(
    target: str, good: str, sizes: dict[str, int], wanted: str | Sequence[str]
) -> list[str]:
    """Return the codes to find, the most frequent first."""
    if wanted == ALL:
        return list(sizes)
    names = [wanted] if isinstance(wanted, str) else [str(name) for name in wanted]
    if not names:
        raise ParameterError("codes= names no code; name some, or say codes='all'.")
    for name in names:
        if name == good:
            raise ParameterError(f"codes= names {name!r}, the value of good rows; leave it out.")
        if name not in sizes:
            raise TableError(f"The code {name!r} is not {_nearest(name, target, list(sizes))}")
    return [code for code in sizes if code in names]


def _nearest(name: str, target: str, levels: Sequence[str]) -> str:
    near = get_close_matches(name, levels, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]!r}? They" if near else "they"
    return f"among the values of {target!r}; {hint} are {first_of(map(repr, levels))}."


def _rare_words(target: str, rare: Sequence[str], sizes: dict[str, int], is_pooled: bool) -> str:
    shown = first_of([f"{code!r} ({counted(sizes[code], 'rows')})" for code in rare])
    what = (
        f"are pooled as {POOLED!r}"
        if is_pooled
        else "have no model of their own; their rows count as bad ones that no code looks for"
    )
    return f"Codes of {target!r} with fewer than {LEAST_ROWS} rows {what}: {shown}."
