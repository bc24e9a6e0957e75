"""The stages of a line: their order, and when all columns of a condition are known."""

from collections.abc import Iterable, Mapping


def stage_order(stages: Mapping[str, str]) -> tuple[str, ...]:
    """Return the stages in the order in which the mapping first names them.

    >>> stage_order({"force": "press", "depth": "press", "leak": "test"})
    ('press', 'test')
    """
    return tuple(dict.fromkeys(stages.values()))


def known_at(columns: Iterable[str], stages: Mapping[str, str]) -> str | None:
    """Return the first stage at which all columns are known; None where there are no columns.

    >>> known_at(["force", "leak"], {"force": "press", "leak": "test"})
    'test'
    """
    order = stage_order(stages)
    places = [order.index(_stage_of(column, stages)) for column in columns]
    return order[max(places)] if places else None


def _stage_of(column: str, stages: Mapping[str, str]) -> str:
    if column not in stages:
        raise ValueError(f"stages does not tell the stage of the column {column!r}; add it.")
    return stages[column]
