"""`--limit`: what settings may be, for commands that propose others."""

from collections.abc import Sequence
from typing import Any

import click


def windows(
    _context: click.Context, _option: click.Parameter, given: Sequence[str]
) -> dict[str, Any]:
    """Take what settings may be: NAME=LOW:HIGH, either end may be left out, or NAME=LEVEL,..."""
    return dict(_window(text) for text in given)


def _window(text: str) -> tuple[str, Any]:
    name, sign, words = text.rpartition("=")
    if not sign or not name:
        raise click.BadParameter(f"{text!r} is not NAME=LOW:HIGH or NAME=LEVEL,LEVEL.")
    ends = words.split(":")
    try:
        if len(ends) == 2:
            low, high = (float(end) if end.strip() else None for end in ends)
            return name, (low, high)
    except ValueError:
        pass
    return name, [level.strip() for level in words.split(",")]


limit_option = click.option(
    "--limit",
    "limits",
    multiple=True,
    callback=windows,
    metavar="NAME=LOW:HIGH",
    help="What a setting may be; NAME=LEVEL,LEVEL for a category. Several times.",
)
