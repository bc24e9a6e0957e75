"""Tables that are part of the package: each base table once, from which the data sets are made.

A base table is gzipped CSV: features, then `class`, then columns that hold the order of rows.
"""

import hashlib
from importlib.resources import files
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from thresher.datasets.catalog import DatasetInfo, Origin
from thresher.datasets.table import Table, parse_numbers, unpack_csv

CLASS = "class"


def bundled_table(info: DatasetInfo) -> Table:
    """Make the table of a data set from its base table.

    Examples
    --------
    >>> from thresher.datasets.catalog import catalog
    >>> table = bundled_table(catalog()["Yeast-vac-vs-nuc"])
    >>> table.X.shape, table.columns
    ((459, 7), ('mcg', 'gvh', 'alm', 'mit', 'erl', 'vac', 'nuc'))
    """
    names, body = unpack_csv(_checked_file(info.origin))
    count = names.index(CLASS)
    further = [line.split(",")[count:] for line in body.splitlines()]
    classes = np.array([cells[0] for cells in further])
    rows = _rows(info, classes, names[count:], further)
    kept = np.isin(names[:count], info.left_out, invert=True)
    X = parse_numbers(body, range(count))[rows][:, kept]
    y = np.isin(classes[rows], info.positive).astype(np.int64)
    return Table(tuple(compress(names, kept)), np.ascontiguousarray(X), y)


def _rows(
    info: DatasetInfo, classes: NDArray[np.str_], names: list[str], further: list[list[str]]
) -> NDArray[np.intp]:
    if info.order is not None:
        place = names.index(info.order)
        return np.argsort([int(cells[place]) for cells in further])
    wanted = np.isin(classes, info.positive + info.negative) if info.negative else classes != ""
    return np.flatnonzero(wanted)


def _checked_file(origin: Origin) -> bytes:
    content = files("thresher.datasets").joinpath(f"data/{origin.name}.csv.gz").read_bytes()
    if hashlib.sha256(content).hexdigest() != origin.sha256:
        raise ValueError(
            f"The package's file {origin.name}.csv.gz is damaged (its SHA-256 is not the "
            "catalogue's); install thresher again."
        )
    return content
