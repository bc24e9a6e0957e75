"""Tables with a rare class, missing values and levels."""

from typing import Any, NamedTuple

from tests.table_factory import Table


class Problem(NamedTuple):
    X: Any
    y: Any


SCALES, SHIFTS = [1.0, 10.0, 0.1, 1.0, 1.0, 5.0], [0.0, 3.0, 0.0, -7.0, 0.0, 0.0]


def numbers(n_rows: int = 400, seed: int = 0, *, missing: float = 0.05) -> Problem:
    X, y = Table(seed, n_rows, columns=6, missing=missing, share=0.15).numpy()
    return Problem(X * SCALES + SHIFTS, y)


def levels(n_rows: int = 400, seed: int = 0) -> Problem:
    """Numbers and a category column with missing values, as a data frame; labels are texts."""
    names = [*(f"s{index}" for index in range(6)), "machine"]
    given = {"levels": ["ABCD"], "names": names, "labels": ("good", "scrap"), "share": 0.15}
    X, y = Table(seed, n_rows, columns=6, missing=0.05, **given).pandas()
    return Problem(X.assign(**(X[names[:6]] * SCALES + SHIFTS)), y)
