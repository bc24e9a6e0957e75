"""Readers of model files of former versions, by version; they stay when the format moves on.

A reader takes the bytes of a file and returns what `container.unpack` returns for the present one.
"""

from collections.abc import Callable

from thresher.model_file.container import Contents
from thresher.model_file.old.version_1 import unpack_version_1

LOADERS: dict[int, Callable[[bytes | bytearray], Contents]] = {1: unpack_version_1}
