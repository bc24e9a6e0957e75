"""Whether trees may be added to those of a fitted forest."""

from typing import Any, NamedTuple


class Contents(NamedTuple):
    """What tells the training rows of one fit from those of another.

    Examples
    --------
    >>> print(Contents(400, 5, [0, 1], (363.0, 37.0)))
    400 rows, 5 columns and the classes [0, 1] (weight 363.0 against 37.0)
    """

    n_rows: int
    n_columns: int
    classes: list[Any]
    totals: tuple[float, float]

    def __str__(self) -> str:
        negative, positive = self.totals
        return (
            f"{self.n_rows} rows, {self.n_columns} columns and the classes {self.classes} "
            f"(weight {negative!r} against {positive!r})"
        )


def check_addition(before: int, n_estimators: int, there: Contents, here: Contents) -> None:
    """Raise unless `n_estimators` keeps the trees grown before, and the rows look the same.

    >>> rows = Contents(400, 5, [0, 1], (363.0, 37.0))
    >>> check_addition(50, 100, rows, rows)
    """
    if before > n_estimators:
        raise ValueError(
            f"n_estimators={n_estimators} must be at least {before}, the number of trees that "
            "warm_start=True keeps."
        )
    if here != there:
        raise ValueError(
            f"warm_start=True adds trees to those of the last fit, on {there}; X and y have "
            f"{here}; set warm_start=False for other data."
        )
