"""What --help prints can be read as sentences, and nothing of it is cut."""

import re

import click
import pytest

from tests.cli.program import run_here
from thresher.cli.main import main

OPTIONS = [
    pytest.param(option, id=f"{name} {option.opts[0]}")
    for name, command in main.commands.items()
    for option in command.params
    if isinstance(option, click.Option)
]


@pytest.mark.parametrize("name", main.commands)
def test_a_command_begins_with_a_whole_sentence(name):
    shown = " ".join(run_here("--help").stdout.split())
    first = " ".join(main.commands[name].help.split("\n\n")[0].split())
    assert first[0].isupper()
    assert first.endswith(".")
    assert f"{name} {first}" in shown


@pytest.mark.parametrize("option", OPTIONS)
def test_an_option_says_what_it_is(option):
    text = re.sub(r" \[[^]]*\]", "", option.help or "")
    assert text[:1].isupper()
    assert text.endswith(".")
    assert len(text.split()) >= 3
