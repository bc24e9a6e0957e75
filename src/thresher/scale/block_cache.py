"""Where coded blocks of one machine are kept: in memory or, above a limit, in a temporary file."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from thresher.seam.coded import CodedBlock, concatenated

ROWS_AT_ONCE = 1 << 18
"""Rows of a block that is read from the file."""

PARTS = ("codes", "labels", "weights")


class BlockCache:
    """Takes blocks one by one, and gives them back as few large ones.

    Parameters
    ----------
    limit : int
        Bytes that may be kept in memory.
    folder : path, default=None
        Where a temporary folder is made if that is not enough; the system's own by default.
    """

    def __init__(self, limit: int, folder: Path | str | None = None) -> None:
        self._limit, self._folder = limit, folder
        self._kept: list[CodedBlock] = []
        self._bytes = 0
        self._spill: Spill | None = None

    def add(self, block: CodedBlock) -> None:
        """Keep a block."""
        if not len(block.codes):
            return
        if self._spill is not None:
            self._spill.add(block)
            return
        self._kept.append(block)
        self._bytes += block.n_bytes
        if self._bytes > self._limit:
            self._spill = Spill(self._folder)
            for kept in self._kept:
                self._spill.add(kept)
            self._kept = []

    def blocks(self) -> list[CodedBlock]:
        """Return all rows: one block in memory, or blocks of a mapped file."""
        if self._spill is not None:
            return list(self._spill.blocks())
        self._kept = [concatenated(self._kept)]
        return self._kept

    def close(self) -> None:
        """Let go of the memory, and remove the file."""
        self._kept = []
        if self._spill is not None:
            self._spill.close()


class Spill:
    """Blocks in a temporary folder that goes away with `close`."""

    def __init__(self, folder: Path | str | None) -> None:
        self._stack = ExitStack()
        self._folder = Path(
            # Windows keeps files that are still mapped; they go with the system's own cleaning.
            self._stack.enter_context(
                TemporaryDirectory(prefix="thresher-", dir=folder, ignore_cleanup_errors=True)
            )
        )
        self._files: dict[str, IO[bytes]] = {}
        self.n_rows = self._n_features = 0

    def add(self, block: CodedBlock) -> None:
        """Write a block."""
        self.n_rows += len(block.codes)
        self._n_features = block.codes.shape[1]
        for name, part in zip(PARTS, block, strict=True):
            if part is not None:
                np.ascontiguousarray(part).tofile(self._file(name))

    def _file(self, name: str) -> IO[bytes]:
        if name not in self._files:
            self._files[name] = self._stack.enter_context((self._folder / name).open("wb"))
        return self._files[name]

    def whole(self) -> CodedBlock:
        """Return the rows as views of the files."""
        for file in self._files.values():
            file.flush()
        codes = self._mapped("codes", np.uint8).reshape(-1, self._n_features)
        labels = self._mapped("labels", np.uint8)
        weights = self._mapped("weights", np.int64) if "weights" in self._files else None
        return CodedBlock(codes, labels, weights)

    def blocks(self) -> Iterator[CodedBlock]:
        """Yield the rows as views of the files, some at a time."""
        whole = self.whole()
        for begin in range(0, self.n_rows, ROWS_AT_ONCE):
            yield whole.where(slice(begin, begin + ROWS_AT_ONCE))

    def _mapped(self, name: str, dtype: Any) -> NDArray[Any]:
        return np.memmap(self._folder / name, dtype=dtype, mode="r").view(np.ndarray)

    def close(self) -> None:
        """Remove the folder."""
        self._stack.close()
