"""Messages for people, on standard error: what commands say, and what the library tells them."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

import click

from thresher.cli.errors import as_options
from thresher.wording import visible


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
