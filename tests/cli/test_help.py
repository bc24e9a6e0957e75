"""What --help prints can be read as sentences, and nothing of it is cut."""

import re

import click
import pytest

from tests.program import run
from thresher.cli.main import main


@pytest.mark.parametrize("name", main.commands)
def test_a_command_begins_with_a_whole_sentence(name):
    shown = " ".join(run("--help").stdout.split())
    first = " ".join(main.commands[name].help.split("\n\n")[0].split())
    assert first[0].isupper()
    assert first.endswith(".")
    assert f"{name} {first}" in shown


@pytest.mark.parametrize("name", main.commands)
def test_options_say_what_they_are(name):
    for option in main.commands[name].params:
        if isinstance(option, click.Option):
            text = re.sub(r" \[[^]]*\]", "", option.help or "")
            assert text[:1].isupper(), option.opts
            assert text.endswith("."), option.opts
            assert len(text.split()) >= 3, option.opts
