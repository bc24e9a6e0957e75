"""Summaries of columns in a model's file: a few arrays, however many columns there are."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from thresher.column import MAX_LEVELS
from thresher.judging.column_summary import (
    GRID,
    MAX_VALUES,
    ColumnSummary,
    Counts,
    NumbersSummary,
    TextsSummary,
    ranks_of,
)
from thresher.model_file.record import Record, require

MAX_ROWS = 2**53


def columns_data(columns: Sequence[ColumnSummary]) -> dict[str, Any]:
    """Return plain data with arrays: those of numbers side by side, and those of texts.

    Names and levels are those of the model, in its order.
    """
    numbers = [one for one in columns if isinstance(one, NumbersSummary)]
    texts = [one for one in columns if isinstance(one, TextsSummary)]
    return {
        "is_text": np.array([isinstance(one, TextsSummary) for one in columns]),
        "missing": _whole([one.missing for one in columns]),
        "present": _whole([one.present for one in columns]),
        "quantiles": np.array([one.quantiles for one in numbers]).reshape(-1, len(GRID)),
        "at_most": _whole([one.at_most for one in numbers]).reshape(-1, len(GRID)),
        "listed": _whole([len(one.values) for one in numbers]),
        "values": np.concatenate([np.zeros(0), *(one.values for one in numbers)]),
        "counts": _whole(_joined(one.counts for one in numbers)),
        "next_count": _whole([one.next_count for one in numbers]),
        "levels": _whole([len(one.counts) for one in texts]),
        "level_counts": _whole(_joined(one.counts for one in texts)),
    }


def _whole(values: Any) -> Counts:
    return np.array(values, dtype=np.int64)


def _joined(parts: Any) -> list[int]:
    return [count for part in parts for count in part.tolist()]


def read_columns(record: Record) -> tuple[ColumnSummary, ...]:
    """Return what `columns_data` wrote; a DamagedModelError where it is not sound."""
    is_text = record.array("is_text", "b", (None,))
    missing, present = (_counts(record, name, (len(is_text),)) for name in ("missing", "present"))
    require(len(np.unique(missing + present)) == 1, f"{record.place} has columns of other lengths")
    numbers = _read_numbers(record, missing[~is_text], present[~is_text])
    texts = _read_texts(record, missing[is_text], present[is_text])
    return tuple(next(texts) if one else next(numbers) for one in is_text.tolist())


def _counts(record: Record, name: str, shape: tuple[int | None, ...]) -> Counts:
    found = record.array(name, "i", shape)
    is_sound = found.dtype == np.int64 and bool(((found >= 0) & (found <= MAX_ROWS)).all())
    require(is_sound, f"{record.place}.{name} is not made of counts")
    return found


def _read_numbers(record: Record, missing: Counts, present: Counts) -> Iterator[NumbersSummary]:
    columns = len(missing)
    quantiles = record.floats("quantiles", (columns, len(GRID)))
    at_most = _counts(record, "at_most", (columns, len(GRID)))
    next_count = _counts(record, "next_count", (columns,))
    listed = _counts(record, "listed", (columns,))
    require((listed <= MAX_VALUES).all(), f"{record.place}.listed is above {MAX_VALUES}")
    values = record.floats("values", (int(listed.sum()),))
    counts = _counts(record, "counts", (len(values),))
    ends = np.cumsum(listed)
    found = list(
        map(
            NumbersSummary,
            *(missing.tolist(), present.tolist(), quantiles, at_most),
            *(np.split(values, ends)[:-1], np.split(counts, ends)[:-1], next_count.tolist()),
        )
    )
    for one in found:
        require(_is_sound(one), f"{record.place} has quantiles or counts that no column has")
    return iter(found)


def _is_sound(one: NumbersSummary) -> bool:
    """Whether quantiles and counts are in order, and no more than there are values."""
    if not one.present:
        return not (one.quantiles.any() or one.at_most.any() or len(one.values) or one.next_count)
    rises, counted = np.diff(one.quantiles), np.diff(one.at_most)
    others = one.present - int(one.counts.sum())
    return bool(
        (rises >= 0).all()
        and ((counted > 0) == (rises > 0)).all()
        and (counted >= 0).all()
        and (one.at_most >= ranks_of(one.present)).all()
        and one.at_most[-1] == one.present
        and (np.diff(one.values) > 0).all()
        and (one.counts > 1).all()
        and min(others, 1) <= one.next_count <= others
    )


def _read_texts(record: Record, missing: Counts, present: Counts) -> Iterator[TextsSummary]:
    levels = _counts(record, "levels", (len(missing),))
    require((levels <= MAX_LEVELS).all(), f"{record.place}.levels is above {MAX_LEVELS}")
    counts = _counts(record, "level_counts", (int(levels.sum()),))
    parts = np.split(counts, np.cumsum(levels))[:-1]
    are_sound = [int(part.sum()) == some for part, some in zip(parts, present, strict=True)]
    require(all(are_sound), f"{record.place}.level_counts is not as many as there are texts")
    return iter([TextsSummary(int(none), part) for none, part in zip(missing, parts, strict=True)])
