"""The three data sets of birds, built from the ARFF files of Mulan.

    python -m studies.paper.birds FOLDER

FOLDER is then named by THRESHER_DATA, where `load_dataset` looks for them. Their licence is not
stated, so that they are no part of the package.
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from urllib.request import urlopen

import numpy as np
from numpy.typing import NDArray

from studies.paper.arff import read_arff
from thresher.datasets.catalog import DatasetInfo, Table, catalog, write_table

LOCATIONS = 17


def main(folder: str) -> None:
    sets = [info for info in catalog().values() if info.origin.name == "Birds"]
    raw = []
    for url in sets[0].origin.urls:
        with urlopen(url, timeout=60) as answer:
            raw.append(answer.read().decode())
    for info in sets:
        table = build_birds(raw, info)
        if table.sha256 != info.sha256:
            raise SystemExit(
                f"{info.name} is not the catalogue's: the files of Mulan have changed."
            )
        path = Path(folder) / f"{info.name}.csv.gz"
        path.write_bytes(write_table(table))
        print(path)


def build_birds(raw: Sequence[str], info: DatasetInfo) -> Table:
    """Numbers, then hasSegments, then indicators of the location; the training file first."""
    (attributes, train), (_, test) = (read_arff(text) for text in raw)
    names = [attribute.name for attribute in attributes]
    cells = dict(zip(names, zip(*train, *test, strict=True), strict=True))
    location = _numbers([cells.pop("location")])
    has_segments = _numbers([cells.pop("hasSegments")])
    numeric = [item.name for item in attributes if item.levels is None and item.name in cells]
    (label,) = (name for name in names if info.positive[0] in name)
    indices = np.arange(1, LOCATIONS + 1)
    X = np.hstack([_numbers([cells[n] for n in numeric]), has_segments, location == indices])
    columns = (*numeric, "hasSegments", *(f"location_{index}" for index in indices))
    return Table(columns, X, np.array([float(cell) == 1 for cell in cells[label]], dtype=np.int64))


def _numbers(columns: Sequence[Sequence[str]]) -> NDArray[np.float64]:
    return np.stack([np.array(column, dtype=np.float64) for column in columns], axis=1)


if __name__ == "__main__":
    main(*sys.argv[1:])
