"""How numbers are written: the decimal mark, the mark between thousands, a unit behind them."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

POINT, COMMA = ".", ","
EITHER = ".,"
"""The decimal marks of a column in which people have typed both."""
APOSTROPHES = "'\u2019`\u00b4"
SPACES = " \u00a0\u202f\u2009"
MARKS = f"{POINT}{COMMA}{APOSTROPHES}{SPACES}"

REMARKS = ("*", "**", "!")
"""What some programs put behind a number that somebody should look at."""

_SIGNS = str.maketrans({"\u2212": "-", "\u2013": "-", "\ufe63": "-", "\uff0d": "-"})
_UNSIGNED = re.compile(
    rf"[0-9][0-9{re.escape(MARKS)}]*(?:[eE][+-]?[0-9]+)?|[.,][0-9]+(?:[eE][+-]?[0-9]+)?"
)
_NUMBER = re.compile(rf"(?P<sign>[+-]?)\s*(?P<body>{_UNSIGNED.pattern})(?P<rest>.*)", re.DOTALL)
_GROUPS = re.compile(r"[0-9]{1,3}(?:(?P<mark>[^0-9])[0-9]{3})(?:(?P=mark)[0-9]{3})*")


@dataclass(frozen=True)
class Notation:
    """The marks of a column of numbers; `thousands` is "" where there are none."""

    decimal: str = POINT
    thousands: str = ""

    def __str__(self) -> str:
        if self.decimal == EITHER:
            return "1.5 or 1,5"
        return f"1{self.thousands}234{self.decimal}5"


class Form(Enum):
    """What the marks of one number tell of its notation."""

    PLAIN = "digits alone"
    POINT_DECIMAL = "a decimal point"
    COMMA_DECIMAL = "a decimal comma"
    POINT_GROUPS = "points between thousands"
    COMMA_GROUPS = "commas between thousands"
    POINT_UNCLEAR = "one point before three digits"
    COMMA_UNCLEAR = "one comma before three digits"
    GROUPS = "another mark between thousands, and no decimals"


class Written(NamedTuple):
    """A number as it is written: its digits with their marks, what stands behind, and its form."""

    sign: str
    digits: str
    unit: str
    form: Form

    @property
    def is_sure(self) -> bool:
        """Whether its own marks tell which one is the decimal mark."""
        return self.form in (Form.POINT_DECIMAL, Form.COMMA_DECIMAL)

    def value(self, notation: Notation) -> float | None:
        """Return the number, None where this notation does not write it so."""
        digits, _, exponent = self.digits.lower().partition("e")
        decimal = notation.decimal
        if decimal == EITHER:
            decimal = COMMA if COMMA in digits else POINT
        whole, mark, part = digits.partition(decimal)
        groups = _ungrouped(whole, notation)
        if groups is None or (mark and not part.isdigit() and part):
            return None
        if not groups and not part:
            return None
        return float(f"{self.sign}{groups or '0'}.{part or '0'}e{exponent or '0'}")


def _ungrouped(whole: str, notation: Notation) -> str | None:
    """Return digits without the marks between thousands."""
    if not whole or whole.isdigit():
        return whole
    found = _GROUPS.fullmatch(whole)
    if found is None or not _is_same(found["mark"], notation.thousands):
        return None
    return whole.replace(found["mark"], "")


def _is_same(mark: str, thousands: str) -> bool:
    """Whether two marks are one; the spaces are, and so are the apostrophes."""
    families = (APOSTROPHES, SPACES)
    return mark == thousands or any(
        mark in family and thousands != "" and thousands in family for family in families
    )


def written(text: str) -> Written | None:
    """Take apart what begins with a number, None for other texts.

    >>> written("1.234,5 Nm")
    Written(sign='', digits='1.234,5', unit='Nm', form=<Form.COMMA_DECIMAL: 'a decimal comma'>)
    >>> written("12.5-").sign, written("M8")
    ('-', None)
    """
    text = text.strip().translate(_SIGNS)
    before = text[:1] if text[:1] in "€$£" else ""
    found = _NUMBER.fullmatch(text.removeprefix(before).lstrip() if before else text)
    if found is None:
        return None
    sign, rest = found["sign"].replace("+", ""), found["rest"]
    body = found["body"]
    digits = body.rstrip(SPACES)
    if rest == "-" and not sign:  # SAP writes a minus behind the number
        sign, rest = "-", ""
    unit = (before or (body[len(digits) :] + rest)).strip()
    unit = "" if unit in REMARKS else unit
    form = _form(digits)
    return None if form is None else Written(sign, digits, unit, form)


def _form(digits: str) -> Form | None:
    """Return what the marks of a number tell; None where no notation has such marks."""
    digits = digits.lower().partition("e")[0]
    marks = [letter for letter in digits if not letter.isdigit()]
    if not marks:
        return Form.PLAIN
    if set(marks) <= {POINT} or set(marks) <= {COMMA}:
        return _one_mark(digits, marks)
    if marks[-1] in (POINT, COMMA) and marks.count(marks[-1]) == 1:
        groups = digits.rpartition(marks[-1])[0]
        is_grouped = _GROUPS.fullmatch(groups) is not None
        is_point = marks[-1] == POINT
        return (Form.POINT_DECIMAL if is_point else Form.COMMA_DECIMAL) if is_grouped else None
    other = set(marks) - {POINT, COMMA}
    return Form.GROUPS if len(other) == 1 and _GROUPS.fullmatch(digits) else None


def _one_mark(digits: str, marks: list[str]) -> Form | None:
    is_point = marks[0] == POINT
    grouped = _GROUPS.fullmatch(digits)
    if len(marks) > 1:
        return None if grouped is None else Form.POINT_GROUPS if is_point else Form.COMMA_GROUPS
    if grouped is not None and digits[0] != "0":
        return Form.POINT_UNCLEAR if is_point else Form.COMMA_UNCLEAR
    return Form.POINT_DECIMAL if is_point else Form.COMMA_DECIMAL


class Evidence(NamedTuple):
    """How many rows speak for each mark, and how many have digits alone, below 1,000 or not."""

    point_decimal: int = 0
    comma_decimal: int = 0
    point_groups: int = 0
    comma_groups: int = 0
    point_unclear: int = 0
    comma_unclear: int = 0
    plain_small: int = 0
    plain_large: int = 0

    def __add__(self, other: "Evidence") -> "Evidence":  # type: ignore[override]
        return Evidence(*(one + more for one, more in zip(self, other, strict=True)))

    @property
    def says_point(self) -> int:
        """Rows that are only right with a decimal point."""
        return self.point_decimal + self.comma_groups

    @property
    def says_comma(self) -> int:
        """Rows that are only right with a decimal comma."""
        return self.comma_decimal + self.point_groups


def evidence_of(numbers: Iterable[tuple[Written, int]]) -> Evidence:
    """Count what the numbers of a column, each with its rows, tell of their marks."""
    counts = dict.fromkeys(Evidence._fields, 0)
    for number, rows in numbers:
        name = number.form.name.lower()
        if number.form is Form.PLAIN:
            name = "plain_small" if len(number.digits) < 4 else "plain_large"
        if name in counts:
            counts[name] += rows
    return Evidence(**counts)


def decimal_mark(column: Evidence, others: Evidence, default: str | None) -> str | None:
    """Return the decimal mark of a column by its own numbers, then by those of the others.

    `default` decides where no number of the table tells; None: nobody can.

    >>> decimal_mark(Evidence(point_unclear=9), Evidence(comma_decimal=20), None)
    ','
    >>> decimal_mark(Evidence(point_unclear=9), Evidence(), None) is None
    True
    """
    for evidence in (column, others):
        if evidence.says_point and evidence.says_point > 19 * evidence.says_comma:
            return POINT
        if evidence.says_comma and evidence.says_comma > 19 * evidence.says_point:
            return COMMA
        if evidence.says_point and evidence.says_comma:
            return None
        if evidence is column:
            if not (column.point_unclear or column.comma_unclear):
                return POINT
            if column.point_unclear and column.comma_unclear:
                return None
            if _looks_grouped(column):
                return COMMA if column.point_unclear else POINT
    return default


def _looks_grouped(column: Evidence) -> bool:
    """Whether whole numbers have marks from 1,000 on and none below."""
    unclear = column.point_unclear + column.comma_unclear
    return column.plain_large == 0 and column.plain_small >= 3 and unclear >= 3
