"""Small workbooks written by hand, for what no writer of workbooks writes."""

import io
import zipfile
from xml.sax.saxutils import quoteattr

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
LINKS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"
OPEN_DOCUMENT = "urn:oasis:names:tc:opendocument:xmlns"


def cell(place, value, attributes="", formula=""):
    """Return a cell, such as cell("B7", 1.5, 't="n"', "A7+1")."""
    inside = f"<f>{formula}</f>" if formula else ""
    return f'<c r="{place}" {attributes}>{inside}<v>{value}</v></c>'


def sheet(*rows, after=""):
    """Return the XML of a sheet; a row is a list of cells."""
    lines = "".join(f"<row>{''.join(row)}</row>" for row in rows)
    return f'<worksheet xmlns="{MAIN}"><sheetData>{lines}</sheetData>{after}</worksheet>'


def shared_texts(*texts, count=None):
    inside = "".join(f"<si><t>{text}</t></si>" for text in texts)
    count = len(texts) if count is None else count
    return f'<sst xmlns="{MAIN}" uniqueCount="{count}">{inside}</sst>'


def make_workbook(sheets, *, states=None, **more):
    """Return the bytes of an xlsx file; `more` are parts below xl/, such as sharedStrings."""
    states = states or {}
    listed, links = "", ""
    parts = {f"xl/{name}.xml": content for name, content in more.items()}
    for number, (name, content) in enumerate(sheets.items(), start=1):
        state = f'state="{states[name]}"' if name in states else ""
        listed += f'<sheet name={quoteattr(name)} sheetId="{number}" {state} r:id="rId{number}"/>'
        links += _link(number, "worksheet", f"worksheets/sheet{number}.xml")
        parts[f"xl/worksheets/sheet{number}.xml"] = content
    book = f'<workbook xmlns="{MAIN}" xmlns:r="{LINKS}"><sheets>{listed}</sheets></workbook>'
    return packed(
        {
            "[Content_Types].xml": _types(),
            "_rels/.rels": _links(_link(1, "officeDocument", "xl/workbook.xml")),
            "xl/workbook.xml": book,
            "xl/_rels/workbook.xml.rels": _links(links),
            **parts,
        }
    )


def _types():
    part = f'<Override PartName="/xl/workbook.xml" ContentType="{TYPE}"/>'
    rest = '<Default Extension="xml" ContentType="application/xml"/>'
    return f'<Types xmlns="{PACKAGE}/content-types">{rest}{part}</Types>'


def _link(number, kind, target):
    return f'<Relationship Id="rId{number}" Type="{LINKS}/{kind}" Target="{target}"/>'


def _links(inside):
    return f'<Relationships xmlns="{PACKAGE}/relationships">{inside}</Relationships>'


def packed(parts, packing=zipfile.ZIP_DEFLATED):
    """Return a zip of parts; the same bytes for the same parts."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in parts.items():
            archive.writestr(zipfile.ZipInfo(name), content, packing)
    return file.getvalue()


def unpacked(data):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def make_open_document(*rows):
    """Return the bytes of an ods file with one sheet; rows are XML of its cells."""
    names = " ".join(
        f'xmlns:{name}="{OPEN_DOCUMENT}:{name}:1.0"' for name in ("office", "table", "text")
    )
    lines = "".join(f"<table:table-row>{row}</table:table-row>" for row in rows)
    table = f'<table:table table:name="Blatt">{lines}</table:table>'
    body = f"<office:body><office:spreadsheet>{table}</office:spreadsheet></office:body>"
    return packed(
        {
            "mimetype": "application/vnd.oasis.opendocument.spreadsheet",
            "META-INF/manifest.xml": f'<manifest xmlns="{OPEN_DOCUMENT}:manifest:1.0"/>',
            "content.xml": f"<office:document-content {names}>{body}</office:document-content>",
        }
    )
