"""How commands end: exit codes for the library's errors, and parameters told as options."""

import ast
import re
import shlex

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
from thresher.wording import visible

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
OPTIONS = (
    "allow_training_rows|alpha|beta|codes|confidence|cost_fn_column|cost_fn|cost_fp_column|cost_fp|"
    "decimal|delimiter|drop|encoding|false_alarm|floor|folds|good|group|id|ignore|min_precision|"
    "min_recall|missing|miss|model|per_1000|positive|price|query|reasons|rule|settings|sheet|"
    "skip_lines|"
    "state|stations|strict|table|target|threshold_by|time|time_budget|trees|watched"
)
_GIVEN = re.compile(rf"(?<![\w'\"])({OPTIONS})=(True)?(?=(.)?)")
_COLUMN = re.compile(r"column=\{('(?:[^'\\]|\\.)*'|\"[^\"]*\"): '(\w+)'\}")
_NAMED = re.compile(
    r"(?<![\w'\"-])(cost_fp|cost_fn|per_1000|floor|beta|confidence|miss|false_alarm|price)(?![\w=])"
)


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


def made_visible(error: click.ClickException) -> click.ClickException:
    """Return an error whose sentence steers no terminal."""
    error.message = visible(error.message)  # type: ignore[misc]
    return error


def as_options(sentence: str) -> str:
    """Return a sentence about parameters as one about options.

    >>> as_options("take folds=3, leave it out with ignore='a', or name it with encoding=.")
    "take --folds 3, leave it out with --ignore 'a', or name it with --encoding."
    >>> as_options("needs stream=True, or allow_training_rows=True, or derive=None.")
    'needs --stream, or --allow-training-rows, or --derive none.'
    >>> as_options("say column={'air temperature': 'number'} or decimal=','.")
    "say --column 'air temperature=number' or --decimal ','."
    """
    for flag in ("stream", "header"):
        sentence = sentence.replace(f"{flag}=True", f"--{flag}")
        sentence = sentence.replace(f"{flag}=False", f"--no-{flag}")
    sentence = sentence.replace("derive=None", "--derive none")
    sentence = _COLUMN.sub(lambda found: f"--column {_shell_quoted(found)}", sentence)
    return _GIVEN.sub(_as_option, sentence)


def _shell_quoted(found: re.Match[str]) -> str:
    """Return NAME=MEANING as a shell takes it."""
    return shlex.quote(f"{ast.literal_eval(found[1])}={found[2]}")


def _as_option(found: re.Match[str]) -> str:
    option = f"--{found[1].replace('_', '-')}"
    if found.re is _NAMED or found[2]:
        return option
    follows = found[3] or " "
    return option if follows in " ,.;)" else f"{option} "
