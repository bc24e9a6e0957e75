"""What speaks for and against the positive class, in words."""

from math import isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.column import Levels, Matrix
from thresher.explain.weighed import Floats, WeighedTrees
from thresher.matrix import Columns
from thresher.wording import two_digits

NOISE = 1e-9
"""What is smaller, of a row's largest contribution, is rounding and no reason."""
PRESENT_ONLY = float(np.finfo(np.float64).max)
"""The cut of a split "missing against present": every number is at most this."""


def reasons(
    trees: WeighedTrees, columns: Columns, matrix: Matrix, top: int, n_threads: int = 1
) -> list[list[str]]:
    """Return for each row its largest contributions in words, at most `top` of them."""
    found = trees.contributions(matrix, n_threads)[:, :-1]
    chosen = largest(found, top)
    cuts = trees.named_cuts(matrix, chosen, n_threads)
    texts = []
    for row, places in enumerate(chosen.tolist()):
        named = [(k, place) for k, place in enumerate(places) if place >= 0]
        texts.append(
            [
                f"{_condition(columns, place, float(matrix[row, place]), *_cut(cuts, row, k))}: "
                f"{signed(float(found[row, place]))}"
                for k, place in named
            ]
        )
    return texts


def largest(contributions: Floats, top: int) -> NDArray[np.int32]:
    """Return the columns of each row's largest contributions, -1 where there are fewer.

    >>> largest(np.array([[0.1, -0.3, 0.0], [0.0, 0.0, 0.0]]), 2)
    array([[ 1,  0], [-1, -1]], dtype=int32)
    """
    size = np.abs(contributions)
    order = np.argsort(-size, axis=1, kind="stable")[:, :top]
    ordered = np.take_along_axis(size, order, axis=1)
    is_reason = ordered > NOISE * ordered[:, :1]
    return np.ascontiguousarray(np.where(is_reason, order, -1), dtype=np.int32)


def signed(contribution: float) -> str:
    """Return a contribution with its sign and two digits that count.

    >>> signed(0.3149), signed(-0.00424), signed(12.0)
    ('+0.31', '-0.0042', '+12')
    """
    return ("-" if contribution < 0.0 else "+") + two_digits(abs(contribution))


def _cut(cuts: Any, row: int, place: int) -> tuple[float, bool]:
    return float(cuts.cut[row, place]), bool(cuts.above[row, place])


def _condition(columns: Columns, place: int, value: float, cut: float, above: bool) -> str:
    name, levels = columns.wide_names[place], columns.wide_levels[place]
    if isnan(value):
        return f"{name} missing"
    if levels is not None:
        return f"{name} = {_level(levels, value)}"
    if isnan(cut) or abs(cut) == PRESENT_ONLY:
        return f"{name} {short(value, 4)}"
    value_text, cut_text = told_apart(value, cut)
    return f"{name} {value_text} {'>' if above else '<='} {cut_text}"


def _level(levels: Levels, code: float) -> str:
    level = levels[int(code)] if 0 <= code < len(levels) else code
    return short(level, 6) if isinstance(level, float) else str(getattr(level, "value", level))


def told_apart(value: float, cut: float) -> tuple[str, str]:
    """Return a value and a cut with as many digits as tell on which side the value is, 4 at least.

    >>> told_apart(63.1, 61.5), told_apart(0.123456, 0.123452), told_apart(20250714.0, 20250713.5)
    (('63.1', '61.5'), ('0.12346', '0.12345'), ('20250714', '20250713.5'))
    """
    for digits in range(4, 18):
        texts = short(value, digits), short(cut, digits)
        rounded = float(texts[0]), float(texts[1])
        if (rounded[0] > rounded[1]) == (value > cut) and (rounded[0] != rounded[1]) == (
            value != cut
        ):
            return texts
    return repr(value), repr(cut)


def short(value: float, digits: int) -> str:
    """Return a number with so many digits that count, the whole part of a large one in full.

    >>> short(63.14159, 4), short(1834561.5, 4), short(2.5e-7, 4)
    ('63.14', '1834562', '2.5e-07')
    """
    text = f"{value:.{digits}g}"
    if "e+" not in text or abs(value) >= 1e15:
        return text
    return f"{value:.0f}"
