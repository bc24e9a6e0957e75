"""How commands end: exit codes, and one sentence on standard error for what went wrong."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

import click

FAILURE, BAD_DATA, GATE_MISSED = 1, 3, 4


class CommandError(click.ClickException):
    """A command cannot go on; click prints the sentence and exits with the code."""

    exit_code: ClassVar[int] = FAILURE


class BadDataError(CommandError, ValueError):
    """A table or a model file that cannot be used; the message says why and what to do."""

    exit_code: ClassVar[int] = BAD_DATA


class GateMissedError(CommandError):
    """A model that works, but not as well as was asked for."""

    exit_code: ClassVar[int] = GATE_MISSED


def listed(names: Any, most: int = 8) -> str:
    """Return names in one line, the first of them where there are many.

    >>> listed(["a", "b", "c"], most=2)
    'a, b and 1 more'
    """
    texts = [str(name) for name in names]
    shown = ", ".join(texts[:most])
    return shown if len(texts) <= most else f"{shown} and {len(texts) - most} more"


def said(sentence: str) -> None:
    """Print a message for people to standard error."""
    click.echo(sentence, err=True)


@contextmanager
def quiet() -> Iterator[None]:
    """Keep the library's warnings for programmers away from people at a terminal."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
