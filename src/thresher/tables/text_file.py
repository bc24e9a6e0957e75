"""The bytes of a CSV file as UTF-8: packed files, encodings, and what is no text at all."""

import gzip
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from thresher.errors import TableError

MAX_LINE_LENGTH = 16 * 2**20
"""Bytes; a line that is longer is taken for a mistake, before memory is filled with it."""

CHUNK = 2**20
MARKS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
"""Byte order marks and the encodings that they tell."""

CONTROL = bytes(set(range(32)) - set(b"\t\n\r\f\x1b"))


def read_bytes(path: Path | None, source: str) -> bytes:
    """Return all bytes of a file, or of standard input for None; packed ones are unpacked."""
    try:
        if path is None:
            data = _limited(sys.stdin.buffer, source)
        else:
            with path.open("rb") as file:
                data = _limited(file, source)
        if data.startswith(b"\x1f\x8b") or (path is not None and path.suffix == ".gz"):
            data = gzip.decompress(data)
            refuse_long_line(data, source)
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise TableError(f"{source} cannot be read as CSV: {reason}.") from None
    return data


def _limited(file: BinaryIO, source: str) -> bytes:
    """Read a file to its end, unless it goes on and on without an end of a line."""
    chunks: list[bytes] = []
    since_end = 0
    for chunk in _chunks(file):
        chunks.append(chunk)
        last = chunk.rfind(b"\n")
        since_end = since_end + len(chunk) if last < 0 else len(chunk) - last - 1
        if since_end > MAX_LINE_LENGTH and not _is_packed(chunks[0]):
            raise _too_long(source)
    return b"".join(chunks)


def _chunks(file: BinaryIO) -> Iterator[bytes]:
    while chunk := file.read(CHUNK):
        yield chunk


def _is_packed(start: bytes) -> bool:
    # Of gzip, Parquet and zip; such files have no lines.
    return start.startswith((b"\x1f\x8b", b"PAR1", b"PK\x03\x04"))


def refuse_long_line(data: bytes, source: str) -> None:
    """Raise if a line is longer than any table's."""
    start = 0
    while len(data) - start > MAX_LINE_LENGTH:
        end = data.rfind(b"\n", start, start + MAX_LINE_LENGTH)
        if end < 0:
            raise _too_long(source)
        start = end + 1


def _too_long(source: str) -> TableError:
    return TableError(
        f"{source} has a line of more than {MAX_LINE_LENGTH // 2**20} MB, so it is no table; check "
        "that its lines end with a line feed."
    )


def as_utf8(data: bytes, encoding: str | None, source: str) -> tuple[bytes, str | None]:
    """Return the text of a file in UTF-8, and a note where the encoding was guessed.

    >>> as_utf8("Prüfer".encode("latin-1"), None, "'a.csv'")[0].decode()
    'Prüfer'
    """
    _refuse_other_kinds(data, source)
    mark = next((mark for mark in MARKS if data.startswith(mark)), None)
    if encoding is None and mark is not None:
        encoding = MARKS[mark]
    if encoding is not None:
        return _decoded(data, encoding, source).encode(), None
    _refuse_binary(data, source)
    if data.isascii() or _is_utf8(data):
        return data, None
    try:
        text = data.decode("cp1252")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    note = f"{source} is not in UTF-8 and was read as Latin-1; encoding= names another."
    return text.encode(), note


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _decoded(data: bytes, encoding: str, source: str) -> str:
    try:
        text = data.decode(encoding)
    except LookupError:
        raise TableError(
            f"encoding={encoding!r} is unknown; utf-8, latin-1 and utf-16 are some that are not."
        ) from None
    except UnicodeError:
        raise TableError(
            f"{source} is not text in {encoding}; name its encoding with encoding=, or save it "
            "as CSV in UTF-8."
        ) from None
    if "\0" in text:
        raise TableError(
            f"{source} is not text in {encoding}: it has zero characters; name its "
            "encoding with encoding=."
        )
    return text.removeprefix("\ufeff")


def _refuse_other_kinds(data: bytes, source: str) -> None:
    if data.startswith(b"PK\x03\x04"):
        raise TableError(
            f"{source} is a zip file or an Excel workbook, not CSV; save the sheet as CSV."
        )


def _refuse_binary(data: bytes, source: str) -> None:
    start = data[:65536]
    controls = len(start) - len(start.translate(None, CONTROL))
    if b"\0" in data or controls > 0.01 * len(start):
        raise TableError(
            f"{source} is not text, so it cannot be read as CSV; save the table as CSV in UTF-8."
        )
