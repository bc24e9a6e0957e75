"""Parquet files in the order of time, whose rows are read batch by batch, as often as needed."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from thresher.errors import MissingPackageError, TableError
from thresher.frames import repeated_name
from thresher.plant.lake.lake import Cut
from thresher.plant.lake.schema import one_schema
from thresher.scale.arrow_source import NEEDED, Source, paths_at
from thresher.tables.arrow import is_installed

MAX_REASON = 300


class Part(NamedTuple):
    """Rows that stand side by side: a row group of a file, or some of its rows in memory.

    Attributes
    ----------
    file : where they are.
    rows : how many.
    group : number of the row group in its file.
    table : the rows, where they are in memory.
    """

    file: str
    rows: int
    group: int
    table: Any = None


@dataclass(frozen=True)
class FileLake:
    """Rows of Parquet files.

    Attributes
    ----------
    parts : in the order of time.
    schema : names and types of the columns, the same for all files.
    """

    parts: tuple[Part, ...]
    schema: Any

    @property
    def files(self) -> list[str]:
        """The files, each once."""
        return list(dict.fromkeys(part.file for part in self.parts))

    @property
    def n_rows(self) -> int:
        """All rows."""
        return sum(part.rows for part in self.parts)

    @property
    def dataset(self) -> Any:
        """The rows as a dataset of pyarrow."""
        from pyarrow import dataset

        runs = groupby(self.parts, key=lambda part: part.file if part.table is None else None)
        found = [self._dataset(file, list(parts)) for file, parts in runs]
        return found[0] if len(found) == 1 else dataset.UnionDataset(self.schema, found)

    def _dataset(self, file: str | None, parts: list[Part]) -> Any:
        import pyarrow as pa
        from pyarrow import dataset, fs

        if file is None:
            return dataset.dataset(pa.concat_tables([part.table for part in parts]))
        system, form = fs.LocalFileSystem(), dataset.ParquetFileFormat()
        whole = form.make_fragment(file, system)
        some = whole.subset(row_group_ids=[part.group for part in parts])
        return dataset.FileSystemDataset([some], self.schema, form, system)

    def batches(self, columns: Sequence[str]) -> Iterator[Any]:
        """Yield some columns of all rows, batch by batch."""
        with reading():
            for batch in Source(self.dataset).batches(list(columns)):
                if batch.num_rows:
                    yield batch

    def cut(self, share: float) -> Cut:
        """Return about the last `share` of the rows apart: files, else row groups, else rows."""
        files = [part.file for part in self.parts]
        groups = [(part.file, part.group) for part in self.parts]
        for keys, what in ((files, "files"), (groups, "row groups")):
            if len(set(keys)) > 1:
                return self._cut_at(keys, what, share)
        return self._cut_rows(share)

    def _cut_at(self, keys: Sequence[Any], what: str, share: float) -> Cut:
        """Cut where a key ends; each part has one."""
        sizes = dict.fromkeys(keys, 0)
        for key, part in zip(keys, self.parts, strict=True):
            sizes[key] += part.rows
        # The end that is nearest to the share, of several the shorter.
        shares = np.cumsum([*sizes.values()][:0:-1]) / sum(sizes.values())
        count = int(np.argmin(np.abs(shares - share).round(9))) + 1
        late = set([*sizes][-count:])
        is_late = [key in late for key in keys]
        early, later = (
            replace(
                self,
                parts=tuple(p for p, flag in zip(self.parts, is_late, strict=True) if flag == side),
            )
            for side in (False, True)
        )
        where = "" if what == "files" else f" of '{self.files[0]}'"
        return Cut(early, later, f"the last {count} of {len(sizes)} {what}{where}")

    def _cut_rows(self, share: float) -> Cut:
        """Cut a single row group, which is read for it."""
        (part,) = self.parts
        with reading():
            table = self.dataset.to_table()
        first = part.rows - min(max(1, round(share * part.rows)), part.rows - 1)
        early, late = (
            replace(self, parts=(part._replace(table=rows, rows=len(rows)),))
            for rows in (table[:first], table[first:])
        )
        return Cut(early, late, f"the last {len(table) - first:,} rows of '{part.file}'")


@contextmanager
def reading() -> Iterator[None]:
    """Tell in one sentence what pyarrow cannot read."""
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError) as error:
        raise TableError(f"The files cannot be read as Parquet: {_reason(error)}.") from None


def _reason(error: Exception) -> str:
    return " ".join(str(error).partition("\n")[0].split()).rstrip(".")[:MAX_REASON]


def open_lake(files: Sequence[str], target: str) -> FileLake:
    """Look at the ends of files, where Parquet keeps what is in them; no value is read.

    Raises
    ------
    TableError
        Where a file is missing, empty, no Parquet, or has other columns than the first.
    """
    if not is_installed():
        raise MissingPackageError(NEEDED)
    found = [name for file in files for name in _files_at(file)]
    ends = [_end_of(file) for file in found]
    schema = one_schema(found, [end.schema.to_arrow_schema() for end in ends], target)
    parts = [
        Part(file, end.row_group(group).num_rows, group)
        for file, end in zip(found, ends, strict=True)
        for group in range(end.num_row_groups)
    ]
    return FileLake(tuple(part for part in parts if part.rows), schema)


def _files_at(place: str) -> list[str]:
    """Return the files behind a path, a folder or a pattern, by name."""
    if Path(place).is_dir():
        found = sorted(str(path) for path in Path(place).rglob("*.parquet"))
    else:
        found = paths_at(place)
    if not found or not all(Path(file).is_file() for file in found):
        raise TableError(f"There is no Parquet file at '{place}'.")
    return found


def _end_of(file: str) -> Any:
    import pyarrow as pa
    from pyarrow import parquet

    try:
        end = parquet.read_metadata(file)
        names = end.schema.to_arrow_schema().names
    except (pa.ArrowException, OSError) as error:
        raise TableError(f"'{file}' cannot be read as Parquet: {_reason(error)}.") from None
    if not end.num_rows:
        raise TableError(f"'{file}' has no rows; leave it out.")
    if (repeated := repeated_name(names)) is not None:
        raise TableError(f"'{file}' has two columns {repeated!r}; rename one of them.")
    return end
