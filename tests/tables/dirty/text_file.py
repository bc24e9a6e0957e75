"""A draft as the bytes of a text file."""

import codecs
import csv
import gzip
import io

from tests.tables.dirty.draft import Draft

ENDINGS = {"\t": ".tsv", "|": ".txt"}


def file_ending(draft: Draft) -> str:
    """What the name of the file ends with."""
    return ENDINGS.get(draft.delimiter, ".csv") + (".gz" if draft.is_packed else "")


def records(draft: Draft) -> list[list[str]]:
    """Every line of the file as cells; a blank one has none."""
    lines = [*draft.above]
    width = len(draft.columns) - (draft.extra_delimiter == "rows")
    if draft.has_header:
        lines.append(_padded(draft, [column.name for column in draft.columns[:width]]))
    if draft.has_units:
        lines.append(_padded(draft, [column.unit for column in draft.columns]))
    for row in range(len(draft)):
        if row in draft.blank_rows:
            lines.append([""] * len(draft.columns) if draft.blank_rows[row] else [])
        lines.append(_padded(draft, [column.text(row) for column in draft.columns]))
    return [*lines, *draft.below]


def text_bytes(draft: Draft) -> bytes:
    """The file."""
    file = io.StringIO()
    quoting = csv.QUOTE_ALL if draft.quotes_all else csv.QUOTE_MINIMAL
    writer = csv.writer(
        file, delimiter=draft.delimiter, quoting=quoting, lineterminator=draft.line_end
    )
    writer.writerows(records(draft))
    data = _encoded(file.getvalue(), draft.encoding)
    return gzip.compress(data, mtime=0) if draft.is_packed else data


def _encoded(text: str, encoding: str) -> bytes:
    if encoding == "utf-16":
        # The same bytes on every machine.
        return codecs.BOM_UTF16_LE + text.encode("utf-16-le")
    return text.encode(encoding)


def _padded(draft: Draft, cells: list[str]) -> list[str]:
    if not draft.padding:
        return cells
    return [f" {cell}{' ' * draft.random.randint(1, 3)}" for cell in cells]
