"""Which part of a zipped workbook each of its sheets is."""

import posixpath
import zipfile
from collections.abc import Callable, Mapping
from typing import Any
from xml.parsers import expat

BOOK, LINKS = "xl/workbook.xml", "xl/_rels/workbook.xml.rels"


def sheet_parts(file: zipfile.ZipFile) -> list[str]:
    """Return the names of parts, in small letters, of the sheets in turn; none if unreadable."""
    try:
        links = dict(_attributes(file.read(LINKS), "Relationship", _link))
        sheets = _attributes(file.read(BOOK), "sheet", _link_of_sheet)
    except (KeyError, LookupError, ValueError, expat.ExpatError):
        return []
    return [links.get(link, "") for link in sheets]


def _attributes(xml: bytes, wanted: str, of: Callable[[Mapping[str, str]], Any]) -> list[Any]:
    """Return what a function makes of the attributes of all elements of a name."""
    found: list[Any] = []

    def start(name: str, attributes: Mapping[str, str]) -> None:
        if name.rpartition("}")[2] == wanted:
            found.append(of(attributes))

    # A tree of all elements would take many times the memory of the XML.
    parser = expat.ParserCreate(namespace_separator="}")
    parser.StartElementHandler = start
    parser.Parse(xml, True)
    return found


def _link(attributes: Mapping[str, str]) -> tuple[str, str]:
    # A target that starts with a slash is a path from the root of the zip.
    target = posixpath.join("/xl", attributes.get("Target", ""))
    return attributes.get("Id", ""), posixpath.normpath(target).lstrip("/").lower()


def _link_of_sheet(attributes: Mapping[str, str]) -> str:
    return next((value for name, value in attributes.items() if name.endswith("}id")), "")
