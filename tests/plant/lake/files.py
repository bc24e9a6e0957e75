"""Lakes for tests: the simulated line in several Parquet files."""

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import parquet

from thresher.datasets import make_assembly_line


def line_frame(n_rows: int = 3000) -> pd.DataFrame:
    """Return parts of the simulated line in the order of time."""
    line = make_assembly_line(n_rows, random_state=0, as_frame="pandas")
    return line.X.assign(scrap=line.y, made=pd.Series(line.time))


def write_lake(folder, frame, n_files=6, row_group_size=None):
    """Write a frame to files of about one size, and return their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for place, rows in enumerate(np.array_split(np.arange(len(frame)), n_files)):
        part = pa.Table.from_pandas(frame.iloc[rows], preserve_index=False)
        paths.append(folder / f"{place}.parquet")
        parquet.write_table(part, paths[-1], row_group_size=row_group_size)
    return paths
