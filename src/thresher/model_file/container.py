"""The bytes of a model file: a safetensors container with a document, arrays and a digest.

Only what `pack` writes is taken: the header must be, byte for byte, the one that `pack` makes of
its contents. `pip install safetensors` reads the same files.
"""

import json
import re
from collections.abc import Mapping
from hashlib import sha256
from math import prod
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from thresher.errors import DamagedModelError, ModelFileError
from thresher.model_file.fields import Record, require

VERSION = 5
MAX_HEADER_BYTES = 4 * 2**20
MAX_ARRAYS = 10_000
MAX_PARTS = 250_000
"""Most objects and lists of the header, those of the document among them."""
TYPES = {
    "BOOL": "?",
    "U8": "|u1",
    "I8": "|i1",
    "U16": "<u2",
    "I16": "<i2",
    "U32": "<u4",
    "I32": "<i4",
    "I64": "<i8",
    "F32": "<f4",
    "F64": "<f8",
}
"""The types of safetensors that are used, and NumPy's names for them."""

_NAME_OF = {np.dtype(text): name for name, text in TYPES.items()}
_START = re.compile(rb'.{8}\{"__metadata__":\{"thresher":"([0-9]{1,9})","sha256":"', re.DOTALL)
_END = re.compile(rb'(?:"\}|"data_offsets":\[[0-9]{1,20},([0-9]{1,20})\]\})\} {0,7}\Z')
_END_BYTES = 128
"""Enough of a header to find its end, with the end of the last array."""
_ZEROS = "0" * 64

Arrays = Mapping[str, NDArray[Any]]


class Contents(NamedTuple):
    """A document (JSON) and arrays by name."""

    document: str
    arrays: dict[str, NDArray[Any]]


def pack(document: str, arrays: Arrays) -> bytes:
    """Return the container of a document and arrays.

    >>> content = pack("{}", {"cut": np.array([0.5])})
    >>> unpack(content).arrays["cut"].tolist()
    [0.5]
    """
    parts = dict(sorted(arrays.items(), key=lambda item: (-item[1].dtype.itemsize, item[0])))
    header = _header(document, parts, _ZEROS)
    if len(header) > MAX_HEADER_BYTES:
        raise ModelFileError(
            f"The names and levels of the model take {len(header):,} bytes, and a file holds "
            f"{MAX_HEADER_BYTES:,}; use fewer or shorter ones."
        )
    content = b"".join(
        [
            len(header).to_bytes(8, "little"),
            header,
            *(values.tobytes() for values in parts.values()),
        ]
    )
    return content.replace(_ZEROS.encode(), sha256(content).hexdigest().encode(), 1)


def _header(document: str, arrays: Arrays, digest: str) -> bytes:
    """Return the header, padded so that arrays start at a multiple of 8."""
    metadata = {"thresher": str(VERSION), "sha256": digest, "document": document}
    content: dict[str, Any] = {"__metadata__": metadata}
    end = 0
    for name, values in arrays.items():
        start, end = end, end + values.nbytes
        content[name] = {
            "dtype": _NAME_OF[values.dtype],
            "shape": list(values.shape),
            "data_offsets": [start, end],
        }
    text = json.dumps(content, separators=(",", ":"))
    return (text + " " * (-len(text) % 8)).encode("ascii")


START_BYTES = 8 + 128
"""Enough of a file to tell its version."""


def version_of(content: bytes | bytearray) -> int | None:
    """Return the format version of a model file, None where it is none."""
    found = _START.match(content)
    return None if found is None else int(found[1])


def header_end(content: bytes | bytearray) -> int:
    """Return where the header of a file ends, whose start is given."""
    length = int.from_bytes(content[:8], "little")
    require(length <= MAX_HEADER_BYTES, "its header is too long")
    return 8 + length


def check_size(content: bytes | bytearray, size: int) -> None:
    """Raise unless a file, given at least to the end of its header, has the size that it tells."""
    end = header_end(content)
    require(end <= min(len(content), size), "it is cut off")
    found = _END.search(content, max(0, end - _END_BYTES), end)
    require(found is not None, "its header is not in canonical form")
    assert found is not None
    told = end + int(found[1] or 0)
    require(size >= told, "it is cut off")
    require(size <= told, "it has bytes behind its arrays")


def unpack(content: bytes | bytearray) -> Contents:
    """Return what a container holds; a DamagedModelError if it was changed."""
    check_size(content, len(content))
    end = header_end(content)
    digest = _check_digest(content)
    header = bytes(content[8:end])
    data = parse(header.decode("ascii", errors="replace"), MAX_PARTS)
    require(type(data) is dict and len(data) - 1 <= MAX_ARRAYS, "its header is not an object")
    document = Record(data.pop("__metadata__", None), "its metadata").text("document")
    arrays = _arrays(data, memoryview(content).toreadonly()[end:])
    require(_header(document, arrays, digest) == header, "its header is not in canonical form")
    return Contents(document, arrays)


def _check_digest(content: bytes | bytearray) -> str:
    """Return the digest, which is that of the file with 64 zeros in its place."""
    found = _START.match(content)
    require(found is not None, "its header has no digest")
    assert found is not None
    start, end = found.end(), found.end() + len(_ZEROS)
    expected = sha256(content[:start])
    expected.update(_ZEROS.encode())
    expected.update(memoryview(content)[end:])
    digest = expected.hexdigest()
    require(content[start:end] == digest.encode(), "its SHA-256 is not that of its content")
    return digest


def _arrays(entries: dict[str, Any], data: memoryview) -> dict[str, NDArray[Any]]:
    """Return views of the arrays, one behind the other, that fill the data exactly."""
    arrays, end = {}, 0
    for name, entry in entries.items():
        require(type(entry) is dict, f"the entry of array {name!r} is not an object")
        text, shape = entry.get("dtype"), entry.get("shape")
        require(type(text) is str and text in TYPES, f"array {name!r} has an unknown type")
        is_shape = type(shape) is list and len(shape) <= 2
        is_shape = is_shape and all(type(size) is int and 0 <= size < 2**48 for size in shape)
        require(is_shape, f"array {name!r} has a wrong shape")
        dtype = np.dtype(TYPES[text])
        start, end = end, end + prod(shape) * dtype.itemsize
        require(end <= len(data), f"array {name!r} reaches beyond the end")
        values = np.frombuffer(data[start:end], dtype=dtype).reshape(shape)
        if dtype == np.bool_:
            require((values.view(np.uint8) <= 1).all(), f"array {name!r} is not made of booleans")
        arrays[name] = values
    require(end == len(data), "it has bytes behind its arrays")
    return arrays


# --------------------------------------------------------------------------------------------- JSON


def parse(text: str, most_parts: int | None = None) -> Any:
    """Return the data of a JSON text; a DamagedModelError where it is none.

    `most_parts` limits objects and lists: an empty list takes 20 times the memory of its text.

    >>> parse('{"a": 1, "a": 2}')
    Traceback (most recent call last):
    ...
    thresher.errors.DamagedModelError: the key 'a' is there twice
    """
    if most_parts is not None and text.count("[") + text.count("{") > most_parts:
        raise DamagedModelError("its JSON has too many parts")
    try:
        return json.loads(text, object_pairs_hook=_object, parse_constant=_refuse)
    except DamagedModelError:
        raise
    except RecursionError:
        raise DamagedModelError("its JSON is nested too deeply") from None
    except ValueError:
        raise DamagedModelError("its JSON is not valid") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        seen: set[str] = set()
        twice = next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise DamagedModelError(f"the key {twice[:80]!r} is there twice")
    return result


def _refuse(constant: str) -> NoReturn:
    raise DamagedModelError(f"its JSON has the value {constant}")
