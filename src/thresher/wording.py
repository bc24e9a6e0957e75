"""Names and numbers as a reader sees them; the page's script writes numbers the same way."""

import unicodedata
from collections.abc import Iterable
from decimal import ROUND_HALF_UP, Decimal
from math import isfinite
from typing import Any

LONGEST_NAME, LONGEST_TEXT = 60, 400
FIRST_STRONG_ISOLATE, END_OF_ISOLATE = "\u2068", "\u2069"
NOTHING, SPACE = "-", "\u00a0"
"""What stands where there is no value; a space at which no line breaks."""

_TURNING = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
_RIGHT_TO_LEFT = {"R", "AL", "AN"}


def name(text: Any, longest: int = LONGEST_NAME) -> str:
    r"""Return a name on one line, without characters that hide or turn what stands around it.

    Text that runs from right to left is isolated, so that `<=` and numbers stay where they are.

    >>> name("torque\n3"), len(name("a" * 99)), name("")
    ('torque 3', 60, '(no name)')
    """
    clean = " ".join("".join(map(_harmless, str(text))).split()) or "(no name)"
    short = shortened(clean, longest)
    if any(unicodedata.bidirectional(letter) in _RIGHT_TO_LEFT for letter in short):
        return f"{FIRST_STRONG_ISOLATE}{short}{END_OF_ISOLATE}"
    return short


def _harmless(letter: str) -> str:
    if letter.isspace():
        return " "
    if unicodedata.category(letter) in ("Cc", "Cs", "Cn", "Co"):
        return "\ufffd"
    return "" if unicodedata.bidirectional(letter) in _TURNING else letter


def shortened(text: str, longest: int) -> str:
    """Leave out the middle of a long text.

    >>> shortened("abcdefghij", 6)
    'abc…ij'
    """
    if len(text) <= longest:
        return text
    end = (longest - 1) * 2 // 5
    return f"{text[: longest - 1 - end]}…{text[len(text) - end :]}"


def fixed(value: float, decimals: int) -> str:
    """Return a number with so many decimals; a tie goes up, as in the page's script.

    >>> fixed(6.25, 1), fixed(1234.5, 0), fixed(-0.04, 1)
    ('6.3', '1,235', '0.0')
    """
    places = Decimal(1).scaleb(-decimals)
    rounded = Decimal(value).quantize(places, rounding=ROUND_HALF_UP)
    return f"{abs(rounded) if rounded == 0 else rounded:,}"


def percent(share: float | None, decimals: int = 1) -> str:
    """Return a share in per cent.

    >>> percent(0.125).replace(SPACE, " "), percent(None)
    ('12.5 %', '-')
    """
    if _is_absent(share):
        return NOTHING
    return f"{fixed(100.0 * float(share or 0.0), decimals)}{SPACE}%"


def number(value: float | None, decimals: int = 0) -> str:
    """Return a number with separated thousands."""
    return NOTHING if _is_absent(value) else fixed(float(value or 0.0), decimals)


def probability(value: float | None) -> str:
    """Return a p-value.

    >>> probability(0.0004), probability(0.03)
    ('< 0.001', '0.030')
    """
    if value is not None and 0 <= value < 0.001:
        return "< 0.001"
    return number(value, 3)


def out_of(share: float, whole: int = 100) -> str:
    """Return a share as a plain count, at least one decimal where it would read as none or all.

    >>> out_of(0.716), out_of(0.002)
    ('72 of 100', '0.2 of 100')
    """
    is_extreme = 0 < share < 0.5 / whole or 1 - 0.5 / whole <= share < 1
    return f"{fixed(whole * share, 1 if is_extreme else 0)} of {whole}"


def listed(texts: Iterable[str], last: str = "and") -> str:
    """Return a list in words.

    >>> listed(["flow", "leak", "noise"])
    'flow, leak and noise'
    """
    *first, end = list(texts)
    return f"{', '.join(first)} {last} {end}" if first else end


def finite(value: Any) -> float | None:
    """Return a number that JSON can hold, None for others."""
    return None if _is_absent(value) else float(value)


def _is_absent(value: Any) -> bool:
    return value is None or not isfinite(value)
