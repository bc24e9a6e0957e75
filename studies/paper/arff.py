"""ARFF, the file format of Weka and Mulan: attributes, then dense or sparse rows, as text."""

import csv
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

ATTRIBUTE = re.compile(
    r"""@attribute\s+('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\S+)\s+(.+)""", re.IGNORECASE
)


@dataclass(frozen=True)
class Attribute:
    """A column: its name, and its levels if it is nominal, None if it is a number."""

    name: str
    levels: tuple[str, ...] | None


def read_arff(text: str) -> tuple[list[Attribute], list[list[str]]]:
    r"""Read the attributes and the rows of an ARFF file.

    Examples
    --------
    >>> attributes, rows = read_arff("@attribute 'a b' real\n@attribute c {x,y}\n@data\n.5,y\n{}\n")
    >>> attributes
    [Attribute(name='a b', levels=None), Attribute(name='c', levels=('x', 'y'))]
    >>> rows
    [['.5', 'y'], ['0', 'x']]
    """
    lines = (line.strip() for line in text.splitlines())
    content = (line for line in lines if line and not line.startswith("%"))
    attributes = list(_attributes(content))
    return attributes, [_row(line, attributes) for line in content]


def _attributes(content: Iterable[str]) -> Iterator[Attribute]:
    """Yield the attributes, up to and with the line @data."""
    for line in content:
        if line.lower().startswith("@data"):
            return
        if found := ATTRIBUTE.match(line):
            name, kind = found.groups()
            yield Attribute(_unquoted(name), _levels(kind.strip()))


def _unquoted(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text[1:-1]) if text[0] in "'\"" else text


def _levels(kind: str) -> tuple[str, ...] | None:
    return tuple(_cells(kind[1:-1])) if kind.startswith("{") else None


def _row(line: str, attributes: list[Attribute]) -> list[str]:
    """Return the cells of a row; what a sparse row leaves out is 0 or the first level."""
    if not line.startswith("{"):
        row = _cells(line)
    else:
        row = [attribute.levels[0] if attribute.levels else "0" for attribute in attributes]
        for cell in _cells(line[1:-1]):
            place, value = cell.split(maxsplit=1)
            row[int(place)] = _unquoted(value)
    if len(row) != len(attributes):
        raise ValueError(f"a row has {len(row)} cells, but there are {len(attributes)} attributes")
    return row


def _cells(text: str) -> list[str]:
    reader = csv.reader([text], quotechar="'", escapechar="\\", skipinitialspace=True)
    return [cell.strip() for cell in next(reader, [])]
