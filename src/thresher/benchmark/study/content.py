"""Names made of content: what a run depends on, as a description and as a SHA-256.

Two runs with the same key have the same outcome, so that it need not be computed twice.
"""

import functools
import hashlib
import inspect
import json
import platform
import re
import sys
from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from thresher.matrix import is_plain, read_uncoded

Description: TypeAlias = Any
"""Lists, dicts, texts and numbers that JSON can write."""


def digest(description: Description) -> str:
    """Return the SHA-256 of a description.

    >>> digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})
    True
    """
    text = json.dumps(description, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def data_digest(X: Any, is_positive: NDArray[Any]) -> str:
    """Return the SHA-256 of a table and its target: values, types, names, levels, order of rows.

    >>> X, y = np.array([[1.0], [2.0]]), np.array([0, 1])
    >>> data_digest(X, y) == data_digest(X.copy(), y), data_digest(X, y) == data_digest(X, y[::-1])
    (True, False)
    """
    matrix, names = (X, None) if is_plain(X) else _read(X)
    sha = hashlib.sha256()
    kind = type(X).__module__.partition(".")[0], str(getattr(X, "dtype", ""))
    sha.update(f"{kind} {matrix.dtype.str} {matrix.shape} {names!r}".encode())
    sha.update(np.ascontiguousarray(matrix).data)
    sha.update(np.ascontiguousarray(is_positive, dtype=np.uint8).data)
    return sha.hexdigest()


def _read(X: Any) -> tuple[NDArray[Any], Any]:
    matrix, columns = read_uncoded(X).with_every_level()
    return matrix, (columns.names, columns.levels)


def versions() -> dict[str, str]:
    """Return the versions that every run depends on."""
    import scipy
    import sklearn

    import thresher

    packages = (np, scipy, sklearn, thresher)
    found = {package.__name__: str(package.__version__) for package in packages}
    return {"python": platform.python_version(), **found}


# ------------------------------------------------------------------------ describing estimators


def describe(value: Any) -> Description:
    """Describe an estimator or one of its parameters: class, code, parameters, all the way down.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> found = describe(DecisionTreeClassifier(max_depth=3))
    >>> found["class"], found["parameters"]["max_depth"]
    ('sklearn.tree._classes.DecisionTreeClassifier', '3')
    """
    if isinstance(value, Mapping):
        return [[describe(key), describe(item)] for key, item in value.items()]
    if isinstance(value, list | tuple):
        return [type(value).__name__, *map(describe, value)]
    if isinstance(value, np.ndarray) and value.dtype != object:
        values = np.ascontiguousarray(value)
        return [str(value.dtype), list(value.shape), hashlib.sha256(values.data).hexdigest()]
    if isinstance(value, set | frozenset):
        return [type(value).__name__, *sorted(map(repr, value))]
    if isinstance(value, np.random.RandomState):
        return ["RandomState", describe(value.get_state())]
    if isinstance(value, np.random.Generator):
        return ["Generator", describe(value.bit_generator.state)]
    if isinstance(value, functools.partial):
        return ["partial", *map(describe, (value.func, value.args, value.keywords))]
    if inspect.isroutine(value) or inspect.isclass(value):
        return _code(value)
    return _describe_object(value)


def _describe_object(value: Any) -> Description:
    if hasattr(value, "get_params"):
        return {**_code(type(value)), "parameters": _described(value.get_params(deep=False))}
    text = repr(value)
    if re.fullmatch(r"<.* object at 0x[0-9a-fA-F]+>", text):  # which says nothing of its state
        return {**_code(type(value)), "attributes": _described(getattr(value, "__dict__", {}))}
    return re.sub(r" at 0x[0-9a-fA-F]+", "", text)


def _described(parameters: Mapping[str, Any]) -> dict[str, Description]:
    return {name: describe(value) for name, value in parameters.items()}


def _code(definition: Any) -> dict[str, str]:
    """Name a class or function and its state: the version of its package, or else its source."""
    module = getattr(definition, "__module__", None) or ""
    name = getattr(definition, "__qualname__", repr(type(definition)))
    package = module.partition(".")[0]
    version = getattr(sys.modules.get(package), "__version__", None)
    if isinstance(version, str):
        return {"class": f"{module}.{name}", "version": version}
    return {"class": f"{module}.{name}", "source": _source_digest(definition)}


@functools.cache
def _source_digest(definition: Any) -> str:
    try:
        return hashlib.sha256(inspect.getsource(definition).encode()).hexdigest()
    except (OSError, TypeError):  # a built-in, or typed into an interpreter that keeps no source
        return ""
