"""The bytes of a CSV file as UTF-8: packed files, encodings, and what is no text at all."""

import gzip
import io
import sys
import zlib
from contextlib import suppress
from pathlib import Path
from typing import IO, NamedTuple

from thresher.errors import TableError

MAX_LINE_LENGTH = 16 * 2**20
"""Bytes; a line that is longer is taken for a mistake, before memory is filled with it."""

MAX_RATIO = 100
FREE_BYTES = 2**20
"""A packed file may unpack to this many times its size, and to so many bytes in any case."""

CHUNK = 2**20
MARKS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
"""Byte order marks and the encodings that they tell."""

GUESSES = ("cp1252", "cp850", "latin-1")
"""Encodings of files that are not in UTF-8: of Windows, of DOS, and one that takes anything."""

USUAL = "äöüÄÖÜßéèêàâçùûôîïÉÈÀñáíóúåÅæøØ°µ²³±§€·"

CONTROL = bytes(set(range(32)) - set(b"\t\n\r\f\x1b"))


def read_bytes(path: Path | None, source: str) -> bytes:
    """Return all bytes of a file, or of standard input for None; packed ones are unpacked."""
    try:
        if path is None:
            data = _limited(sys.stdin.buffer, source)
        else:
            with path.open("rb") as file:
                data = file.read() if path.is_file() else _limited(file, source)
        if data.startswith(b"\x1f\x8b") or (path is not None and path.suffix == ".gz"):
            most = FREE_BYTES + MAX_RATIO * len(data)
            with gzip.GzipFile(fileobj=io.BytesIO(data)) as packed:
                data = _limited(packed, source, most)
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise TableError(f"{source} cannot be read as CSV: {reason}.") from None
    return data


def _limited(file: IO[bytes] | gzip.GzipFile, source: str, most: int | None = None) -> bytes:
    """Read a file to its end, unless it has more bytes, or goes on and on without an end of a line.

    Packed files (gzip, Parquet, zip) have no lines.
    """
    chunks: list[bytes] = []
    n_bytes = since_end = 0
    while chunk := file.read(CHUNK):
        n_bytes += len(chunk)
        if most is not None and n_bytes > most:
            raise TableError(
                f"{source} unpacks to more than {MAX_RATIO} times its size, which tables rarely "
                "do; unpack it first, if that is right."
            )
        chunks.append(chunk)
        last = chunk.rfind(b"\n")
        since_end = since_end + len(chunk) if last < 0 else len(chunk) - last - 1
        is_packed = chunks[0].startswith((b"\x1f\x8b", b"PAR1", b"PK\x03\x04"))
        if since_end > MAX_LINE_LENGTH and not is_packed:
            raise _too_long(source)
    return b"".join(chunks)


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


class Decoded(NamedTuple):
    """The text of a file in UTF-8, the encoding that it had, and a note where that was guessed."""

    data: bytes
    encoding: str = "utf-8"
    note: str | None = None


def as_utf8(data: bytes, encoding: str | None, source: str) -> Decoded:
    """Return the text of a file in UTF-8.

    >>> as_utf8("Prüfer".encode("latin-1"), None, "'a.csv'").data.decode()
    'Prüfer'
    """
    if data.startswith(b"PK\x03\x04"):
        raise TableError(
            f"{source} is a zip file, and neither CSV nor a workbook; unpack it first."
        )
    mark = next((mark for mark in MARKS if data.startswith(mark)), None)
    if encoding is None and mark is not None:
        encoding = MARKS[mark]
    if encoding is not None:
        try:
            text = data.decode(encoding)
        except LookupError:
            raise TableError(
                f"encoding={encoding!r} is unknown; utf-8, latin-1 and utf-16 are some that are "
                "not."
            ) from None
        except UnicodeError:
            raise TableError(
                f"{source} is not text in {encoding}; name its encoding with encoding=, or save it "
                "as CSV in UTF-8."
            ) from None
        if "\0" in text:
            raise TableError(
                f"{source} is not text in {encoding}: it has zero characters; name its encoding "
                "with encoding=."
            )
        return Decoded(text.lstrip("\ufeff").encode(), encoding)
    start = data[:65536]
    controls = len(start) - len(start.translate(None, CONTROL))
    if b"\0" in data or controls > 0.01 * len(start):
        raise TableError(
            f"{source} is not text, so it cannot be read as CSV; save the table as CSV in UTF-8."
        )
    with suppress(UnicodeDecodeError):
        if not data.isascii():  # which is far faster
            data.decode("utf-8")
        return Decoded(data)
    guessed = max(GUESSES, key=lambda one: _usual_letters(data, one))
    called = "Latin-1" if guessed in ("cp1252", "latin-1") else guessed
    note = f"{source} is not in UTF-8 and was read as {called}; encoding= names another."
    return Decoded(data.decode(guessed).encode(), guessed, note)


def _usual_letters(data: bytes, encoding: str) -> int:
    """Return how many letters are such as tables of Western Europe have; -1 for no text at all."""
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        return -1
    return sum(text.count(letter) for letter in USUAL)


def has_lone_returns(data: bytes) -> bool:
    """Whether a carriage return stands without a line feed."""
    return b"\r" in data and data.count(b"\r") > data.count(b"\r\n")


def with_line_feeds(data: bytes) -> bytes:
    """Return text whose lines end with a line feed; carriage returns in quotes stay."""
    if b'"' in data or not has_lone_returns(data):
        return data
    return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
