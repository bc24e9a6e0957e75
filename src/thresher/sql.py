"""Names, texts, numbers and columns made of two others as SQL: the only place that escapes them."""

from collections.abc import Callable
from decimal import Decimal

from thresher.pair import NamedPair

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
    digits = Decimal(repr(float(value)))
    # A few decimal digits that are the number itself: reading them rounds nothing.
    if digits == Decimal(float(value)) and len(digits.as_tuple().digits) <= SHORT:
        return number(value)
    numerator, denominator = float(value).as_integer_ratio()
    # How often the numerator can be halved.
    shift = max((numerator & -numerator).bit_length() - 1, 0)
    factors = [f" * {factor!r}" for factor in _powers(1 << shift)]
    factors += [f" / {factor!r}" for factor in _powers(denominator)]
    return f"({numerator >> shift}{''.join(factors)})"


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


Number = Callable[[float], str]

SCALE = 2.0**-512
JUST_BELOW_ONE = 1.0 - 2.0**-53
"""The largest double times 2^-1024."""
HALF_OF_LARGEST = 2.0**1023 * JUST_BELOW_ONE


def guarded(operation: str, left: str, right: str, number: Number) -> str:
    """Return the expression for two columns of doubles, NULL wherever it is missing.

    Databases differ in what they do where a result is infinite: some hand out infinity, some NULL,
    and some end the query. So the expression asks first, with numbers made smaller by powers of
    two, which is exact; what would be infinite is then never computed. `number` writes literals.

    >>> print(guarded("ratio", "a", "b", str)[:45])
    CASE WHEN b = 0.0 THEN NULL WHEN ABS(b) < 1.0
    """
    one, scale, just_below_one = number(1.0), number(SCALE), number(JUST_BELOW_ONE)
    if operation == "ratio":
        ratio = f"{left} / {right}"
        scaled = f"ABS(({left} * {scale}) / ({right} * {number(1.0 / SCALE)}))"
        # Over a denominator of 2^-1074, the least there is, a smaller numerator is finite.
        small = number(2.0**-51)
        return (
            f"CASE WHEN {right} = {number(0.0)} THEN NULL "
            f"WHEN ABS({right}) < {one} AND ABS({left}) > {small} THEN CASE "
            f"WHEN ABS({left}) >= {one} AND ABS({right}) * {number(2.0**1022)} <= {number(0.25)} "
            f"THEN NULL WHEN {scaled} > {just_below_one} THEN NULL ELSE {ratio} END "
            f"ELSE {ratio} END"
        )
    # If one part is at most 1, the result is no larger than the other part, or rounds to it.
    if operation == "product":
        result = f"{left} * {right}"
        is_infinite = f"ABS(({left} * {scale}) * ({right} * {scale})) > {just_below_one}"
    else:
        sign, half = "+" if operation == "sum" else "-", number(0.5)
        result = f"{left} {sign} {right}"
        result = f"ABS({result})" if operation == "distance" else result
        halved = f"ABS({left} * {half} {sign} {right} * {half})"
        is_infinite = f"{halved} > {number(HALF_OF_LARGEST)}"
    return (
        f"CASE WHEN ABS({left}) > {one} AND ABS({right}) > {one} "
        f"THEN CASE WHEN {is_infinite} THEN NULL ELSE {result} END ELSE {result} END"
    )


def readable(pair: NamedPair) -> str:
    """Return the expression for people, in standard SQL; numbers beyond 10^308 are not looked for.

    >>> print(readable(NamedPair("force", "ratio", "area")))
    (CAST("force" AS DOUBLE PRECISION) / NULLIF(CAST("area" AS DOUBLE PRECISION), 0))
    """
    left, right = (f"CAST({identifier(part)} AS DOUBLE PRECISION)" for part in pair[::2])
    if pair.operation == "distance":
        return f"ABS({left} - {right})"
    if pair.operation == "ratio":
        return f"({left} / NULLIF({right}, 0))"
    sign = {"product": "*", "difference": "-", "sum": "+"}[pair.operation]
    return f"({left} {sign} {right})"
