"""Public names that are imported when they are first used, so that importing a package is fast."""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def importer(module: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """Return the `__getattr__` of a module; `homes` tells where its names are defined.

    >>> importer("thresher.lazy", {"log2": "math"})("log2")(8)
    3.0
    """

    def get(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        value = getattr(import_module(homes[name]), name)
        setattr(sys.modules[module], name, value)
        return value

    return get
