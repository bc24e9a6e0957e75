"""Coverage-guided search for bytes on which reading a workbook does anything but refuse or work.

    python fuzz/excel_table.py -max_total_time=60 CORPUS fuzz/corpus/excel_table

Half of the changes are to the XML inside: other references, types, values, counts and links, tags
that are gone or twice there, parts under other names; the zip is packed anew. The others are flips
of bytes. What is read is written as a sheet and read again.

A workbook is read in a process of its own, whose end is a refusal; what that one could read is read
in this process too, so that the search sees which lines ran.
"""

import io
import re
import sys
import tempfile
import zipfile
from pathlib import Path

import atheris

sys.path.insert(0, str(Path(__file__).parents[1]))

with atheris.instrument_imports(include=["thresher.tables", "thresher.column"]):
    from thresher.column import Texts
    from thresher.errors import TableError
    from thresher.tables import excel, workbook

from fuzz.harness import start
from fuzz.refusal import refusals
from tests.tables.workbooks import packed

AGAIN = Path(tempfile.mkdtemp(prefix="thresher-fuzz-")) / "again.xlsx"
MAX_WRITTEN = 2000  # cells
MAX_PART = 2**16
REFERENCES = [
    "A1", "B2", "C3", "Z9", "AA10", "ZZ99", "XFD1048576", "XFE1048577", "AAAA1", "A0", "A99999999",
    "A4294967297", "1", "A", "", "a1", "$A$1", "A1:B2", "A1:XFD1048576", "B2:A1", "A-1",
]  # fmt: skip
VALUES = [
    "0", "1", "-1", "1.5", "1e400", "-1e-400", "nan", "inf", "", " ", "TRUE", "=1+1", "#REF!",
    "#N/A", "45657.35", "2958466", "-60", "1e15", "9" * 400, "x" * 300, "4294967295", "2" * 20,
    "2024-12-31T08:30:00", "24:61", "&lt;", "&amp;#0;", "&#27;", "_x0041_", "_x005F_", "\u202e",
    "s", "str", "inlineStr", "b", "e", "d", "n", "hidden", "veryHidden", "preserve", "../../x",
    "/xl/workbook.xml", "worksheets/sheet1.xml", "rId1", "rId2", "0.00%", "yyyy\\-mm", "[h]:mm:ss",
]  # fmt: skip
PIECES = [
    '<c r="B2"><v>1</v></c>', '<c r="D9" t="e"><v>#REF!</v></c>', "<c><v>7</v></c>", "<c r='Z9'/>",
    '<c r="A3"><f>A1</f><v></v></c>', '<c r="C1" t="s"><v>0</v></c>', "<x:c/>", "<c ", ">", "\0",
    '<c r="C2" t="inlineStr"><is><t>x</t></is></c>', "<row>", '<row r="3">', "</row>", "<v/>",
    "<si><t>new</t></si>", "<si><r><t>a</t></r></si>", "<t>", "<!-- -->", "<![CDATA[<c/>]]>",
    '<mergeCells><mergeCell ref="A1:C1"/></mergeCells>', '<xf numFmtId="14"/>', "&b;",
    '<sheet name="N" sheetId="9" r:id="rId1"/>', '<numFmt numFmtId="164" formatCode="0"/>',
    "<!DOCTYPE a [<!ENTITY b 'c'>]>", "<?xml version='1.0' encoding='utf-16'?>",
]  # fmt: skip
PACKINGS = [zipfile.ZIP_DEFLATED] * 30 + [zipfile.ZIP_STORED] * 9 + [zipfile.ZIP_BZIP2]
SEEDS = [path.read_bytes() for path in Path(__file__).with_name("corpus").glob("excel_table/*")]


def _read(data, sheet):
    found = workbook.read_sheet(data, sheet, "'t.xlsx'")
    assert workbook.read_here(data, sheet, "'t.xlsx'") == found
    return found


def read_any(data):
    """Read one input and use it; whatever is raised from here is a finding."""
    with refusals(TableError):
        if not workbook.is_workbook(data, Path("t.xlsx")):
            return
        found = _read(data, None)
        _check_sound(found)
        assert _read(data, found.name).rows, found.name
        _written_and_read(found.rows)
    with refusals(TableError):
        _check_sound(_read(data, 2))


def _check_sound(found):
    assert len({len(row) for row in found.rows}) == 1
    assert found.first_row >= 1
    for row in found.rows:
        for cell in row:
            assert cell is None or (cell != "" and type(cell) in (float, str, bool)), cell
    for note in found.notes:
        assert len(note.splitlines()) == 1, note


def _written_and_read(rows):
    """Texts that were written are read again as they were, but for what no workbook can hold."""
    width = len(rows[0])
    if len(rows) * width > MAX_WRITTEN:
        return
    columns = {str(place): Texts.of(row[place] for row in rows) for place in range(width)}
    excel.write_excel(columns, AGAIN)
    again = workbook.read_here(AGAIN.read_bytes(), None, "again").rows[1:]
    again += [[None] * width] * (len(rows) - len(again))
    for row, other in zip(rows, again, strict=True):
        expected = [one if isinstance(one, str) else None for one in row]
        if all(one is None or one.isprintable() for one in expected):
            assert expected == other, (expected, other)


def changed(draw, data):
    """Change the XML of a part, or the parts themselves, and pack them anew."""
    parts = _parts(data) if draw.random() < 0.5 else {}
    parts = parts or _parts(draw.choice(SEEDS))
    sheets = [name for name in parts if "sheet" in name]
    for _ in range(draw.randint(1, 4)):
        name = draw.choice([*parts, *sheets, *sheets])
        parts[name] = _changed_xml(draw, parts[name])
    if draw.random() < 0.05:
        other = draw.choice([*parts, "content.xml", "xl/workbook.bin", "xl/sharedStrings.xml", "é"])
        parts[other] = parts[name] if draw.random() < 0.5 else parts.pop(name)
    packing = draw.choice(PACKINGS)
    return packed(parts, packing)


def _parts(data):
    """Return what is in a zip, nothing where it cannot be read."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = [one for one in archive.infolist() if one.file_size <= MAX_PART]
            return {one.filename: archive.read(one) for one in entries}
    except workbook.BROKEN_ZIP:
        return {}


def _changed_xml(draw, xml):
    ways = [
        (rb'<c r="([^"]*)"', REFERENCES),
        (rb'ref="([^"]*)"', REFERENCES),
        (rb'="([^"]*)"', VALUES),
        (rb">([^<>]+)<", VALUES),
        (rb"(<[^<>]*>)", [""]),
        (rb"<[^<>]*>()", PIECES),
    ]
    draw.shuffle(ways)
    if draw.random() < 0.15:
        return _repeated(draw, xml)
    for pattern, texts in ways:
        if found := list(re.finditer(pattern, xml)):
            one = draw.choice(found)
            return xml[: one.start(1)] + draw.choice(texts).encode() + xml[one.end(1) :]
    return xml


def _repeated(draw, xml):
    """Repeat a piece of XML between two tags, some or very many times."""
    places = [found.start() for found in re.finditer(rb"<", xml)] or [0]
    first, last = sorted((draw.choice(places), draw.choice(places)))
    times = draw.choice([1, 2, 2, 3, 50, 2000])
    return xml[:last] + xml[first:last] * min(times, MAX_PART // (last - first + 1)) + xml[last:]


if __name__ == "__main__":
    start(read_any, changed)
