"""Some rows of a lake in memory, drawn at random: for what needs rows side by side."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from thresher.plant.lake.lake import Lake

MAX_ROWS, MIN_ROWS = 100_000, 5_000
MAX_VALUES = 8_000_000
"""Of all columns of a sample together."""


def sample_size(width: int) -> int:
    """Return how many rows of so many columns a sample has at most.

    >>> sample_size(20), sample_size(800), sample_size(10_000)
    (100000, 10000, 5000)
    """
    return max(MIN_ROWS, min(MAX_ROWS, MAX_VALUES // max(1, width)))


def draw(lake: Lake, columns: Sequence[str], seed: int) -> Any:
    """Return some columns of rows drawn without replacement, in their order, as a table of Arrow.

    Which rows follows from their number and the seed alone. All rows where they are few.
    """
    import pyarrow as pa

    n_rows, most = lake.n_rows, sample_size(len(lake.schema.names))
    places = np.arange(n_rows)
    if n_rows > most:
        places = np.sort(np.random.default_rng(seed).choice(n_rows, most, replace=False))
    found, begin = [], 0
    for batch in lake.batches(columns):
        first, last = np.searchsorted(places, [begin, begin + batch.num_rows])
        found.append(batch.take(pa.array(places[first:last] - begin)))
        begin += batch.num_rows
    kinds = [lake.schema.field(name) for name in columns]
    return pa.Table.from_batches(found, schema=pa.schema(kinds)).unify_dictionaries()
