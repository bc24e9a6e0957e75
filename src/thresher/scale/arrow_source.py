"""Tables of Arrow: Parquet files, datasets and streams, and what their columns are for."""

import os
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from glob import glob, has_magic
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from thresher.matrix import category_mask
from thresher.scale.table_passes import TableBlock
from thresher.seam.engine import row_bytes

BATCH_ROWS = 1 << 17
ROWS_IN_FLIGHT = 1 << 23
"""Rows that pyarrow was seen to hold while it reads ahead."""
FIRST_BYTES = 400_000_000
"""Memory of the interpreter, pyarrow and the sketches."""
NEEDED = "Reading Parquet needs pyarrow: pip install 'thresher[parquet]'."


class Source:
    """A table as batches of Arrow.

    Parameters
    ----------
    table : a dataset of pyarrow, or an object with `__arrow_c_stream__` that can be read again.
    """

    def __init__(self, table: Any) -> None:
        import pyarrow as pa

        self._table = table
        self._is_dataset = not hasattr(table, "__arrow_c_stream__")
        self.schema = (
            table.schema if self._is_dataset else pa.RecordBatchReader.from_stream(table).schema
        )

    def n_rows(self) -> int:
        """Return the number of rows."""
        if self._is_dataset:
            return int(self._table.count_rows())
        return sum(batch.num_rows for batch in self.batches([]))

    def batches(self, columns: list[str]) -> Iterator[Any]:
        """Yield some columns of all rows, batch by batch."""
        import pyarrow as pa

        if self._is_dataset:
            # Few batches ahead: pyarrow's defaults keep gigabytes in flight.
            yield from self._table.to_batches(
                columns=columns, batch_size=BATCH_ROWS, batch_readahead=4, fragment_readahead=2
            )
            pa.default_memory_pool().release_unused()  # what was read ahead, before trees grow
            return
        for batch in pa.RecordBatchReader.from_stream(self._table):
            for begin in range(0, batch.num_rows, BATCH_ROWS):
                yield batch.slice(begin, BATCH_ROWS).select(columns)


def open_source(path: Any, folder: str | Path | None, stack: ExitStack) -> Source:
    """Return the source behind what a user gave."""
    try:
        import pyarrow as pa
        from pyarrow import dataset
    except ImportError:
        raise ImportError(NEEDED) from None
    if isinstance(path, pa.RecordBatchReader):
        path = _spooled(path, folder, stack)
    if hasattr(path, "__arrow_c_stream__") or isinstance(path, dataset.Dataset):
        return Source(path)
    files = [str(path)] if isinstance(path, str | os.PathLike) else [str(file) for file in path]
    found = [name for file in files for name in paths_at(file)]
    missing = [file for file in found if not Path(file).exists()]
    if missing or not found:
        raise FileNotFoundError(f"There is no file {(missing or files)[0]!r} to read.")
    try:
        whole = dataset.dataset(found if len(found) > 1 else found[0], format="parquet")
    except pa.ArrowInvalid as error:
        reason = str(error).partition("\n")[0].rstrip(".")
        raise ValueError(f"{found[0]!r} cannot be read as Parquet: {reason}.") from None
    return Source(whole)


def paths_at(place: str) -> list[str]:
    """Return what a pattern finds, by name; itself where it finds nothing, or is a path."""
    is_pattern = has_magic(place) and not Path(place).exists()
    return (sorted(glob(place)) if is_pattern else []) or [place]


def _spooled(reader: Any, folder: str | Path | None, stack: ExitStack) -> Any:
    """Copy a stream that can be read once to a file that can be read again."""
    from pyarrow import dataset, parquet

    place = Path(stack.enter_context(TemporaryDirectory(prefix="thresher-", dir=folder)))
    with parquet.ParquetWriter(place / "rows.parquet", reader.schema) as writer:
        for batch in reader:
            writer.write_batch(batch)
    return dataset.dataset(place, format="parquet")


@dataclass(frozen=True)
class Roles:
    """What the columns of a source are for."""

    names: tuple[str, ...]
    is_category: tuple[bool, ...]
    target: str
    weight: str | None

    @classmethod
    def of(
        cls,
        source: Source,
        target: str,
        weight: str | None,
        ignore: tuple[str, ...],
        categorical_features: Any,
    ) -> "Roles":
        """Deal the columns; one clear sentence for a name that is not there."""
        known = source.schema.names
        for name in (target, *([weight] if weight else []), *ignore):
            if name not in known:
                raise ValueError(f"The table has no column {name!r}; its columns are {known}.")
        names = [name for name in known if name not in {target, weight, *ignore}]
        if not names:
            raise ValueError("The table has no column to learn from.")
        empty = source.schema.empty_table().select(names)
        return cls(tuple(names), category_mask(empty, categorical_features), target, weight)

    @property
    def others(self) -> list[str]:
        """Target and weights."""
        return [self.target, *([self.weight] if self.weight else [])]

    @property
    def categories(self) -> list[str]:
        """Names of the category columns."""
        pairs = zip(self.names, self.is_category, strict=True)
        return [name for name, is_category in pairs if is_category]

    def block(self, batch: Any, columns: list[str]) -> TableBlock:
        """Return some columns of a batch with its target and weights."""
        X = as_table(batch, columns) if columns else None
        weights = None if self.weight is None else _numbers(batch.column(self.weight), self.weight)
        return TableBlock(X, labels_of(batch.column(self.target), self.target), weights)

    def need(self, n_rows: int, memory: int) -> str:
        """Return a sentence on the memory that is needed."""
        width = len(self.names)
        coded = n_rows * row_bytes(width, weighted=self.weight is not None)
        reading = FIRST_BYTES + min(n_rows, ROWS_IN_FLIGHT) * width * 8
        size = f"{n_rows:,} rows x {width} columns are {coded / 1e9:.2f} GB of bins"
        if 4 * coded <= memory:
            growing = coded + n_rows * (width + 20)
            return f"{size}: about {(reading + growing) / 1e9:.1f} GB of memory at most"
        return f"{size}, in a temporary file: about {(reading + memory) / 1e9:.1f} GB of memory"


def as_table(batch: Any, columns: list[str]) -> Any:
    """Return some columns of a batch as a table."""
    import pyarrow as pa

    return pa.Table.from_batches([batch.select(columns)])


def labels_of(values: Any, name: str) -> Any:
    """Return a target as NumPy's; texts through their dictionary, which is quick."""
    import pyarrow as pa

    if values.null_count:
        raise ValueError(f"The target {name!r} has missing values; leave these rows out.")
    if pa.types.is_dictionary(values.type):
        return np.asarray(values.dictionary.to_pylist())[values.indices.to_numpy()]
    if pa.types.is_string(values.type) or pa.types.is_large_string(values.type):
        return labels_of(values.dictionary_encode(), name) if len(values) else np.empty(0, "U1")
    return values.to_numpy(zero_copy_only=False)


def _numbers(values: Any, name: str) -> Any:
    if values.null_count:
        raise ValueError(f"The weights {name!r} have missing values; fill them or leave them out.")
    return values.to_numpy(zero_copy_only=False).astype(np.float64)
