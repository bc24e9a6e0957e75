"""Raw public files to tables: pure functions, so that they can be tested without a network."""

import csv
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from thresher.datasets.arff import read_arff
from thresher.datasets.catalog import DatasetInfo
from thresher.datasets.table import Table

BIRD_LOCATIONS = 17


def build_table(raw: Sequence[bytes], info: DatasetInfo) -> Table:
    r"""Build the table of a data set from the files that `info.origin.urls` name.

    Parameters
    ----------
    raw : sequence of bytes
        Content of the files, in the order of the addresses.
    info : DatasetInfo
        The data set; it must not be a bundled one.

    Returns
    -------
    Table
        Its SHA-256 is `info.sha256` if the files are the right ones.

    Raises
    ------
    ValueError or LookupError
        Where the files have another form.

    Examples
    --------
    >>> from thresher.datasets.catalog import catalog
    >>> raw = b"Width,Stains_Fault,Other_Faults\n7,0,1\n8,1,0\n"
    >>> build_table([raw], catalog()["steel_plates-stains"]).y
    array([0, 1])
    """
    return BUILDERS[info.origin.name]([content.decode() for content in raw], info)


def _birds(raw: Sequence[str], info: DatasetInfo) -> Table:
    """Numbers, then hasSegments, then indicators of the location; the training file first."""
    (attributes, train), (_, test) = (read_arff(text) for text in raw)
    names = [attribute.name for attribute in attributes]
    cells = dict(zip(names, zip(*train, *test, strict=True), strict=True))
    location = _numbers([cells.pop("location")])
    has_segments = _numbers([cells.pop("hasSegments")])
    numeric = [item.name for item in attributes if item.levels is None and item.name in cells]
    (label,) = (name for name in names if info.positive[0] in name)
    places = np.arange(1, BIRD_LOCATIONS + 1)
    X = np.hstack([_numbers([cells[n] for n in numeric]), has_segments, location == places])
    columns = (*numeric, "hasSegments", *(f"location_{place}" for place in places))
    return Table(columns, X, _flags(cells[label]))


def _secom(raw: Sequence[str], info: DatasetInfo) -> Table:
    """Sensors V1, V2, ... separated by blanks; the other file has -1 or 1 and a time in a row."""
    data, labels = raw
    rows = [line.split() for line in data.splitlines()]
    cells = {f"V{place}": cell for place, cell in enumerate(zip(*rows, strict=True), start=1)}
    columns = tuple(name for name in cells if name not in info.left_out)
    results = [line.split()[0] for line in labels.splitlines()]
    return Table(columns, _numbers([cells[name] for name in columns]), _flags(results))


def _ai4i(raw: Sequence[str], info: DatasetInfo) -> Table:
    """Measurements, which are named with their unit, then indicators of the type."""
    cells = _csv_columns(raw[0])
    measured = [name for name in cells if name.endswith("]")]
    indicators = {
        f"{name}={level}": [str(int(cell == level)) for cell in cells[name]]
        for name, levels in info.categories.items()
        for level in levels
    }
    X = _numbers([*(cells[name] for name in measured), *indicators.values()])
    return Table((*measured, *indicators), X, _flags(cells[info.positive[0]]))


def _steel_plates(raw: Sequence[str], info: DatasetInfo) -> Table:
    """All columns but the seven kinds of faults, one of which is the target."""
    cells = _csv_columns(raw[0])
    columns = tuple(name for name in cells if not name.endswith(("_Fault", "_Faults")))
    return Table(columns, _numbers([cells[n] for n in columns]), _flags(cells[info.positive[0]]))


BUILDERS: dict[str, Callable[[Sequence[str], DatasetInfo], Table]] = {
    "Birds": _birds,
    "SECOM": _secom,
    "AI4I": _ai4i,
    "Steel plates": _steel_plates,
}


def _csv_columns(text: str) -> dict[str, tuple[str, ...]]:
    header, *rows = csv.reader(text.splitlines())
    return dict(zip(header, zip(*rows, strict=True), strict=True))


def _numbers(columns: Sequence[Sequence[str]]) -> NDArray[np.float64]:
    return np.stack([np.array(column, dtype=np.float64) for column in columns], axis=1)


def _flags(cells: Sequence[str]) -> NDArray[np.int64]:
    return np.array([float(cell) == 1 for cell in cells], dtype=np.int64)
