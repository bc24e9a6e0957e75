"""The rows of a lake as a training takes them: which train, which choose, which judge."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from thresher.errors import TableError
from thresher.judging.suspects import Findings
from thresher.plant.lake.by_time import in_order_of
from thresher.plant.lake.classes import ClassCounts, class_to_find, count_labels, counts_of
from thresher.plant.lake.columns import find_suspects
from thresher.plant.lake.files import open_lake
from thresher.plant.lake.frames import frame_lake
from thresher.plant.lake.lake import Cut, Lake
from thresher.plant.lake.rows import Reader
from thresher.plant.lake.sample import draw
from thresher.plant.training_table import Roles, stations_of

HELD_OUT = 0.25
"""About so much of the rows judge, the last ones."""
CHOOSING = 0.25
"""About so much of the others choose candidate and threshold, the last of them."""

PARTS = ("first training rows", "later training rows", "files held out, the last ones,")


@dataclass(frozen=True)
class LakeTable:
    """Parquet files to train on; nothing of it is read before it is asked for.

    Attributes
    ----------
    source : files in the order of time, or a table of Dask or Spark.
    roles : which columns are what.
    seed : of the sample.
    shown : whether to show progress.
    """

    source: Any
    roles: Roles
    seed: int = 0
    shown: bool = False

    @cached_property
    def whole(self) -> Lake:
        """All rows."""
        if not isinstance(self.source, list | tuple):
            return frame_lake(self.source, self.roles.target, self.roles.time)
        lake = open_lake(self.source, self.roles.target)
        for name in self.roles.not_learnt:
            if name not in lake.schema.names:
                raise TableError(f"The files have no column {name!r}.")
        return lake if self.roles.time is None else in_order_of(lake, self.roles.time)

    @cached_property
    def judging(self) -> Cut:
        """All rows, cut: the late ones judge."""
        return self.whole.cut(HELD_OUT)

    @cached_property
    def choosing(self) -> Cut:
        """The training rows, cut: the late ones choose."""
        return self.judging.early.cut(CHOOSING)

    @cached_property
    def labels(self) -> list[dict[Any, int]]:
        """How often each label occurs in the rows that are grown on, that choose, that judge."""
        parts = (*self.choosing[:2], self.judging.late)
        return [count_labels(lake, self.roles.target) for lake in parts]

    @cached_property
    def positive(self) -> Any:
        """The class to find, as the files have it; rows that judge have no say in it."""
        first, later, _ = self.labels
        counts = {label: first.get(label, 0) + later.get(label, 0) for label in {**first, **later}}
        return class_to_find(counts, self.roles.target, self.roles.positive)

    @cached_property
    def counts(self) -> list[ClassCounts]:
        """Rows and positives of the three parts, each of which has both classes."""
        known = {**self.labels[0], **self.labels[1]}
        return [
            counts_of(counts, self.positive, known, which)
            for counts, which in zip(self.labels, PARTS, strict=True)
        ]

    @property
    def trained_on(self) -> ClassCounts:
        """Rows and positives of the training rows."""
        first, later, _ = self.counts
        return ClassCounts(first.rows + later.rows, first.positives + later.positives)

    @property
    def judged_on(self) -> ClassCounts:
        """Rows and positives of those that judge."""
        return self.counts[-1]

    @cached_property
    def sample(self) -> Any:
        """Some training rows."""
        names = [name for name in self.whole.schema.names if name not in self.roles.ignore]
        return draw(self.judging.early, names, self.seed)

    @cached_property
    def suspects(self) -> Findings:
        """Columns that are not learnt from, and warnings about others."""
        is_positive = Reader(self.roles.target, self.positive, ()).truth(self.sample)
        return find_suspects(self.sample, is_positive, self.roles.not_learnt)

    @cached_property
    def reader(self) -> Reader:
        """What is read of the rows."""
        left_out = {*self.roles.not_learnt, *self.suspects.unusable}
        names = tuple(name for name in self.whole.schema.names if name not in left_out)
        if not names:
            raise TableError(
                f"The files have no column to learn from beside {', '.join(sorted(left_out))}."
            )
        return Reader(self.roles.target, self.positive, names, self.shown)

    @property
    def learnt_sample(self) -> Any:
        """The columns to learn from of some training rows."""
        return self.sample.select(list(self.reader.names))

    @cached_property
    def stations(self) -> Mapping[str, str] | None:
        """The station of each column."""
        return stations_of(self.roles.stations, self.reader.names, self.whole.schema.names)
