"""A sheet of Excel read as rows of cells, beside calamine alone.

The workbook has numbers of six digits, two columns of shared texts and one of moments, packed as by
Excel. It is written here, since 50 MB take openpyxl some minutes.
"""

import io
import zipfile
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import numpy as np
from figures import Figure, compare_calls
from tables import Shape

from thresher.tables.workbook import read_sheet

ROWS = 40_000
FULL_ROWS = 460_000
"""Rows of a workbook of 4 MB, and of 50 MB."""

SECONDS = 8.0
COLUMNS = "ABCDEFGHIJKLMNOP"
LEVELS = [f"supplier {place}" for place in range(40)]
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
LINKS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"


def is_measurable() -> bool:
    """Whether calamine is there to compare with."""
    return find_spec("python_calamine") is not None


def compare_excel(rows: int = ROWS, seconds: float = SECONDS) -> list[Figure]:
    """Return the CPU time of reading a sheet; calamine's alone is 1."""
    data = make_workbook(rows)
    calls = {"python-calamine, to_python": lambda: read_bare(data), "read": lambda: read(data)}
    return compare_calls("excel", calls, Shape(rows, len(COLUMNS)), seconds)


def read_bare(data: bytes) -> Any:
    """Read all cells with calamine's defaults."""
    from python_calamine import load_workbook

    return load_workbook(io.BytesIO(data)).get_sheet_by_index(0).to_python()


def read(data: bytes) -> Any:
    """Read all cells as the reader of tables does."""
    return read_sheet(data, None, "It").rows


def make_workbook(rows: int) -> bytes:
    """Return the bytes of an xlsx file with a header and so many rows."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in _small_parts().items():
            archive.writestr(name, content)
        with archive.open("xl/worksheets/sheet1.xml", "w", force_zip64=True) as sheet:
            for piece in _sheet(rows):
                sheet.write(piece.encode())
    return file.getvalue()


def _sheet(rows: int) -> Iterator[str]:
    random = np.random.default_rng(0)
    yield f'<worksheet xmlns="{MAIN}"><sheetData>'
    yield _row(1, [f'<c r="{one}1" t="inlineStr"><is><t>{one}</t></is></c>' for one in COLUMNS])
    for row in range(2, rows + 2):
        levels = random.integers(len(LEVELS), size=2)
        numbers = random.normal(100.0, 15.0, size=len(COLUMNS) - 3)
        values = [f"{number:.6g}" for number in numbers.tolist()]
        names = iter(COLUMNS)
        cells = [f'<c r="{next(names)}{row}"><v>{value}</v></c>' for value in values]
        cells += [
            f'<c r="{next(names)}{row}" t="s"><v>{level}</v></c>' for level in levels.tolist()
        ]
        cells += [f'<c r="{next(names)}{row}" s="1"><v>{45_000 + row / 1440:.15g}</v></c>']
        yield _row(row, cells)
    yield "</sheetData></worksheet>"


def _row(row: int, cells: list[str]) -> str:
    return f'<row r="{row}">{"".join(cells)}</row>'


def _small_parts() -> dict[str, str]:
    """Return what a workbook has beside its sheet."""
    texts = "".join(f"<si><t>{level}</t></si>" for level in LEVELS)
    return {
        "_rels/.rels": _links(officeDocument="xl/workbook.xml"),
        "xl/_rels/workbook.xml.rels": _links(worksheet="worksheets/sheet1.xml"),
        "xl/workbook.xml": (
            f'<workbook xmlns="{MAIN}" xmlns:r="{LINKS}"><sheets>'
            '<sheet name="Parts" sheetId="1" r:id="rId1"/></sheets></workbook>'
        ),
        "xl/sharedStrings.xml": f'<sst xmlns="{MAIN}">{texts}</sst>',
        "xl/styles.xml": (
            f'<styleSheet xmlns="{MAIN}"><cellXfs><xf numFmtId="0"/>'
            '<xf numFmtId="22" applyNumberFormat="1"/></cellXfs></styleSheet>'
        ),
    }


def _links(**targets: str) -> str:
    inside = "".join(
        f'<Relationship Id="rId{number}" Type="{LINKS}/{kind}" Target="{target}"/>'
        for number, (kind, target) in enumerate(targets.items(), start=1)
    )
    return f'<Relationships xmlns="{PACKAGE}">{inside}</Relationships>'
