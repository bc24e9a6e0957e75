"""A lake in the order of a time column, however its rows lie in files."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from thresher.errors import TableError
from thresher.plant.lake.files import FileLake, reading
from thresher.plant.lake.lake import Cut, Lake
from thresher.plant.lake.sample import draw
from thresher.wording import percent


@dataclass(frozen=True)
class TimedLake(FileLake):
    """Rows of a lake from one time to another.

    Attributes
    ----------
    time : the column.
    begin, end : the first time, and the one before which rows lie; None for no such end.
    """

    time: str = ""
    begin: Any = None
    end: Any = None

    @cached_property
    def n_rows(self) -> int:
        """All rows."""
        with reading():
            return int(self.dataset.count_rows())

    @property
    def dataset(self) -> Any:
        """The rows as a dataset of pyarrow."""
        from pyarrow import dataset

        found, time = super().dataset, dataset.field(self.time)
        if self.begin is not None:
            found = found.filter(time >= self.begin)
        return found if self.end is None else found.filter(time < self.end)

    def cut(self, share: float) -> Cut:
        """Return about the last `share` of the rows apart; rows of one time stay together."""
        at, which = later_from(self, self.time, share)
        return Cut(replace(self, end=at), replace(self, begin=at), which)


def later_from(lake: Lake, time: str, share: float) -> tuple[Any, str]:
    """Return the time from which on about the last `share` of the rows lie, also in words."""
    from pyarrow import compute

    times = draw(lake, [time], 1).column(time)
    if times.null_count:
        raise TableError(f"Column {time!r} is empty in some rows; every row needs a time.")
    in_order = times.take(compute.sort_indices(times))
    place = min(int(np.ceil((1.0 - share) * len(in_order))), len(in_order) - 1)
    at = in_order[place]
    if at == in_order[0]:
        raise TableError(
            f"Column {time!r} has too few different times to hold out the later rows; leave out "
            "time=, so that the last files judge."
        )
    return at, f"the rows from {at.as_py()} on (about {percent(share)})"


def in_order_of(lake: FileLake, time: str) -> TimedLake:
    """Return a lake in the order of a column of times or numbers."""
    import pyarrow as pa
    from pyarrow import dataset

    kind = lake.schema.field(time).type
    if not (pa.types.is_temporal(kind) or pa.types.is_integer(kind) or pa.types.is_floating(kind)):
        raise TableError(
            f"Column {time!r} holds {kind}, not times; write it as timestamps, or leave out time= "
            "and give the files in their order."
        )
    found = TimedLake(lake.parts, lake.schema, time)
    moment = dataset.field(time)
    with reading():
        # NaN is unequal to itself; nan_is_null= is overruled by the statistics of Parquet files.
        missing = found.dataset.filter(moment.is_null() | (moment != moment)).count_rows()
    refuse_without_time(time, missing)
    return found


def refuse_without_time(time: str, rows: int) -> None:
    """Raise where rows have no time: they would neither train nor judge."""
    if rows:
        raise TableError(
            f"Column {time!r} is empty in {rows:,} rows; every row needs a time for time=."
        )
