"""The program `thresher`. Commands import what they need when they run, so that --help is fast."""

import os
import platform
import re
from collections.abc import Callable
from importlib import metadata
from typing import Any

import click

from thresher import __version__
from thresher.cli.compare import compare
from thresher.cli.conditions import actions, conditions
from thresher.cli.datasets import datasets
from thresher.cli.demo import demo
from thresher.cli.export import export
from thresher.cli.output import errors_shown, say
from thresher.cli.predict import predict
from thresher.cli.report import report
from thresher.cli.threshold import threshold
from thresher.cli.train import train
from thresher.cli.watch import watch

EXTRA = re.compile(r"""extra == ['"]([\w.-]+)['"]""")
VARIABLES = ("THRESHER_CACHE", "THRESHER_DATA", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")


class Program(click.Group):
    """The commands; errors of the library become one sentence and an exit code, here alone."""

    def make_context(self, *given: Any, **options: Any) -> click.Context:
        """Read the options of the program itself."""
        with errors_shown():
            return super().make_context(*given, **options)

    def invoke(self, context: click.Context) -> Any:
        """Run a command."""
        with errors_shown():
            return super().invoke(context)

    def list_commands(self, context: click.Context) -> list[str]:
        """Name the commands in the order of work instead of the alphabet's."""
        return list(self.commands)

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Show each command with its whole first sentence, which click would cut."""
        with formatter.section("Commands"):
            paragraphs = {
                name: (command.help or "").split("\n\n")[0]
                for name, command in self.commands.items()
            }
            formatter.write_dl(
                [(name, " ".join(text.split())) for name, text in paragraphs.items()]
            )


def _print_versions(context: click.Context, _option: click.Parameter, asked: bool) -> None:
    if asked:
        say(versions())
        context.exit()


@click.group(cls=Program, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_versions,
    help="Print versions for a bug report.",
)
def main() -> None:
    """Find the few among the many: models and thresholds for a class that is rare.

    Begin with `thresher demo`, or with `thresher train TABLE --target COLUMN --out FOLDER` on a
    table of yours. Results go to standard output, messages to standard error. A command exits with
    0 when it is done, 1 when it failed, 2 for wrong options, 3 for data that cannot be used, and 4
    when a quality gate was missed or an alarm went off. `thresher COMMAND --help` tells the rest.
    """


for command in (
    *(demo, train, predict, conditions, actions, threshold, report, watch),
    *(export, compare, datasets),
):
    main.add_command(command)


# ---------------------------------------------------------------------------------------- --version


def versions() -> str:
    """Return versions, extras, cores and the platform as lines; no name or path of the user."""
    parts: dict[str, Callable[[], str]] = {
        "Python": lambda: f"{platform.python_implementation()} {platform.python_version()}",
        "platform": platform.platform,
        "core": _instructions,
        "cores": lambda: str(os.cpu_count()),
        "variables set": lambda: ", ".join(filter(os.environ.__contains__, VARIABLES)) or "none",
        "packages": lambda: _installed(""),
        "extras": lambda: _installed("all"),
    }
    lines = [f"thresher {__version__}"]
    for name, ask in parts.items():
        try:
            lines.append(f"{name}: {ask()}")
        except Exception as error:  # whatever is broken, the other lines are said
            lines.append(f"{name}: unknown ({type(error).__name__}: {error})")
    return "\n".join(lines)


def _instructions() -> str:
    from thresher import _core

    return "AVX2 and BMI2" if _core.has_wide_instructions() else "baseline"


def _installed(extra: str) -> str:
    """Return the packages of an extra with their versions; "" is what is always needed."""
    wanted, names = [extra], set()
    requirements = [(EXTRA.search(text), text) for text in metadata.requires("thresher") or []]
    for asked in wanted:
        for found, text in requirements:
            if asked != (found[1] if found else ""):
                continue
            if text.startswith("thresher["):  # the extra `all` names further ones
                wanted += re.split(r"\s*,\s*", text[len("thresher[") : text.index("]")])
            else:
                names.add(re.split(r"[^\w.-]", text)[0])
    return ", ".join(f"{name} {_version(name)}" for name in sorted(names))


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "absent"
