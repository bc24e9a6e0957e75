"""How numbers are written: the decimal mark, the mark between thousands, a unit behind them."""

import re
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


UNCLEAR_FORMS = (Form.POINT_UNCLEAR, Form.COMMA_UNCLEAR)


class Written(NamedTuple):
    """A number as it is written: its digits with their marks, what stands behind, and its form."""

    sign: str
    digits: str
    unit: str
    form: Form

    def value(self, notation: Notation) -> float | None:
        """Return the number, None where this notation does not write it so."""
        digits, _, exponent = self.digits.lower().partition("e")
        decimal = notation.decimal
        if decimal == EITHER:
            decimal = COMMA if COMMA in digits else POINT
        whole, _, part = digits.partition(decimal)
        if whole and not whole.isdigit():
            found = _GROUPS.fullmatch(whole)
            # The spaces are one mark, and so are the apostrophes.
            thousands = notation.thousands
            families = (one for one in (APOSTROPHES, SPACES) if thousands and thousands in one)
            if found is None or found["mark"] not in next(families, thousands):
                return None
            whole = whole.replace(found["mark"], "")
        if (part and not part.isdigit()) or not (whole or part):
            return None
        return float(f"{self.sign}{whole or '0'}.{part or '0'}e{exponent or '0'}")


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
    is_point, grouped = marks[-1] == POINT, _GROUPS.fullmatch(digits)
    if set(marks) in ({POINT}, {COMMA}):
        if len(marks) > 1:
            return None if grouped is None else Form.POINT_GROUPS if is_point else Form.COMMA_GROUPS
        if grouped is not None and digits[0] != "0":
            return Form.POINT_UNCLEAR if is_point else Form.COMMA_UNCLEAR
        return Form.POINT_DECIMAL if is_point else Form.COMMA_DECIMAL
    if marks[-1] in (POINT, COMMA) and marks.count(marks[-1]) == 1:
        if _GROUPS.fullmatch(digits.rpartition(marks[-1])[0]) is None:
            return None
        return Form.POINT_DECIMAL if is_point else Form.COMMA_DECIMAL
    other = set(marks) - {POINT, COMMA}
    return Form.GROUPS if len(other) == 1 and grouped is not None else None


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


def decimal_mark(
    column: Evidence, others: Evidence, default: str | None, fitting: str | None = None
) -> str | None:
    """Return the decimal mark of a column by its own numbers, then by those of the others.

    Where no number of the table tells, it is `fitting`, with which the numbers lie in the training
    range, otherwise `default`; None: nobody can tell.

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
            return fitting if evidence is others else None
        if evidence is column:
            if not (column.point_unclear or column.comma_unclear):
                return POINT
            if column.point_unclear and column.comma_unclear:
                return None
            # Whole numbers that have marks from 1,000 on and none below.
            unclear = column.point_unclear + column.comma_unclear
            if column.plain_large == 0 and column.plain_small >= 3 and unclear >= 3:
                return COMMA if column.point_unclear else POINT
    return fitting or default
