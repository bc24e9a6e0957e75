"""Models as files: written as a whole or not at all, checked before they are used.

docs/model-format.md describes the format. Nothing in a file is executed when it is read.
"""

import json
import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.errors import DamagedModelError, ModelFileError
from thresher.model_file.container import (
    MAX_PARTS,
    START_BYTES,
    VERSION,
    Contents,
    check_size,
    header_end,
    pack,
    unpack,
    version_of,
)
from thresher.model_file.description import describe_model, restore_model
from thresher.model_file.old import LOADERS
from thresher.model_file.record import Record, damage_told, require
from thresher.model_file.strict_json import parse
from thresher.whole_file import whole_file

SEVERAL = "several"
"""The kind of several models in one file."""
AGAIN = "save the model again"
"""What helps where a file is damaged."""


class SeveralModels(NamedTuple):
    """Models in one file, in order; the notes tell what each is for."""

    models: tuple[Any, ...]


class StoredModel(NamedTuple):
    """One model or several, and notes of its writer: any JSON, with arrays in its objects."""

    model: Any
    notes: Any


def save_model(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a fitted model to a file, by custom `*.thresher`.

    The file has all that prediction, thresholds, conditions and exports need. It is written
    beside `path` first, so that `path` is the old file or the new one, never a torn one.

    Parameters
    ----------
    model : fitted estimator of this library
        A ThresholdClassifier around one of the others, or around scikit-learn's
        LogisticRegression. Functions and random states among the parameters are refused. A
        forest leaves its training rows behind; see its `imitation_`.
    path : str or path

    Raises
    ------
    ModelFileError
        A ValueError that says what cannot be kept, and what to do.

    Examples
    --------
    >>> from thresher import ImbalancedTreeClassifier, load_model, save_model
    >>> X, y = [[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]], ["ok"] * 4 + ["scrap"] * 2
    >>> path = getfixture("tmp_path") / "model.thresher"
    >>> save_model(ImbalancedTreeClassifier().fit(X, y), path)
    >>> load_model(path).predict([[4.4], [4.6]]).tolist()
    ['ok', 'scrap']
    """
    write_model(StoredModel(model, None), Path(path))


def load_model(path: str | os.PathLike[str]) -> Any:
    """Read a model that `save_model` wrote.

    Its predictions are those of the model that was saved, bit for bit. A file that was damaged,
    by accident or by intent, is refused; nothing in it is executed.

    Parameters
    ----------
    path : str or path

    Returns
    -------
    The fitted estimator.

    Raises
    ------
    ModelFileError
        A ValueError that says what is wrong with the file, and what to do.
    """
    found = read_model(Path(path)).model
    if isinstance(found, SeveralModels):
        raise ModelFileError(
            f"'{path}' holds {len(found.models)} models, one a reason code; read it with "
            "thresher.plant.CodedModel.load."
        )
    return found


def write_model(stored: StoredModel, path: Path) -> None:
    """Write a model with notes."""
    content = to_bytes(stored)
    try:
        with whole_file(path) as temporary:
            temporary.write_bytes(content)
    except OSError as error:
        raise ModelFileError(
            f"'{path}' cannot be written: {error.strerror or error}; name another place."
        ) from error


def read_model(path: Path) -> StoredModel:
    """Read a model with its notes."""
    try:
        content = _bytes_of(path)
    except OSError as error:
        raise ModelFileError(
            f"'{path}' cannot be read: {error.strerror or error}; check the path."
        ) from error
    except MemoryError:
        raise ModelFileError(f"'{path}' is larger than the memory; is it a model?") from None
    return from_bytes(content, f"'{path}'")


def _bytes_of(path: Path) -> bytearray:
    """Read a file that starts as a model does and has its size; others may be large, or endless."""
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise ModelFileError(f"'{path}' is not a regular file; copy the model to one.")
    with path.open("rb") as file, damage_told(f"'{path}'", AGAIN):
        start = file.read(START_BYTES)
        _check_version(start, f"'{path}'")
        start += file.read(max(0, header_end(start) - len(start)))
        size = os.fstat(file.fileno()).st_size
        check_size(start, size)
        content = bytearray(size)
        content[: len(start)] = start
        n_read = file.readinto(memoryview(content)[len(start) :])
        require(len(start) + n_read == size, "it is cut off")
        return content


# ------------------------------------------------------------------------------- content of a file


def to_bytes(stored: StoredModel) -> bytes:
    """Return the content of a model's file, which is known to be readable."""
    from thresher import __version__

    arrays: dict[str, NDArray[Any]] = {}
    parts = {"model": _described(stored.model), "notes": stored.notes}
    document = {"library": __version__, **_without_arrays(parts, "", arrays)}
    content = pack(json.dumps(document, allow_nan=False, separators=(",", ":")), arrays)
    try:
        _stored_in(unpack(content))
    except DamagedModelError as error:
        raise ModelFileError(
            f"The model cannot be saved: {error}; fit it again with the parameters that it has now."
        ) from None
    return content


def from_bytes(content: bytes | bytearray, name: str) -> StoredModel:
    """Return the model in a file's content; `name` is for messages."""
    version = _check_version(content, name)
    with damage_told(name, AGAIN):
        return _stored_in(LOADERS.get(version, unpack)(content))


def _check_version(content: bytes | bytearray, name: str) -> int:
    """Return the version of a file, which this library can read."""
    version = version_of(content)
    if version is None:
        raise ModelFileError(
            f"{name} is no model of thresher; `thresher train` and save_model write them."
        )
    if version != VERSION and version not in LOADERS:
        raise ModelFileError(
            f"{name} is a model file of version {version}, and this library reads up to version "
            f"{VERSION}; install a newer thresher."
        )
    return version


def _stored_in(contents: Contents) -> StoredModel:
    data = parse(contents.document, MAX_PARTS)
    record = Record(data, "document")
    for path, values in contents.arrays.items():
        _put(data, path, values)
    return StoredModel(_restored(record.record("model")), record["notes"])


def _described(model: Any) -> dict[str, Any]:
    if isinstance(model, SeveralModels):
        return {"kind": SEVERAL, "models": [describe_model(one) for one in model.models]}
    return describe_model(model)


def _restored(record: Record) -> Any:
    if record.data.get("kind") != SEVERAL:
        return restore_model(record.data)
    found = tuple(restore_model(one.data) for one in record.records("models"))
    require(found, "it holds no model")
    return SeveralModels(found)


# ------------------------------------------------------------------------------ arrays and the rest


def _without_arrays(data: Any, path: str, arrays: dict[str, NDArray[Any]]) -> Any:
    """Return plain data without their arrays, which are collected by their way through the data."""
    if isinstance(data, dict):
        kept = {}
        for key, value in data.items():
            if isinstance(value, np.ndarray):
                arrays[f"{path}{key}"] = np.ascontiguousarray(value)
            else:
                kept[key] = _without_arrays(value, f"{path}{key}/", arrays)
        return kept
    if isinstance(data, list):
        return [_without_arrays(one, f"{path}{place}/", arrays) for place, one in enumerate(data)]
    return data


def _put(data: Any, path: str, values: NDArray[Any]) -> None:
    """Put an array back to its place."""
    *way, name = path.split("/")
    for key in way:
        data = _inside(data, key, path)
    require(type(data) is dict and name not in data, f"array {path[:80]!r} has no place")
    data[name] = values


def _inside(data: Any, key: str, path: str) -> Any:
    if type(data) is list and key.isdecimal() and len(key) < 9 and int(key) < len(data):
        return data[int(key)]
    require(type(data) is dict and key in data, f"array {path[:80]!r} has no place")
    return data[key]
