"""Models as JSON that people can read: numbers exact, nodes with the names of their columns.

docs/model-schema.json is the schema.
"""

import json
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from thresher.errors import DamagedModelError, ModelFileError
from thresher.model_file.description import describe_model, restore_model
from thresher.model_file.json.nodes import tree_to_nodes, trees_from_packed
from thresher.model_file.json.reading import packed_from_trees, tree_from_nodes
from thresher.model_file.record import Record, is_number, require
from thresher.model_file.strict_json import parse

VERSION = 1
LINE = 100
"""Most characters of an object in one line."""
LEAST_PARTS, CHARACTERS = 1_000, 8
"""A text may have so many objects and lists, and one more for so many characters."""


def to_json(model: Any) -> str:
    """Return a fitted model as JSON text that people can read.

    Parameters
    ----------
    model : fitted estimator, as for `save_model`

    Returns
    -------
    str
        `from_json` makes the same model of it, bit for bit.

    Examples
    --------
    >>> from thresher import ImbalancedTreeClassifier, to_json
    >>> X, y = [[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]], ["ok"] * 4 + ["scrap"] * 2
    >>> text = to_json(ImbalancedTreeClassifier("gini").fit(X, y))
    >>> '"asks": 0, "at_most": 4.5, "missing": "left"' in text
    True
    """
    text = _text_of(describe_model(model))
    try:
        restore_model(_described(parse(text)["model"]))
    except DamagedModelError as error:
        raise ModelFileError(
            f"The model cannot be written as JSON: {error}; fit it again with the parameters that "
            "it has now."
        ) from None
    return text


def _text_of(description: dict[str, Any]) -> str:
    from thresher import __version__

    plain = _plain(description, None)
    text = pretty({"thresher": VERSION, "library": __version__, "model": plain})
    # A lone surrogate is no character that a file could hold.
    return re.sub("[\ud800-\udfff]", lambda one: f"\\u{ord(one[0]):04x}", text) + "\n"


def from_json(text: str) -> Any:
    """Return the model that `to_json` wrote.

    Parameters
    ----------
    text : str

    Returns
    -------
    The fitted estimator.

    Raises
    ------
    ModelFileError
        A ValueError that says what is wrong with the text.

    Examples
    --------
    >>> from thresher import LeastSquaresClassifier, from_json, to_json
    >>> model = LeastSquaresClassifier().fit([[0.0], [1.0], [2.0]], [0, 0, 1])
    >>> bool(from_json(to_json(model)).coef_ == model.coef_)
    True
    """
    if not isinstance(text, str):
        raise TypeError(f"text must be a str, got {type(text).__name__}.")
    try:
        document = Record(parse(text, LEAST_PARTS + len(text) // CHARACTERS), "the document")
        _check_version(document)
        return restore_model(_described(document["model"]))
    except DamagedModelError as error:
        raise DamagedModelError(
            f"The JSON text is not a model of thresher: {error}; write it again with to_json."
        ) from None


def _check_version(document: Record) -> None:
    version = document.integer("thresher", 1, 10**9)
    if version > VERSION:
        raise ModelFileError(
            f"The JSON text is of version {version}, and this library reads up to version "
            f"{VERSION}; install a newer thresher."
        )


# ------------------------------------------------------------------------------- arrays and nodes

TREES = ("tree", "unpruned_tree")
PACKED = "trees"


def _plain(data: Any, columns: Any) -> Any:
    """Return a description without arrays: trees as nodes, other arrays as lists."""
    if isinstance(data, np.ndarray):
        return {"dtype": str(data.dtype), "array": data.tolist()}
    if isinstance(data, list):
        return [_plain(one, columns) for one in data]
    if not isinstance(data, dict):
        return data
    columns = data.get("columns", columns)
    special: dict[str, Callable[[Any, Any], Any]] = dict.fromkeys(TREES, tree_to_nodes)
    special[PACKED] = trees_from_packed
    return {
        name: special[name](value, columns)
        if name in special and value is not None
        else _plain(value, columns)
        for name, value in data.items()
    }


def _described(data: Any) -> Any:
    """Return the description behind the data of a JSON text."""
    try:
        return _with_arrays(data, "model", None)
    except RecursionError:
        raise DamagedModelError("its data are nested too deeply") from None


def _with_arrays(data: Any, place: str, columns: Any) -> Any:
    """Return the description behind the data of `_plain`, whose objects and lists it takes over."""
    if type(data) is list:
        for number, one in enumerate(data):
            data[number] = _with_arrays(one, place, columns)
    if type(data) is not dict:
        return data
    if set(data) == {"dtype", "array"}:
        return _array(Record(data, place))
    columns = data.get("columns", columns)
    for name, value in data.items():
        data[name] = _field(name, value, columns)
    return data


def _field(name: str, value: Any, columns: Any) -> Any:
    if name in ("parameters", "columns", "classes"):
        return value
    if name in TREES and value is not None:
        return tree_from_nodes(Record(value, name), Record(columns, "columns"))
    if name == PACKED:
        return packed_from_trees(Record(value, name), Record(columns, "columns"))
    return _with_arrays(value, name, columns)


DTYPES = {
    **dict.fromkeys(("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32"), int),
    "float32": float,
    "float64": float,
    "bool": bool,
}


def _array(record: Record) -> Any:
    text, values = record.text("dtype"), record.items("array")
    require(text in DTYPES, f"{record.place} has an unknown dtype")
    flat = [one for row in values for one in row] if _is_table(values) else values
    for one in flat:
        is_sound = is_number(one) if DTYPES[text] is float else type(one) is DTYPES[text]
        require(is_sound, f"{record.place} has a value that is not of its dtype")
    try:
        return np.array(values, dtype=text)
    except (OverflowError, ValueError):
        raise DamagedModelError(f"{record.place} has values that its dtype cannot hold") from None


def _is_table(values: list[Any]) -> bool:
    return bool(values) and all(type(row) is list for row in values)


# ------------------------------------------------------------------------------------------- text


def pretty(data: Any, indent: str = "") -> str:
    """Return JSON whose small objects and lists of numbers take one line.

    >>> print(pretty({"rows": [1, 2], "nodes": [{"node": 0}, {"node": 1}]}))
    {
      "rows": [1, 2],
      "nodes": [
        {"node": 0},
        {"node": 1}
      ]
    }
    """
    if not isinstance(data, dict | list) or not data or _is_line(data):
        return json.dumps(data, ensure_ascii=False, allow_nan=False)
    inner = indent + "  "
    if isinstance(data, dict):
        parts = [f"{json.dumps(key)}: {pretty(value, inner)}" for key, value in data.items()]
    else:
        parts = [pretty(value, inner) for value in data]
    start, end = "{}" if isinstance(data, dict) else "[]"
    return f"{start}\n{inner}" + f",\n{inner}".join(parts) + f"\n{indent}{end}"


def _is_line(data: Any) -> bool:
    """Whether an object or list is best read in one line."""
    if isinstance(data, dict):
        if "node" in data:
            return True
        return _is_flat(data.values()) and len(json.dumps(data)) <= LINE
    return not any(isinstance(one, dict | list) and one for one in data)


def _is_flat(values: Any) -> bool:
    return not any(isinstance(one, dict | list) and one for one in values)
