"""One tree or a forest from Parquet files: time and memory beside reading, LightGBM and XGBoost.

python benchmarks/scale.py [--rows 2000000 20000000] [--folder FOLDER] [--forest]

Each measurement is a process of its own; CPU time and peak memory are those of that process.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from scale_table import write_table

ROWS = (2_000_000, 20_000_000)
DEPTH = 8
TREES = 50
"""Of forests, and rounds of boosting beside them."""
FOREST_MEMORY = 4_000_000_000
"""Bytes that a forest is told it may take."""
TARGET = "scrap"


def read_bare(files: list[str]) -> None:
    """Read every column batch by batch, and nothing else."""
    from pyarrow import dataset

    for _batch in dataset.dataset(files).to_batches():
        pass


def fit_thresher(files: list[str], max_depth: int | None = None, memory: int | None = None) -> None:
    from thresher import ImbalancedTreeClassifier
    from thresher.scale import fit

    fit(ImbalancedTreeClassifier(max_depth=max_depth), files, TARGET, memory=memory)


def fit_thresher_forest(files: list[str]) -> None:
    """Grow trees to the end, with out-of-bag votes and the threshold of the rule f1."""
    from thresher import ImbalancedForestClassifier
    from thresher.scale import fit

    forest = ImbalancedForestClassifier(TREES, n_bootstrap=0, n_jobs=1, random_state=0)
    fit(forest, files, TARGET, memory=FOREST_MEMORY)


def fit_lightgbm(files: list[str], rounds: int = 1) -> None:
    """Train trees on sequences of rows, LightGBM's way to read what it need not keep."""
    import lightgbm

    parts = [LightgbmRows(file) for file in files]
    labels = [part.labels() for part in parts]
    import numpy as np

    rows = lightgbm.Dataset(parts, np.concatenate(labels), params={"max_bin": 255, "verbose": -1})
    parameters = {"objective": "binary", "max_depth": DEPTH, "num_leaves": 2**DEPTH}
    lightgbm.train({**parameters, "num_threads": 1, "verbose": -1}, rows, rounds)


def fit_xgboost(files: list[str], rounds: int = 1) -> None:
    """Train trees on batches, which XGBoost quantises as they come."""
    import xgboost

    rows = xgboost.QuantileDMatrix(xgboost_rows(files), max_bin=256, nthread=1)
    parameters = {"objective": "binary:logistic", "max_depth": DEPTH, "tree_method": "hist"}
    xgboost.train({**parameters, "nthread": 1}, rows, rounds)


def as_matrix(table: Any) -> Any:
    """Return the columns of a table as 32-bit floats."""
    import numpy as np

    names = [name for name in table.column_names if name != TARGET]
    columns = [
        column.combine_chunks().indices if str(column.type).startswith("dict") else column
        for column in (table[name] for name in names)
    ]
    return np.column_stack([np.asarray(column, dtype=np.float32) for column in columns])


def LightgbmRows(file: str) -> Any:  # noqa: N802
    """Return a file as a sequence of rows: whole row groups are read, the last one is kept."""
    import lightgbm
    import numpy as np
    from pyarrow import parquet

    class Rows(lightgbm.Sequence):  # type: ignore[misc]
        batch_size = 250_000

        def __init__(self) -> None:
            self.file = parquet.ParquetFile(file)
            self.kept: tuple[int, Any] = (-1, None)
            self.size = self.file.metadata.row_group(0).num_rows

        def __len__(self) -> int:
            return int(self.file.metadata.num_rows)

        def _group(self, number: int) -> Any:
            if self.kept[0] != number:
                self.kept = (number, as_matrix(self.file.read_row_group(number)))
            return self.kept[1]

        def __getitem__(self, index: Any) -> Any:
            if isinstance(index, slice):
                begin, end = index.start or 0, min(index.stop, len(self))
                numbers = range(begin // self.size, -(-end // self.size))
                rows = np.concatenate([self._group(number) for number in numbers])
                start = numbers[0] * self.size
                return rows[begin - start : end - start].astype(np.float64)
            return self._group(index // self.size)[index % self.size].astype(np.float64)

        def labels(self) -> Any:
            return np.asarray(self.file.read([TARGET])[TARGET])

    return Rows()


def xgboost_rows(files: list[str]) -> Any:
    """Return files as XGBoost's iterator."""
    import numpy as np
    import xgboost
    from pyarrow import parquet

    class Rows(xgboost.DataIter):  # type: ignore[misc]
        def __init__(self) -> None:
            self.place = 0
            super().__init__()

        def reset(self) -> None:
            self.place = 0

        def next(self, input_data: Callable[..., None]) -> bool:
            if self.place == len(files):
                return False
            table = parquet.read_table(files[self.place])
            input_data(data=as_matrix(table), label=np.asarray(table[TARGET]))
            self.place += 1
            return True

    return Rows()


CALLS: dict[str, Callable[[list[str]], None]] = {
    "pyarrow, bare reading": read_bare,
    "thresher, whole tree": fit_thresher,
    f"thresher, depth {DEPTH}": lambda files: fit_thresher(files, max_depth=DEPTH),
    "thresher, whole tree, 0.4 GB": lambda files: fit_thresher(files, memory=400_000_000),
    f"LightGBM, depth {DEPTH}": fit_lightgbm,
    f"XGBoost, depth {DEPTH}": fit_xgboost,
}
FOREST_CALLS: dict[str, Callable[[list[str]], None]] = {
    "pyarrow, bare reading": read_bare,
    f"thresher, forest of {TREES}": fit_thresher_forest,
    f"LightGBM, {TREES} trees": lambda files: fit_lightgbm(files, TREES),
    f"XGBoost, {TREES} trees": lambda files: fit_xgboost(files, TREES),
}


def measure(name: str, files: list[str]) -> dict[str, Any]:
    """Run one call in a process of its own."""
    command = [sys.executable, __file__, "--call", name, *files]
    one_thread = {"OMP_NUM_THREADS": "1"}
    child = subprocess.run(
        command, text=True, stdout=subprocess.PIPE, env={**os.environ, **one_thread}, check=False
    )
    if child.returncode:
        return {"name": name, "error": child.returncode}
    return {"name": name, **json.loads(child.stdout.splitlines()[-1])}


def call(name: str, files: list[str]) -> None:
    """Run a call and print what it took."""
    before = resource.getrusage(resource.RUSAGE_SELF)
    {**CALLS, **FOREST_CALLS}[name](files)
    after = resource.getrusage(resource.RUSAGE_SELF)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(json.dumps({"seconds": seconds, "gigabytes": after.ru_maxrss * 1024 / 1e9}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=list(ROWS))
    parser.add_argument("--folder", type=Path, help="where the table is kept; made where it is not")
    parser.add_argument("--forest", action="store_true", help="forests instead of single trees")
    parser.add_argument("--call", help=argparse.SUPPRESS)
    parser.add_argument("files", nargs="*", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.call:
        call(given.call, given.files)
        return
    with TemporaryDirectory() as temporary:
        folder = given.folder or Path(temporary)
        if len(list(folder.glob("*.parquet"))) * 10**6 < max(given.rows):
            for path in write_table(folder, max(given.rows)):
                print(path.name, file=sys.stderr)
        for rows in given.rows:
            files = [str(path) for path in sorted(folder.glob("*.parquet"))[: rows // 10**6]]
            bare = 0.0
            for name in FOREST_CALLS if given.forest else CALLS:
                found = measure(name, files)
                if "error" in found:
                    print(f"{rows:>12,}  {name:36} failed, exit code {found['error']}")
                    continue
                bare = bare or found["seconds"]
                seconds = found["seconds"]
                print(
                    f"{rows:>12,}  {name:36} {seconds:8.1f} s CPU {seconds / bare:6.2f} x reading "
                    f"{rows / seconds / 1e6:6.2f} million rows/s {found['gigabytes']:6.2f} GB",
                    flush=True,
                )


if __name__ == "__main__":
    main()
