"""Names and numbers as a reader sees them; the page's script writes numbers the same way."""

import re
import unicodedata
from collections.abc import Iterable
from decimal import ROUND_HALF_UP, Decimal
from math import isfinite, log10
from typing import Any

MAX_NAME_LENGTH, MAX_TEXT_LENGTH = 60, 400
FIRST_STRONG_ISOLATE, END_OF_ISOLATE = "\u2068", "\u2069"
NOTHING, SPACE = "-", "\u00a0"
"""What stands where there is no value; a space at which no line breaks."""

_TURNING = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
_RIGHT_TO_LEFT = {"R", "AL", "AN"}


def name(text: Any, longest: int = MAX_NAME_LENGTH) -> str:
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


_HIDDEN = re.compile(
    "[\\0-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066\\u2067\\ud800-\\udfff]"
)
"""What steers a terminal or turns the text around it; tab, line feed and isolates do neither."""


def visible(text: str) -> str:
    r"""Return text for a terminal: characters that would steer it show as escapes.

    >>> print(visible("torque\x1b[31m, \x9bK"))
    torque\x1b[31m, \x9bK
    """
    return _HIDDEN.sub(lambda found: ascii(found[0])[1:-1], text)


def visible_json(text: str) -> str:
    r"""Return JSON that says the same, with the escapes of JSON for what would steer a terminal.

    >>> print(visible_json('"\x9bK"'))
    "\u009bK"
    """
    return _HIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def storable(text: str) -> str:
    r"""Return text that frames, files and databases hold: half a character shows as its escape.

    >>> print(storable("spe\ud800ed"))
    spe\ud800ed
    """
    return text.encode(errors="backslashreplace").decode()


def shortened(text: str, longest: int) -> str:
    """Leave out the middle of a long text.

    >>> shortened("abcdefghij", 6)
    'abc…ij'
    """
    if len(text) <= longest:
        return text
    end = (longest - 1) * 2 // 5
    return f"{text[: longest - 1 - end]}…{text[len(text) - end :]}"


def quoted(value: Any, longest: int = MAX_NAME_LENGTH) -> str:
    """Return a value as messages quote it: on one line, with the middle of a long one left out.

    >>> quoted("lathe 3"), quoted(10**5000)
    ("'lathe 3'", 'a number of 5,001 digits')
    """
    try:
        text = repr(value)
    except ValueError:  # Python writes no integer of so many digits
        if not isinstance(value, int):
            return f"an object of the type {type(value).__name__}"
        return f"a number of {int(log10(abs(value))) + 1:,} digits"
    return shortened(" ".join(text.split()), longest)


def fixed(value: float, decimals: int) -> str:
    """Return a number with so many decimals; a tie goes up, as in the page's script.

    >>> fixed(6.25, 1), fixed(1234.5, 0), fixed(-0.04, 1)
    ('6.3', '1,235', '0.0')
    """
    places = Decimal(1).scaleb(-decimals)
    rounded = Decimal(value).quantize(places, rounding=ROUND_HALF_UP)
    return f"{abs(rounded) if rounded == 0 else rounded:,}"


def percent(share: float | None) -> str:
    """Return a share: one decimal from 10 % on, two digits below, below 0.1 % in ppm.

    >>> [percent(share).replace(SPACE, " ") for share in (0.125, 0.0088, 0.00034, 0.0)]
    ['12.5 %', '0.88 %', '340 ppm', '0 %']
    """
    if _is_absent(share):
        return NOTHING
    value = float(share or 0.0)
    if value >= 0.01:
        return f"{fixed(100.0 * value, 1)}{SPACE}%"
    if 0.0 < value < 0.000995:
        return f"{two_digits(1e6 * value)}{SPACE}ppm"
    return f"{two_digits(100.0 * value)}{SPACE}%"


def share(value: float) -> str:
    """Return a share: whole from 10 to 99 %, one decimal beside, two digits below 1 %.

    "0 %" and "100 %" are none and all.

    >>> [plain(share(value)) for value in (0.0, 0.00134, 0.034, 0.353, 0.996, 0.9999, 1.0)]
    ['0 %', '0.13 %', '3.4 %', '35 %', '99.6 %', '99.9 %', '100 %']
    """
    scaled = 100.0 * value
    if value < 0.0995:
        return f"{two_digits(scaled)}{SPACE}%"
    text = fixed(min(scaled, 99.9), 1) if 0.99 < value < 1.0 else fixed(scaled, 0)
    return f"{text}{SPACE}%"


def plain(text: str) -> str:
    """Return a text for a terminal or a program, where every space is an ordinary one."""
    return text.replace(SPACE, " ")


def two_digits(value: float) -> str:
    """Return a number with two digits that count; a tie goes up.

    >>> two_digits(0.8849), two_digits(346.0), two_digits(7.0), two_digits(0.0)
    ('0.88', '350', '7.0', '0')
    """
    if value <= 0.0:
        return "0"
    exact = Decimal(value)
    rounded = exact.quantize(Decimal(1).scaleb(exact.adjusted() - 1), rounding=ROUND_HALF_UP)
    return f"{rounded:,.{max(0, 1 - rounded.adjusted())}f}"


def threshold(value: float) -> str:
    """Return a threshold: three decimals, two digits where it is small.

    >>> threshold(0.7656), threshold(0.00088), threshold(0.0)
    ('0.766', '0.00088', '0')
    """
    return fixed(value, 3) if value >= 0.01 else two_digits(value)


def price(value: float) -> str:
    """Return a cost: whole where it is, with separated thousands.

    >>> price(1234567.0), price(2.5)
    ('1,234,567', '2.5')
    """
    return f"{value:,.15g}"


def counted(number_of: int, plural: str) -> str:
    """Return a number of things whose name is given in the plural.

    >>> counted(1, "parts"), counted(1200, "batches"), counted(1, "entries")
    ('1 part', '1,200 batches', '1 entry')
    """
    return f"{number_of:,} {singular(plural) if number_of == 1 else plural}"


MASS_NOUNS = frozenset({"scrap", "fraud", "waste", "rework", "churn", "spam", "leakage"})
YES = frozenset({"1", "1.0", "true", "yes", "y", "t"})
RARE_CASES = "rare cases"


def class_name(target: str | None, positive: object) -> str:
    """Return what people call positive rows: the name of the target where it says so.

    >>> class_name("scrap", 1), class_name("Machine failure", 1), class_name(None, 1)
    ('scrap', 'rare cases', 'rare cases')
    """
    is_name = str(target).lower() in MASS_NOUNS and str(positive).lower() in YES
    return name(target, 40) if is_name else RARE_CASES


def verb(number_of: int, plural: str) -> str:
    """Return a verb as a number of things asks for it; it is given in the plural.

    >>> verb(1, "are"), verb(1, "meet"), verb(2, "meet")
    ('is', 'meets', 'meet')
    """
    if number_of != 1:
        return plural
    return {"are": "is", "were": "was"}.get(plural, f"{plural}s")


def singular(plural: str) -> str:
    """Return the singular of a plural, as far as English is regular."""
    for ending, one in (("ies", "y"), ("ches", "ch"), ("shes", "sh"), ("sses", "ss"), ("xes", "x")):
        if plural.endswith(ending):
            return plural.removesuffix(ending) + one
    return plural.removesuffix("s")


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


def p_words(value: float, least: float = 0.0) -> str:
    """Return a p-value with its sign; `least` is what its test cannot go below.

    >>> p_words(0.0004), p_words(0.03), p_words(0.01, least=0.01)
    ('p < 0.001', 'p = 0.030', 'p <= 0.01')
    """
    if least and value <= least:
        return f"p <= {least:.2g}"
    return f"p {'= ' if value >= 0.001 else ''}{probability(value)}"


def listed(texts: Iterable[str], last: str = "and") -> str:
    """Return a list in words.

    >>> listed(["flow", "leak", "noise"])
    'flow, leak and noise'
    """
    *first, end = list(texts)
    return f"{', '.join(first)} {last} {end}" if first else end


def first_of(names: Iterable[Any], most: int = 8) -> str:
    """Return names in one line, the first of them where there are many.

    >>> first_of(["a", "b", "c"], most=2)
    'a, b and 1 more'
    """
    texts = [shortened(" ".join(str(name).split()), MAX_NAME_LENGTH) for name in names]
    shown = ", ".join(texts[:most])
    return shown if len(texts) <= most else f"{shown} and {len(texts) - most} more"


def ends_of(names: Iterable[Any], first: int = 16, last: int = 8) -> str:
    """Return names in one line; of many the first and the last, where a target often stands.

    >>> ends_of("abcdef", first=2, last=2), ends_of("abcd", first=2, last=2)
    ('a, b, ... (2 more) ..., e, f', 'a, b, c, d')
    """
    texts = [shortened(" ".join(str(name).split()), MAX_NAME_LENGTH) for name in names]
    hidden = len(texts) - first - last
    if hidden > 0:
        texts[first : first + hidden] = [f"... ({hidden} more) ..."]
    return ", ".join(texts)


def digits(value: float) -> str:
    """Return a number with six digits that count, the whole part of a large one in full.

    >>> digits(11.2), digits(1834561.5), digits(1e6), digits(2.5e-7)
    ('11.2', '1834561.5', '1000000', '2.5e-07')
    """
    text = f"{value:.6g}"
    is_plain = "e+" not in text or abs(value) >= 1e15
    return text if is_plain else f"{value:.1f}".removesuffix(".0")


def finite(value: Any) -> float | None:
    """Return a number that JSON can hold, None for others."""
    return None if _is_absent(value) else float(value)


def _is_absent(value: Any) -> bool:
    return value is None or not isfinite(value)
