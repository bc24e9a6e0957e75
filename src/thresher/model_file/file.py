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
    parse,
    unpack,
    version_of,
)
from thresher.model_file.fields import Record, damage_told, require
from thresher.model_file.models import describe_model, restore_model
from thresher.whole_file import NO_LINK, whole_file

MODEL_FILE = "model.thresher"
"""What `thresher train` writes into its folder."""
AGAIN = "save the model again"
"""What helps where a file is damaged."""


class StoredModel(NamedTuple):
    """A model, and notes of its writer: any JSON, with arrays in its objects."""

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
        A file, or the folder of `thresher train`.

    Returns
    -------
    The fitted estimator.

    Raises
    ------
    ModelFileError
        A ValueError that says what is wrong with the file, and what to do.
    """
    return read_model(Path(path)).model


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
    """Read a model with its notes from a file, or from the folder of `thresher train`.

    A folder may come from somebody else: a link in it is not followed.
    """
    is_folder = path.is_dir()
    path = path / MODEL_FILE if is_folder else path
    if is_folder and path.is_symlink():
        raise ModelFileError(
            f"'{path}' is a link, which is not followed out of a folder; name the model's own file."
        )
    try:
        content = _bytes_of(path, NO_LINK if is_folder else 0)
    except OSError as error:
        raise ModelFileError(
            f"'{path}' cannot be read: {error.strerror or error}; check the path."
        ) from error
    except MemoryError:
        raise ModelFileError(f"'{path}' is larger than the memory; is it a model?") from None
    return from_bytes(content, f"'{path}'")


def _bytes_of(path: Path, flags: int = 0) -> bytearray:
    """Read a file that starts as a model does and has its size; others may be large, or endless."""
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise ModelFileError(f"'{path}' is not a regular file; copy the model to one.")
    with (
        open(path, "rb", opener=lambda name, mode: os.open(name, mode | flags)) as file,
        damage_told(f"'{path}'", AGAIN),
    ):
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


# -------------------------------------------------------------------------------- content of a file


def to_bytes(stored: StoredModel) -> bytes:
    """Return the content of a model's file, which is known to be readable."""
    from thresher import __version__

    arrays: dict[str, NDArray[Any]] = {}
    parts = {"model": describe_model(stored.model), "notes": stored.notes}
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
    _check_version(content, name)
    with damage_told(name, AGAIN):
        return _stored_in(unpack(content))


def _check_version(content: bytes | bytearray, name: str) -> None:
    """Raise for what is no model's file, or one of another version."""
    version = version_of(content)
    if version is None:
        raise ModelFileError(
            f"{name} is no model of thresher; `thresher train` and save_model write them."
        )
    if version != VERSION:
        raise ModelFileError(
            f"{name} is a model file of version {version}, and this thresher reads version "
            f"{VERSION}; train the model again."
        )


def _stored_in(contents: Contents) -> StoredModel:
    data = parse(contents.document, MAX_PARTS)
    record = Record(data, "document")
    for path, values in contents.arrays.items():
        _put(data, path, values)
    return StoredModel(restore_model(record.record("model").data), record["notes"])


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
