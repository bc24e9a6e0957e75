"""What commands print, and how they end: results, messages and exit codes."""

import ast
import json
import logging
import re
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from thresher.errors import (
    GateMissedError,
    MissingPackageError,
    ModelFileError,
    NotWrittenError,
    ParameterError,
    RuleNotMetError,
    TableError,
    WatchFileError,
)
from thresher.wording import visible, visible_json

if TYPE_CHECKING:
    from thresher.text_table import TextTable


FAILURE, USAGE, BAD_DATA, GATE_MISSED = 1, 2, 3, 4
EXIT_CODES: dict[type[Exception], int] = {
    ParameterError: USAGE,
    TableError: BAD_DATA,
    ModelFileError: BAD_DATA,
    WatchFileError: BAD_DATA,
    RuleNotMetError: GATE_MISSED,
    GateMissedError: GATE_MISSED,
    MissingPackageError: FAILURE,
    NotWrittenError: FAILURE,
}
RULE_PARAMETERS = (
    *("cost_fp", "cost_fn", "beta", "floor", "per_1000", "confidence"),
    *("miss", "false_alarm", "price"),
)
"""What the library calls by these names is an option here, wherever a sentence names it."""

_GIVEN = re.compile(r"(?<![\w'\"])(\w+)=(True|False)?(?=(.)?)")
_NAMED = re.compile(rf"(?<![\w'\"-])({'|'.join(RULE_PARAMETERS)})(?![\w=])")
_COLUMN = re.compile(r"column=\{('(?:[^'\\]|\\.)*'|\"[^\"]*\"): '(\w+)'\}")


class CommandError(click.ClickException):
    """A command cannot go on; click prints the sentence and exits with the code."""

    def __init__(self, sentence: str, code: int) -> None:
        super().__init__(sentence)
        self.exit_code = code  # type: ignore[misc]


@contextmanager
def errors_shown() -> Iterator[None]:
    """Turn errors of the library into those of click: a sentence and an exit code."""
    try:
        yield
        return
    except click.ClickException as error:
        shown = error
    except tuple(EXIT_CODES) as error:
        code = next(code for kind, code in EXIT_CODES.items() if isinstance(error, kind))
        sentence = as_options(str(error))
        if code == USAGE:
            shown = click.UsageError(_NAMED.sub(lambda found: _flag(found[1]), sentence))
        else:
            shown = CommandError(sentence, code)
    # No name or label in a sentence steers the terminal.
    shown.message = visible(shown.message)  # type: ignore[misc]
    raise shown from None


def as_options(sentence: str) -> str:
    """Return a sentence about parameters as one about the options of the running command.

    >>> from thresher.cli.main import main
    >>> with click.Context(main.commands["train"]):
    ...     print(as_options("take folds=3, leave it out with ignore='a', or name encoding=."))
    ...     print(as_options("needs header=True or pairs=False."))
    ...     print(as_options("say column={'air temperature': 'number'} or decimal=','."))
    take --folds 3, leave it out with --ignore 'a', or name --encoding.
    needs --header or --no-pairs.
    say --column 'air temperature=number' or --decimal ','.
    """
    context = click.get_current_context(silent=True)
    command = None if context is None else context.command
    if isinstance(command, click.Group) and context is not None:
        command = command.commands.get(str(context.invoked_subcommand))
    options = {
        option.name: option
        for option in (() if command is None else command.params)
        if option.name is not None and option.opts[0] == _flag(option.name)
    }

    def as_option(found: re.Match[str]) -> str:
        name, value, follows = found.groups()
        if name not in options:
            return found[0]
        if value == "False":
            return (*options[name].secondary_opts, found[0])[0]
        return _flag(name) + ("" if value or (follows or " ") in " ,.;)" else " ")

    def as_column(found: re.Match[str]) -> str:
        return f"--column {shlex.quote(f'{ast.literal_eval(found[1])}={found[2]}')}"

    return _GIVEN.sub(as_option, _COLUMN.sub(as_column, sentence))


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


# ----------------------------------------------------------- messages for people, on standard error


def tell(sentence: str) -> None:
    """Print a message for people to standard error."""
    click.echo(visible(sentence), err=True)


class _Messages(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        start = "Warning: " if record.levelno >= logging.WARNING else ""
        tell(start + as_options(record.getMessage()))


@contextmanager
def told() -> Iterator[None]:
    """Print what the library has to say while it works."""
    logger, handler = logging.getLogger("thresher.plant"), _Messages()
    level, propagate = logger.level, logger.propagate
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    logger.propagate = False
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)
        logger.propagate = propagate


# ----------------------------------------------------------------- whatever goes to standard output


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
