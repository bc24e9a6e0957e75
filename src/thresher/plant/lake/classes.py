"""The classes of a lake's rows, counted file by file, and the one to find."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from thresher.errors import TableError
from thresher.plant.lake.files import FileLake
from thresher.plant.lake.lake import Lake
from thresher.scale.arrow_source import labels_of
from thresher.wording import first_of


class ClassCounts(NamedTuple):
    """Rows of a part of a lake, and how many of them are of the class to find."""

    rows: int
    positives: int

    @property
    def share(self) -> float:
        """Share of positives."""
        return self.positives / self.rows


def count_labels(lake: Lake, target: str) -> dict[Any, int]:
    """Return how often each label occurs; raise where one is missing."""
    counts: dict[Any, int] = {}
    for batch in lake.batches([target]):
        if batch.column(target).null_count:
            raise _unlabelled(lake, target)
        found = np.unique(labels_of(batch.column(target), target), return_counts=True)
        for label, count in zip(*(part.tolist() for part in found), strict=True):
            counts[label] = counts.get(label, 0) + count
    return counts


def _unlabelled(lake: Lake, target: str) -> TableError:
    """Name the first file with rows that have no label."""
    if not isinstance(lake, FileLake):
        return TableError(f"Column {target!r} is empty in some rows; leave these rows out.")
    for file in lake.files:
        one = replace(lake, parts=tuple(part for part in lake.parts if part.file == file))
        missing = sum(batch.column(target).null_count for batch in one.batches([target]))
        if missing:
            return TableError(
                f"Column {target!r} is empty in {missing:,} rows of '{file}'; every row needs a "
                "label: leave these rows out."
            )
    raise AssertionError("Some file has a row without label.")


def class_to_find(counts: Mapping[Any, int], target: str, positive: Any) -> Any:
    """Return the class that was asked for, the rarer one by default.

    >>> class_to_find({0: 90, 1: 10}, "scrap", None), class_to_find({0: 90, 1: 10}, "scrap", "0")
    (1, 0)
    """
    if len(counts) != 2:
        raise TableError(
            f"Column {target!r} must have two classes, but has {len(counts)} in the files to train "
            f"on: {first_of(map(repr, sorted(counts)), 4)}."
        )
    if positive is None:
        return min(sorted(counts, reverse=True), key=lambda label: counts[label])
    by_text = {str(label): label for label in counts}
    if str(positive) not in by_text:
        raise TableError(f"positive={positive!r} is not a class of the target: {sorted(by_text)}.")
    return by_text[str(positive)]


def counts_of(counts: Mapping[Any, int], positive: Any, known: Any, which: str) -> ClassCounts:
    """Return rows and positives of a part; raise unless it has both classes, and no other."""
    other = [label for label in counts if label not in known]
    if other:
        raise TableError(
            f"The {which} have the class {other[0]!r}, which the files to train on do not have."
        )
    if len(counts) < 2:
        raise TableError(
            f"The {which} have rows of one class only; give the files in another order, name a "
            "column with time=, or add files."
        )
    return ClassCounts(sum(counts.values()), counts[positive])
