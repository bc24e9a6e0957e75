"""Commands and options that are named anywhere exist: pages, messages, help, workflows."""

import ast
import re
from pathlib import Path

from thresher.cli.main import main

ROOT = Path(__file__).parents[2]
OURS = (
    *("README.md", "SECURITY.md", "ARCHITECTURE.md", "docs/*.md", "examples/*/*.py"),
    *("src/thresher/**/*.j2", "src/thresher/**/*.py"),
)
OTHERS = (
    "CONTRIBUTING.md",
    "Makefile",
    ".github/**/*.yml",
    "conda/*",
    "wheels/*",
)
OPTIONS = {
    name: {flag for option in command.params for flag in (*option.opts, *option.secondary_opts)}
    | {"--help"}
    for name, command in main.commands.items()
}
OPTIONS |= {"COMMAND": {"--help"}, "": {"--help", "--version"}}
# A call stands behind a backtick, a quote, a prompt or a key, or begins a line of code.
CALL = re.compile(
    r"(?:[`\"]|\$ |&& |run: |- |^[ \t@]*)(?:\S*/)?thresher (?!does )([a-z][a-z-]*|--|COMMAND)"
    r"((?:[^`\n\\&]|\\\n)*)",
    re.MULTILINE,
)
FLAG = re.compile(r"(?<![\w/=-])--[a-z][a-z0-9-]*")
OTHER_PROGRAM = re.compile(r"\b(python -m|pip|make|mlflow) ")


def texts(patterns):
    """Yield what a reader sees of files: the strings of Python, all of others."""
    for path in sorted(path for pattern in patterns for path in ROOT.glob(pattern)):
        if not path.is_file():
            continue
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".py":
            constants = [
                node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant)
            ]
            yield from ((path, one.value) for one in constants if isinstance(one.value, str))
        else:
            yield path, text


def test_calls_name_commands_and_their_options():
    wrong, count = [], 0
    for path, text in texts((*OURS, *OTHERS)):
        for name, rest in CALL.findall(text):
            command, more = ("", f"--{rest}") if name == "--" else (name, rest)
            unknown = set(FLAG.findall(more)) - OPTIONS.get(command, set())
            count += 1
            if command not in OPTIONS or unknown:
                wrong.append((path.name, command, unknown))
    assert not wrong
    assert count > 60


def test_every_option_that_is_named_exists():
    known = set().union(*OPTIONS.values())
    lines = [(path, line) for path, text in texts(OURS) for line in text.splitlines()]
    named = [
        (path.name, flag)
        for path, line in lines
        if not OTHER_PROGRAM.search(line)
        for flag in FLAG.findall(line)
    ]
    assert len(named) > 200
    assert [pair for pair in named if pair[1] not in known] == []
