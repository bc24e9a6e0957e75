"""Whatever goes to standard output; `messages.py` has standard error.

No character of a name, a level or a label that steers a terminal gets through.
"""

import json
import sys
from typing import TYPE_CHECKING, Any

import click

from thresher.wording import visible, visible_json

if TYPE_CHECKING:
    from thresher.text_table import TextTable


def say(text: str) -> None:
    """Print text for people."""
    click.echo(visible(text))


def print_json(content: Any) -> None:
    """Print plain data as JSON."""
    click.echo(visible_json(json.dumps(content, indent=2, ensure_ascii=False)))


class DataOutput:
    """A file for data to be read by a program: exact, but on a terminal as `say` prints."""

    def __init__(self) -> None:
        self._shown = visible if sys.stdout.isatty() else str

    def write(self, text: str) -> int:
        """Write text."""
        return sys.stdout.write(self._shown(text))


def print_as(text: str, form: str) -> None:
    """Print "text" for people, "json", or data of another form for a program."""
    if form == "text":
        say(text)
    elif form == "json":
        print_json(json.loads(text))
    else:
        DataOutput().write(f"{text}\n")


def print_table(table: "TextTable") -> None:
    """Print a table to be read on a terminal, or as plain text to be piped."""
    if not sys.stdout.isatty():
        say(table.as_text() + "\n")
        return
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    drawn = RichTable(title=Text(visible(table.title)))
    for column, is_number in zip(table.columns, table.is_number, strict=True):
        drawn.add_column(Text(visible(column)), justify="right" if is_number else "left")
    for row in table.cells:
        cells = ((visible(cell.text), "bold" if cell.is_best else "") for cell in row)
        drawn.add_row(*(Text(text, style=style) for text, style in cells))
    console = Console()
    console.print(drawn)
    for note in table.notes:
        console.print(Text(visible(note)))
