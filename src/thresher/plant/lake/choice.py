"""Whether a table is read at once or batch by batch."""

import os
from pathlib import Path
from typing import Any

from thresher.errors import ParameterError
from thresher.frames import is_frame
from thresher.plant.lake.frames import library_of
from thresher.tables.arrow import bytes_in_memory
from thresher.tables.reading import source_of
from thresher.tables.source import Source, is_parquet
from thresher.tables.table import Table

LARGE_BYTES = 2_000_000_000
"""Values of Parquet files that are no longer read at once."""


def is_streamed(table: Any, stream: bool | None) -> bool:
    """Whether Parquet files are read batch by batch: as told, by default where they are large."""
    if library_of(table) is not None:
        return True
    if stream is False:
        return False
    source = _files(table)
    if source is None or not all(map(_is_parquet, source.files)):
        if stream:
            raise ParameterError("stream=True is for Parquet files.")
        return False
    if not stream and not all(Path(file).is_file() for file in source.files):
        return False
    if not stream and bytes_in_memory(source.files) <= LARGE_BYTES:
        return False
    if source.column or source.missing:
        given = "column={...}" if source.column else "missing="
        raise ParameterError(f"{given} needs the table in memory: add stream=False.")
    return True


def streamed_source(table: Any) -> Any:
    """Return what is read batch by batch: files, or a table of a cluster as it is."""
    return table if library_of(table) is not None else source_of(table).files


def _files(table: Any) -> Source | None:
    """Return the files of a table, None where it is something else."""
    if isinstance(table, Table) or is_frame(table):
        return None
    is_places = isinstance(table, list | tuple) and bool(table)
    if not is_places and not isinstance(table, str | os.PathLike | Source):
        return None
    source = source_of(table)
    return None if source.is_database else source


def _is_parquet(place: str) -> bool:
    """Whether a path is of Parquet: by its suffix, or a folder."""
    return is_parquet(place) or Path(place).is_dir()
