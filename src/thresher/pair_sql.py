"""A column made of two others as an expression of SQL, NULL wherever it is missing.

Databases differ in what they do where a result is infinite: some hand out infinity, some NULL, and
some end the query. So the expression asks first, with numbers made smaller by powers of two,
which is exact; what would be infinite is then never computed.
"""

from collections.abc import Callable

from thresher.pair import NamedPair
from thresher.sql_escape import identifier

Number = Callable[[float], str]

SCALE = 2.0**-512
JUST_BELOW_ONE = 1.0 - 2.0**-53
"""The largest double times 2^-1024."""
HALF_OF_LARGEST = 2.0**1023 * JUST_BELOW_ONE


def guarded(operation: str, left: str, right: str, number: Number) -> str:
    """Return the expression for two columns of doubles; `number` writes literals.

    >>> print(guarded("ratio", "a", "b", str)[:45])
    CASE WHEN b = 0.0 THEN NULL WHEN ABS(b) < 1.0
    """
    if operation == "product":
        return _product(left, right, number)
    if operation == "ratio":
        return _ratio(left, right, number)
    return _sum(left, right, number, operation)


def _product(left: str, right: str, number: Number) -> str:
    one, scale = number(1.0), number(SCALE)
    # If one factor is at most 1, the product is no larger than the other one.
    return (
        f"CASE WHEN ABS({left}) > {one} AND ABS({right}) > {one} "
        f"THEN CASE WHEN ABS(({left} * {scale}) * ({right} * {scale})) > {number(JUST_BELOW_ONE)} "
        f"THEN NULL ELSE {left} * {right} END ELSE {left} * {right} END"
    )


def _ratio(left: str, right: str, number: Number) -> str:
    one, zero, scale = number(1.0), number(0.0), number(SCALE)
    ratio = f"{left} / {right}"
    scaled = f"ABS(({left} * {scale}) / ({right} * {number(1.0 / SCALE)}))"
    # Over a denominator of 2^-1074, the least there is, a smaller numerator gives a finite ratio.
    small = number(2.0**-51)
    return (
        f"CASE WHEN {right} = {zero} THEN NULL "
        f"WHEN ABS({right}) < {one} AND ABS({left}) > {small} THEN "
        f"CASE WHEN ABS({left}) >= {one} AND ABS({right}) * {number(2.0**1022)} <= {number(0.25)} "
        f"THEN NULL WHEN {scaled} > {number(JUST_BELOW_ONE)} THEN NULL ELSE {ratio} END "
        f"ELSE {ratio} END"
    )


def _sum(left: str, right: str, number: Number, operation: str) -> str:
    one, half = number(1.0), number(0.5)
    sign = "+" if operation == "sum" else "-"
    found = f"{left} {sign} {right}"
    found = f"ABS({found})" if operation == "distance" else found
    halved = f"ABS({left} * {half} {sign} {right} * {half})"
    return (
        f"CASE WHEN ABS({left}) > {one} AND ABS({right}) > {one} "
        f"THEN CASE WHEN {halved} > {number(HALF_OF_LARGEST)} THEN NULL ELSE {found} END "
        f"ELSE {found} END"
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
