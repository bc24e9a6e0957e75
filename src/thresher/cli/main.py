"""The program `thresher`. Commands import what they need when they run, so that --help is fast."""

from typing import Any

import click

from thresher import __version__
from thresher.cli.actions import actions
from thresher.cli.compare import compare
from thresher.cli.completion import completion
from thresher.cli.conditions import conditions
from thresher.cli.datasets import datasets
from thresher.cli.demo import demo
from thresher.cli.doctor import doctor
from thresher.cli.errors import as_click_error, made_visible
from thresher.cli.export import export
from thresher.cli.predict import predict
from thresher.cli.report import report
from thresher.cli.threshold import threshold
from thresher.cli.train import train
from thresher.cli.watch import watch
from thresher.cli.what_if import what_if


class Program(click.Group):
    """The commands; errors of the library become one sentence and an exit code, here alone."""

    def invoke(self, context: click.Context) -> Any:
        """Run a command."""
        try:
            return super().invoke(context)
        except click.ClickException as error:
            raise made_visible(error) from None
        except Exception as error:
            known = as_click_error(error)
            if known is None:
                raise
            raise made_visible(known) from None

    def list_commands(self, context: click.Context) -> list[str]:
        """Name the commands in the order of work instead of the alphabet's."""
        return list(self.commands)

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Show each command with its whole first sentence, which click would cut."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, _first(self.commands[name])) for name in self.commands])

    def make_context(self, *given: Any, **options: Any) -> click.Context:
        """Read the options of the program itself."""
        try:
            return super().make_context(*given, **options)
        except click.ClickException as error:
            raise made_visible(error) from None


def _first(command: click.Command) -> str:
    """Return the first paragraph of a command's help, in one line."""
    return " ".join((command.help or "").split("\n\n")[0].split())


@click.group(cls=Program, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="thresher")
def main() -> None:
    """Find the few among the many: models and thresholds for a class that is rare.

    Begin with `thresher demo`, or with `thresher train TABLE --target COLUMN --out FOLDER` on a
    table of yours. Results go to standard output, messages to standard error. A command exits with
    0 when it is done, 1 when it failed, 2 for wrong options, 3 for data that cannot be used, and 4
    when a quality gate was missed or an alarm went off. `thresher COMMAND --help` tells the rest.
    """


for command in (
    demo,
    train,
    predict,
    conditions,
    actions,
    what_if,
    threshold,
    report,
    watch,
    export,
    compare,
    datasets,
    doctor,
    completion,
):
    main.add_command(command)
