"""Workbooks that say more than they hold, and damaged ones, are refused in one sentence."""

import io
import random
import re
import subprocess
import sys
import zipfile

import pytest

from tests.tables.workbooks import (
    cell,
    make_open_document,
    make_workbook,
    packed,
    shared_texts,
    sheet,
    unpacked,
)
from thresher.errors import TableError
from thresher.tables import workbook
from thresher.tables.workbook import MAX_RATIO, read_sheet

TABLE = sheet([cell("A1", 1), cell("B1", 2)], [cell("A2", 3), cell("B2", 4)])
PEAK = """
import re, sys
from pathlib import Path
from thresher.errors import TableError
from thresher.tables.workbook import read_sheet
import python_calamine, rich
def peak(): return int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
start, data = peak(), Path(sys.argv[1]).read_bytes()
try:
    print(len(read_sheet(data, None, "It").rows))
except TableError as error:
    print(error)
print((peak() - start) // 1024 if Path("/proc/self/status").exists() else 0)
"""


def same_text_in_many_cells():
    rows = [[cell(f"A{row}", 0, 't="s"')] for row in range(1, 3000)]
    return make_workbook({"S": sheet(*rows)}, sharedStrings=shared_texts("a" * 1_000_000))


def open_document_cell(inside="", attributes=""):
    text = f"<text:p>x{inside}</text:p>"
    return f'<table:table-cell office:value-type="string" {attributes}>{text}</table:table-cell>'


def open_document_without_end():
    """Return one that python-calamine 0.9 reads for ever."""
    parts = unpacked(make_open_document(open_document_cell()))
    content, _, _ = parts["content.xml"].partition(b"</table:table>")
    return packed({**parts, "content.xml": content})


def swollen():
    line = "".join(cell(f"{letter}1", 0) for letter in "ABCDEFGHIJ")
    return make_workbook({"S": sheet(*[[line]] * 200_000)})


HOSTILE = {
    "cells that stand apart": lambda: make_workbook(
        {"S": sheet([cell("A1", 1)], [cell("XFD1048576", 1)])}
    ),
    "cells without references": lambda: make_workbook(
        {"S": sheet(["<c><v>1</v></c>" * 16384], [cell("A1048576", 1)])}
    ),
    "references in other quotes": lambda: make_workbook(
        {"S": sheet([cell("A1", 1)], ["<c r='ZZ1048576'><v>1</v></c>"])}
    ),
    "a prefix": lambda: make_workbook(
        {"S": sheet([cell("A1", 1)], ['<x:c r="ZZ1048576"><x:v>1</x:v></x:c>'])}
    ),
    "announced texts": lambda: make_workbook(
        {"S": TABLE}, sharedStrings=shared_texts("a", count=4_000_000_000)
    ),
    "a text in many cells": same_text_in_many_cells,
    "repeated cells": lambda: make_open_document(
        *[open_document_cell(attributes='table:number-columns-repeated="16000"')] * 2000
    ),
    "spaces": lambda: make_open_document(open_document_cell('<text:s text:c="2000000000"/>')),
    "no end": open_document_without_end,
    "packed a thousand times": swollen,
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_workbooks_that_would_take_all_memory_or_time_are_refused(kind, tmp_path):
    data = HOSTILE[kind]()
    assert len(data) < 1_000_000
    (tmp_path / "a.xlsx").write_bytes(data)
    command = [sys.executable, "-c", PEAK, str(tmp_path / "a.xlsx")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    sentence, rise = done.stdout.splitlines()
    assert (
        "It is damaged, or takes far more memory or time" in sentence
        or "times its size" in sentence
    )
    assert int(rise) < 100  # MB
    assert done.stderr == ""


def test_patience_ends_where_the_system_limits_no_time(monkeypatch):
    monkeypatch.setattr(workbook, "PATIENCE", 0.2)
    with pytest.raises(TableError, match="takes far more memory or time than its size tells"):
        read_sheet(open_document_without_end(), None, "It")


def test_a_workbook_in_another_style_is_read_all_the_same():
    plain = read_sheet(make_workbook({"S": TABLE}), None, "It")
    for old, new in [
        ('"', "'"),
        ("<c ", "<c\n"),
        ("</c>", "</c >"),
        (' r="', ' s="0" r="'),
        ("<row>", '<row r="1048000">'),
    ]:
        changed = TABLE.replace(old, new)
        assert changed != TABLE
        assert read_sheet(make_workbook({"S": changed}), None, "It") == plain


def test_cells_with_a_format_and_no_value_take_no_memory():
    far = '<c r="XFD1048576" s="0"/>'
    data = make_workbook({"S": sheet([cell("A1", 1), cell("B1", 2)], [cell("A2", 3)], [far])})
    assert read_sheet(data, None, "It").rows == [[1.0, 2.0], [3.0, None]]


def test_sheets_that_are_one_part_are_read():
    data = make_workbook({str(place): TABLE for place in range(3)})
    parts = unpacked(data)
    links = parts["xl/_rels/workbook.xml.rels"]
    parts["xl/_rels/workbook.xml.rels"] = re.sub(rb"sheet\d", b"sheet1", links)
    assert read_sheet(packed(parts), "2", "It").rows == [[1.0, 2.0], [3.0, 4.0]]


def refused(data):
    """Return the sentence of a refusal, or nothing."""
    try:
        read_sheet(data, None, "It")
    except TableError as error:
        said = str(error)
    else:
        return ""
    assert len(said.splitlines()) == 1
    assert said.endswith(".")
    return said


def test_a_workbook_that_ends_too_soon_is_damaged():
    data = make_workbook({"S": TABLE})
    for length in {*range(4, len(data), 97), len(data) - 1}:
        assert re.match(r"It is damaged, or no workbook .*; save it anew", refused(data[:length]))


def test_flipped_bytes_are_read_or_refused():
    data = make_workbook({"S": TABLE, "T": TABLE}, sharedStrings=shared_texts("a", "b"))
    draw = random.Random(0)
    n_refused = 0
    for _ in range(60):
        changed = bytearray(data)
        changed[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
        n_refused += bool(refused(bytes(changed)))
    assert n_refused > 20


@pytest.mark.parametrize(
    "data",
    [
        b"PK\x03\x04",
        packed({"a.csv": "a,b"}),
        packed({"xl/workbook.xml": "<workbook"}),
        packed({"xl/workbook.xml": "<workbook/>"}),
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600),
    ],
    ids=["start", "zip", "broken XML", "no sheets", "compound file"],
)
def test_what_is_no_workbook_is_refused(data):
    assert refused(data)


@pytest.mark.parametrize("packing", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_zip_that_is_packed_as_no_workbook_is_refused(packing):
    parts = unpacked(make_workbook({"S": TABLE}))
    assert "it is packed as no workbook is" in refused(packed(parts, packing))
    assert refused(packed(parts, zipfile.ZIP_STORED)) == ""


def test_a_workbook_that_packs_well_is_read():
    data = make_workbook({"S": TABLE}, notes="".join(f"<a>{place}</a>" for place in range(9000)))
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        ratio = sum(entry.file_size for entry in file.infolist()) / len(data)
    assert 3 < ratio < MAX_RATIO
    assert read_sheet(data, None, "It").rows == [[1.0, 2.0], [3.0, 4.0]]
