"""A first look at a text file: whether it can be read, and names what is asked for.

Nothing heavy is loaded for it, so that a mistake is told at once.
"""

from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from thresher.errors import TableError
from thresher.wording import ends_of, first_of

if TYPE_CHECKING:
    from thresher.tables.source import Source

NO_HEADER = "The first line holds data"
"""How the note begins that a table without a header was given names."""

FIRST_BYTES = 2**20
OTHER_KINDS = (b"PAR1", b"PK\x03\x04", b"\xd0\xcf\x11\xe0", b"\x1f\x8b")
"""How files begin that are no text, or packed text."""


def absent_columns(
    source: str,
    columns: Sequence[str],
    absent: Sequence[str],
    why: str = "",
    notes: Sequence[str] = (),
) -> TableError:
    """Return the error about columns that a table does not have.

    `why` they are needed; one of the `notes` may tell that names were made, for want of a header.
    """
    made = next((note for note in notes if note.startswith(NO_HEADER)), "")
    if made:
        return TableError(f"{source} has no column {absent[0]!r}{why}: {made[0].lower()}{made[1:]}")
    near = get_close_matches(absent[0], columns, n=1, cutoff=0.6)
    hint = f"did you mean {near[0]!r}? Its" if near else "its"
    also = f" (nor {first_of(map(repr, absent[1:]), 4)})" if absent[1:] else ""
    return TableError(
        f"{source} has no column {absent[0]!r}{also}{why}; {hint} columns are {ends_of(columns)}."
    )


def check_columns(source: "Source", names: Sequence[str]) -> None:
    """Raise at once where a text file cannot be read, or its header lacks a name.

    What a first look cannot tell is left to the reader.
    """
    path = Path(source.place)
    if source.is_database or source.more or not path.is_file():
        return
    with path.open("rb") as file:
        start = file.read(FIRST_BYTES)
    if start.startswith(OTHER_KINDS) or path.suffix in (".parquet", ".pq", ".gz"):
        return
    from thresher.tables.text_file import as_utf8, with_line_feeds

    whole = start if len(start) < FIRST_BYTES else start[: start.rfind(b"\n") + 1]
    if b"\0" in whole:  # in UTF-16 a line feed has two bytes
        return
    text = with_line_feeds(as_utf8(whole, source.encoding, source.shown).data)
    layout = source.layout_of(text)
    absent = [name for name in names if name not in layout.names]
    if absent:
        raise absent_columns(source.shown, layout.names, absent, notes=layout.notes)
