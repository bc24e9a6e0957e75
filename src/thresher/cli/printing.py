"""Tables on standard output."""

import sys
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from thresher.text_table import TextTable


def print_table(table: "TextTable") -> None:
    """Print a table to be read on a terminal, or as plain text to be piped."""
    if not sys.stdout.isatty():
        click.echo(table.as_text() + "\n")
        return
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    drawn = RichTable(title=Text(table.title))
    for column, is_number in zip(table.columns, table.is_number, strict=True):
        drawn.add_column(Text(column), justify="right" if is_number else "left")
    for row in table.cells:
        drawn.add_row(*(Text(cell.text, style="bold" if cell.is_best else "") for cell in row))
    console = Console()
    console.print(drawn)
    for note in table.notes:
        console.print(Text(note))
