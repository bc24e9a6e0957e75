"""How commands end: exit codes for the library's errors, and parameters told as options."""

import re

import click

from thresher.errors import (
    GateMissedError,
    MissingPackageError,
    ModelFileError,
    NotWrittenError,
    ParameterError,
    RuleNotMetError,
    TableError,
)

FAILURE, USAGE, BAD_DATA, GATE_MISSED = 1, 2, 3, 4
EXIT_CODES: dict[type[Exception], int] = {
    ParameterError: USAGE,
    TableError: BAD_DATA,
    ModelFileError: BAD_DATA,
    RuleNotMetError: GATE_MISSED,
    GateMissedError: GATE_MISSED,
    MissingPackageError: FAILURE,
    NotWrittenError: FAILURE,
}
OPTIONS = (
    "allow_training_rows|beta|cost_fn|cost_fp|delimiter|drop|encoding|floor|folds|group|id|ignore|"
    "min_precision|min_recall|model|per_1000|positive|query|rule|stations|table|target|time|trees"
)
_GIVEN = re.compile(rf"(?<![\w'\"])({OPTIONS})=(True)?(?=(.)?)")
_NAMED = re.compile(r"(?<![\w'\"-])(cost_fp|cost_fn|per_1000|floor|beta)(?![\w=])")


class CommandError(click.ClickException):
    """A command cannot go on; click prints the sentence and exits with the code."""

    def __init__(self, sentence: str, code: int) -> None:
        super().__init__(sentence)
        self.exit_code = code  # type: ignore[misc]


def as_click_error(error: Exception) -> click.ClickException | None:
    """Return what click prints and exits with; None for an error that no user has made."""
    code = next((code for kind, code in EXIT_CODES.items() if isinstance(error, kind)), None)
    if code is None:
        return None
    if code == USAGE:
        return click.UsageError(_NAMED.sub(_as_option, as_options(str(error))))
    return CommandError(as_options(str(error)), code)


def as_options(sentence: str) -> str:
    """Return a sentence about parameters as one about options.

    >>> as_options("take folds=3, leave it out with ignore='a', or name it with encoding=.")
    "take --folds 3, leave it out with --ignore 'a', or name it with --encoding."
    >>> as_options("needs stream=True, or allow_training_rows=True.")
    'needs --stream, or --allow-training-rows.'
    """
    sentence = sentence.replace("stream=True", "--stream").replace("stream=False", "--no-stream")
    return _GIVEN.sub(_as_option, sentence)


def _as_option(found: re.Match[str]) -> str:
    option = f"--{found[1].replace('_', '-')}"
    if found.re is _NAMED or found[2]:
        return option
    follows = found[3] or " "
    return option if follows in " ,.;)" else f"{option} "
