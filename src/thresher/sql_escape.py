"""Names, texts and numbers as SQL: the only place that escapes them.

Free of imports from the package, so that any layer may use it.
"""

from decimal import Decimal

SHORT = 15
"""Digits of a decimal that any engine takes as they are."""

WORD = 2.0**53


def identifier(name: str) -> str:
    """Return the name of a column or table in double quotes, as standard SQL has it.

    >>> identifier('6" pipe')
    '"6"" pipe"'
    """
    return '"' + name.replace('"', '""') + '"'


def bracketed(name: str) -> str:
    """Return a name in the brackets of SQL Server.

    >>> print(bracketed("torque [Nm]"))
    [torque [Nm]]]
    """
    return "[" + name.replace("]", "]]") + "]"


def text(value: str) -> str:
    """Return a text in single quotes, as standard SQL has it.

    >>> print(text("it's"))
    'it''s'
    """
    return "'" + value.replace("'", "''") + "'"


def text_with_backslashes(value: str) -> str:
    r"""Return a text where a backslash escapes the next character (Snowflake).

    >>> print(text_with_backslashes("a\\b"))
    'a\\b'
    """
    return text(value.replace("\\", "\\\\"))


def text_of_postgresql(value: str) -> str:
    r"""Return a text that PostgreSQL reads in the same way under any of its settings.

    >>> print(text_of_postgresql("plain"), text_of_postgresql("a\\b"))
    'plain' E'a\\b'
    """
    return f"E{text_with_backslashes(value)}" if "\\" in value else text(value)


def text_of_sqlserver(value: str) -> str:
    r"""Return a Unicode text for SQL Server, where a backslash before a line end joins the lines.

    >>> print(text_of_sqlserver("it's"))
    N'it''s'
    """
    broken = text(value).replace("\\\r", "\\' + N'\r").replace("\\\n", "\\' + N'\n")
    return f"(N{broken})" if broken != text(value) else f"N{broken}"


def number(value: float) -> str:
    """Return a number with an exponent, which makes it a double and not a decimal.

    >>> number(11.2), number(-0.0), number(1e-300)
    ('11.2E0', '0.0E0', '1e-300')
    """
    digits = repr(float(value) + 0.0)
    return digits if "e" in digits else f"{digits}E0"


def exact_number(value: float) -> str:
    """Return a number for engines whose reading of long decimals may be off by the last bit.

    SQLite rounds twice, for instance. A decimal that is the number itself stays; any other number
    becomes a whole number times or over powers of two.

    >>> exact_number(19.5), exact_number(1 / 3)
    ('19.5E0', '(6004799503160661 / 9007199254740992.0 / 2.0)')
    """
    if _is_short(value):
        return number(value)
    numerator, denominator = float(value).as_integer_ratio()
    shift = _twos(numerator)
    factors = [f" * {factor!r}" for factor in _powers(1 << shift)]
    factors += [f" / {factor!r}" for factor in _powers(denominator)]
    return f"({numerator >> shift}{''.join(factors)})"


def _is_short(value: float) -> bool:
    """Whether a few decimal digits are the number itself, so that reading them rounds nothing."""
    digits = Decimal(repr(float(value)))
    return digits == Decimal(float(value)) and len(digits.as_tuple().digits) <= SHORT


def _twos(numerator: int) -> int:
    """Return how often a whole number can be halved."""
    return max((numerator & -numerator).bit_length() - 1, 0)


def _powers(power: int) -> list[float]:
    """Return factors of a power of two, each of which any engine reads right."""
    found = []
    while power > 1:
        factor = min(power, int(WORD))
        found.append(float(factor))
        power //= factor
    return found


def refuse_unwritable(kind: str, value: str) -> None:
    """Raise on what no database takes: a zero byte, half a character, an empty name."""
    if "\0" in value:
        raise ValueError(f"The {kind} {value!r} holds a zero byte, which SQL has no way to write.")
    if any("\ud800" <= character <= "\udfff" for character in value):
        raise ValueError(f"The {kind} {value!r} is no valid Unicode; correct it.")
    if kind == "name" and not value:
        raise ValueError("A column or table without a name cannot be exported to SQL; rename it.")
