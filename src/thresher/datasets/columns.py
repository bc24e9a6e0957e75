"""A data set, or the simulated line, as columns of a table."""

from collections.abc import Mapping

import numpy as np

from thresher.datasets import AssemblyLine, dataset_info, load_dataset, make_assembly_line
from thresher.datasets.load import feature_names
from thresher.tables.table import Column
from thresher.texts import Texts

LINE = "assembly_line"
"""The name of the simulated line among the data sets."""
TARGET = "target"


def dataset_columns(name: str) -> dict[str, Column]:
    """Return the columns of a data set, the target last; indicator columns are one text again.

    >>> list(dataset_columns("Yeast-me1"))[-2:]
    ['nuc', 'target']
    """
    if name == LINE:
        return line_columns(make_assembly_line(as_frame=False, random_state=0))
    X, y = load_dataset(name)
    columns = _with_texts(X, feature_names(name), dataset_info(name).categories)
    return {**columns, TARGET: y.astype(np.float64)}


def line_columns(line: AssemblyLine) -> dict[str, Column]:
    """Return a simulated line (made with `as_frame=False`) with numbers of parts and times."""
    names = list(line.stations)
    categories: dict[str, tuple[str, ...]] = {}
    for column, found, level in (name.partition("=") for name in names):
        if found:
            categories[column] = (*categories.get(column, ()), level)
    parts = Texts.of(f"P{number:05d}" for number in range(1, len(line.y) + 1))
    times = Texts.of(str(time).replace("T", " ") for time in line.time)
    measured = _with_texts(line.X, names, categories)
    return {"part": parts, "finished": times, **measured, "scrap": line.y.astype(np.float64)}


def line_stations(line: AssemblyLine) -> dict[str, Column]:
    """Return the columns of a table that tells the station of each column."""
    stations = {name.partition("=")[0]: station for name, station in line.stations.items()}
    return {"column": Texts.of(stations), "station": Texts.of(stations.values())}


def _with_texts(
    X: np.ndarray, names: list[str], categories: Mapping[str, tuple[str, ...]]
) -> dict[str, Column]:
    columns: dict[str, Column] = {}
    for place, name in enumerate(names):
        column, _, level = name.partition("=")
        if column not in categories or level not in categories[column]:
            columns[name] = X[:, place]
        elif column not in columns:
            indicators = [names.index(f"{column}={one}") for one in categories[column]]
            codes = X[:, indicators].argmax(axis=1)
            columns[column] = Texts.of(categories[column][code] for code in codes.tolist())
    return columns
