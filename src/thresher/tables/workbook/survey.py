"""What a zipped workbook holds, found out in one pass over its bytes, before calamine reads it.

calamine takes memory for what a workbook says: for all cells between the first and the last one,
for as many texts as are announced, and for the text of each cell anew. Where memory is short, it
ends the process. So a workbook is read in this process only where its bytes prove that it takes no
more than they do; others go to one of their own (`apart.py`).
"""

import io
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import prod
from typing import IO

from thresher.errors import TableError
from thresher.tables.workbook.references import WINDOW, column_number, spread_of
from thresher.tables.workbook.sheet_parts import BOOK, sheet_parts

MAX_RATIO, FREE_BYTES = 100, 2**20
"""A workbook may unpack to this many times its size, and to so many bytes in any case."""

CELLS_PER_BYTE, FREE_CELLS = 0.25, 2**19
TEXT_PER_BYTE, FREE_TEXT = 8, 2**22
"""Over how many cells a sheet may spread, and how much text they may repeat: for each byte of its
XML, and in any case."""

LEAST_TEXT = len("<si/>")
CHUNK = 2**18
TEXTS = "xl/sharedstrings.xml"
OTHER_BOOKS = {"content.xml", "xl/workbook.bin"}
"""The texts that sheets share; the lists of sheets of other kinds of workbooks."""

_ANNOUNCED = re.compile(rb"ount\W*([0-9]+)")
_TEXT = re.compile(rb"[<:]si[\s/>]")
_CELL = rb'<c r="([A-Z]{1,3})([0-9]{1,7})"'
_FORMULA = rb"(?:<f[^<>]*/>|<f[^<>]*>[^<]*</f>)"
_ERROR = re.compile(_CELL + rb'[^<>]* t="e"[^<>]*>' + _FORMULA + rb"?<v>(#[A-Z0-9/!?]{2,15})</v>")
_NO_VALUE = re.compile(_CELL + rb"(?![^<>]* t=)[^<>]*>" + _FORMULA + rb"(?:<v></v>|<v ?/>)?</c>")


@dataclass
class Part:
    """One file in the zip, whatever it is.

    Attributes
    ----------
    n_bytes : of it, unpacked.
    cells, rows, columns : number of its cells, and the last row and column of any.
    is_known : whether these are known, since its XML is written as by Excel.
    announced, longest_text : how many shared texts it announces, and bytes of the longest.
    text_start : where the last of them starts.
    errors : row, column (counted from 1) and text of the cells that show an error.
    no_value : the first cell whose formula has no value, among those at its beginning.
    """

    n_bytes: int = 0
    cells: int = 0
    rows: int = 0
    columns: int = 0
    is_known: bool = True
    announced: int = 0
    longest_text: int = 0
    text_start: int = 0
    errors: list[tuple[int, int, str]] = field(default_factory=list)
    no_value: str | None = None

    def is_plain(self, longest_text: int) -> bool:
        """Whether calamine takes no more memory for it than its bytes tell."""
        return (
            self.is_known
            and self.announced * LEAST_TEXT <= self.n_bytes
            and self.rows * self.columns <= FREE_CELLS + CELLS_PER_BYTE * self.n_bytes
            and self.cells * longest_text <= FREE_TEXT + TEXT_PER_BYTE * self.n_bytes
        )


@dataclass(frozen=True)
class Survey:
    """The parts of a workbook by name, in small letters, and the names of its sheets in turn."""

    parts: Mapping[str, Part] = field(default_factory=dict)
    sheets: Sequence[str] = ()

    @property
    def n_bytes(self) -> int:
        """Bytes, unpacked."""
        return sum(part.n_bytes for part in self.parts.values())

    @property
    def is_plain(self) -> bool:
        """Whether calamine takes no more memory and time than the bytes tell."""
        if BOOK not in self.parts or OTHER_BOOKS & set(self.parts):
            return False
        if len(set(self.sheets) & set(self.parts)) < max(1, len(self.sheets)):
            return False  # a part may be many sheets, or nobody knows which
        longest_text = self.parts[TEXTS].longest_text if TEXTS in self.parts else 0
        return all(part.is_plain(longest_text) for part in self.parts.values())

    @property
    def spread(self) -> tuple[int, int]:
        """Rows and columns of the sheet that spreads most."""
        spreads = [(part.rows, part.columns) for part in self.parts.values()]
        return max(spreads, key=prod, default=(0, 0))

    def sheet(self, place: int) -> Part:
        """Return the part that a sheet is; an empty one where nobody knows."""
        name = self.sheets[place] if place < len(self.sheets) else ""
        return self.parts.get(name, Part())


def survey(data: bytes, source: str) -> Survey:
    """Look through a zipped workbook; raise where it unpacks to far too much."""
    parts: dict[str, Part] = {}
    left = FREE_BYTES + MAX_RATIO * len(data)
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        for entry in file.infolist():
            if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise zipfile.BadZipFile("it is packed as no workbook is")
            name = entry.filename.replace("\\", "/").lower()
            part = Part(is_known=name not in parts)
            parts[name] = part
            with file.open(entry) as opened:
                for start, block in _blocks(opened):
                    part.n_bytes = start + len(block)
                    if part.n_bytes > left + WINDOW:
                        raise TableError(
                            f"{source} unpacks to more than {MAX_RATIO} times its size, which "
                            "workbooks rarely do; save the sheet as CSV, if that is right."
                        )
                    _look_for_cells(part, block, is_first=start == 0)
                    if name == TEXTS:
                        _look_for_texts(part, block, start)
            left -= part.n_bytes
        return Survey(parts, sheet_parts(file))


def _blocks(file: IO[bytes]) -> Iterator[tuple[int, bytes]]:
    """Return where blocks of a file start, and the blocks; what one ends with begins the next.

    That is the last cell, which may be cut off, or some bytes; the file ends with spaces.
    """
    start, block = 0, b""
    while chunk := file.read(CHUNK):
        block += chunk
        yield start, block
        cell = block.rfind(b"<c ", 1)
        cut = cell if cell > 0 else max(0, len(block) - WINDOW)
        start, block = start + cut, block[cut:]
    yield start, block + b" " * WINDOW


def _look_for_cells(part: Part, block: bytes, *, is_first: bool) -> None:
    spread = spread_of(block) if part.is_known else None
    if spread is None:
        part.is_known = False
    else:
        part.cells += spread.cells
        part.rows = max(part.rows, spread.rows)
        part.columns = max(part.columns, spread.columns)
    if b"#" in block and b't="e"' in block:  # the first is found much faster
        for letters, digits, text in _ERROR.findall(block):
            part.errors.append((int(digits), column_number(letters), text.decode()))
    if is_first and (found := _NO_VALUE.search(block)):
        part.no_value = (found[1] + found[2]).decode()


def _look_for_texts(part: Part, block: bytes, start: int) -> None:
    """Measure the shared texts, each from its start to that of the next."""
    for count in _ANNOUNCED.findall(block):
        part.announced = max(part.announced, int(count[:18]))
    starts = [start + found.start() for found in _TEXT.finditer(block)]
    for one, following in pairwise([part.text_start, *starts, start + len(block)]):
        part.longest_text = max(part.longest_text, following - one)
    part.text_start = starts[-1] if starts else part.text_start
