"""A table of Parquet files of any size: simulated parts, some of them scrapped.

python benchmarks/scale_table.py FOLDER --rows 20000000
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import parquet

ROWS_PER_FILE = 1_000_000
N_NUMBERS = 18
LINES = np.array(["east", "north", "south", "west"])


def part_table(seed: int, n_rows: int) -> pa.Table:
    """Make parts: 18 measurements, a shift and a line; 2 % scrap that follows from some of them."""
    random = np.random.default_rng(seed)
    numbers = random.normal(size=(N_NUMBERS, n_rows)).astype(np.float32)
    numbers[3, random.random(n_rows) < 0.02] = np.nan
    shift = random.integers(0, 3, n_rows)
    line = random.integers(0, len(LINES), n_rows).astype(np.int8)
    risk = numbers[0] + numbers[1] * numbers[2] + (line == 2) + 0.5 * (shift == 2)
    scrap = (risk + random.normal(size=n_rows) > 4.6).astype(np.int8)
    columns = {f"x{position:02d}": pa.array(values) for position, values in enumerate(numbers)}
    columns["shift"] = pa.array(shift)
    columns["line"] = pa.DictionaryArray.from_arrays(pa.array(line), pa.array(LINES))
    return pa.table({**columns, "scrap": pa.array(scrap)})


def write_table(folder: Path, n_rows: int) -> Iterator[Path]:
    """Write files of a million rows each, and yield their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, begin in enumerate(range(0, n_rows, ROWS_PER_FILE)):
        path = folder / f"part-{number:04d}.parquet"
        table = part_table(number, min(ROWS_PER_FILE, n_rows - begin))
        parquet.write_table(table, path, row_group_size=ROWS_PER_FILE // 4)
        yield path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, default=20_000_000)
    given = parser.parse_args()
    for path in write_table(given.folder, given.rows):
        print(path)


if __name__ == "__main__":
    main()
