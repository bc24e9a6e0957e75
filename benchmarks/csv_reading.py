"""A CSV of a million rows as the command line takes it: read, encode and fit, beside pyarrow alone.

The rows are those of the simulated line: 13 columns of numbers, 3 of text, and the target.
"""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from figures import Figure, compare_calls
from tables import Shape

from thresher.datasets import make_assembly_line
from thresher.judging.candidates import Candidates
from thresher.judging.recipe import Recipe
from thresher.tables.features import make_features
from thresher.tables.source import Source
from thresher.tables.target import read_labels

ROWS = 1_000_000
SECONDS = 12.0
TARGET = "scrap"


def compare_csv(rows: int = ROWS, seconds: float = SECONDS) -> list[Figure]:
    """Return the CPU time of each step from the file to the tree; pyarrow's reading is 1."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "parts.csv"
        shape = write_parts(path, rows)
        calls = {
            "pyarrow.csv.read_csv": lambda: read_bare(path),
            "read": lambda: read_parts(path),
            "read, encode, fit": lambda: fit_parts(path),
        }
        return compare_calls("csv", calls, shape, seconds)


def write_parts(path: Path, rows: int) -> Shape:
    """Write parts of the simulated line with six digits a number; return the table's shape."""
    from pyarrow import csv

    line = make_assembly_line(rows, as_frame="pyarrow", random_state=0)
    table = line.X
    for place, name in enumerate(table.column_names):
        if table[name].type == "double":
            values = table[name].to_numpy()
            digits = 6 - np.ceil(np.log10(np.nanmax(np.abs(values)))).astype(int)
            table = table.set_column(place, name, [np.round(values, digits)])
    csv.write_csv(table.append_column(TARGET, [line.y]), path)
    return Shape(rows, table.num_columns, round(float(line.y.mean()), 3))


def read_bare(path: Path) -> Any:
    """Read the file with pyarrow's defaults."""
    from pyarrow import csv

    return csv.read_csv(path)


def read_parts(path: Path) -> Any:
    """Read the file as `thresher train` does."""
    return Source(str(path)).read(texts=[TARGET])


def fit_parts(path: Path) -> Any:
    """Read the file and fit the first tree of `thresher train` on all of its rows."""
    table = read_parts(path)
    labels = read_labels(table, TARGET)
    features = make_features(table.without([TARGET]))
    first, *_ = Candidates(Recipe("tree"), features, "1").listed()
    return first.estimator.fit(features.X, labels)
