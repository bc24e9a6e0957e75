"""Coded rows in the order of a hash of their content, where memory does not hold them."""

from collections.abc import Iterable
from contextlib import ExitStack, closing
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from thresher import _core
from thresher.scale.block_cache import Spill
from thresher.seam.coded import CodedBlock, by_content

MOST_BUCKETS = 64
"""Each has up to three files open."""


def sorted_on_disk(
    blocks: Iterable[CodedBlock],
    n_bytes: int,
    memory: int,
    folder: Path | str | None,
    stack: ExitStack,
) -> CodedBlock:
    """Return all rows as a view of a file that `stack` removes.

    Rows go to files by the upper digits of their hash; each file, of about `memory` bytes, is then
    sorted by itself.
    """
    n_buckets = min(MOST_BUCKETS, n_bytes // max(1, memory) + 1)
    result = stack.enter_context(closing(Spill(folder)))
    with ExitStack() as temporary:
        buckets = [temporary.enter_context(closing(Spill(folder))) for _ in range(n_buckets)]
        for block in blocks:
            places = buckets_of(_core.hash_rows(*block), n_buckets)
            for place in np.unique(places).tolist():
                buckets[place].add(block.where(places == place))
        for bucket in buckets:
            if bucket.n_rows:
                result.add(by_content([bucket.whole()]))
            bucket.close()
    return result.whole()


def buckets_of(hashes: NDArray[np.uint64], n_buckets: int) -> NDArray[np.uint64]:
    """Return the bucket of each hash; a larger one has no lower bucket.

    >>> buckets_of(np.array([0, 2**63 - 1, 2**63, 2**64 - 1], dtype=np.uint64), 2).tolist()
    [0, 0, 1, 1]
    """
    half = np.uint64(32)
    places: NDArray[np.uint64] = (hashes >> half) * np.uint64(n_buckets) >> half
    return places
