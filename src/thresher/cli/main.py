"""The program `thresher`. Commands import what they need when they run, so that --help is fast."""

from typing import Any

import click

from thresher import __version__
from thresher.cli.compare import compare
from thresher.cli.completion import completion
from thresher.cli.conditions import conditions
from thresher.cli.datasets import datasets
from thresher.cli.demo import demo
from thresher.cli.errors import as_click_error, made_visible
from thresher.cli.export import export
from thresher.cli.predict import predict
from thresher.cli.report import report
from thresher.cli.threshold import threshold
from thresher.cli.train import train
from thresher.cli.watch import watch


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

    def make_context(self, *given: Any, **options: Any) -> click.Context:
        """Read the options of the program itself."""
        try:
            return super().make_context(*given, **options)
        except click.ClickException as error:
            raise made_visible(error) from None


@click.group(cls=Program, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="thresher")
def main() -> None:
    """Trees and thresholds for two-class problems in which one class is rare.

    Data go to standard output, messages to standard error. Exit codes: 0 done, 1 failed, 2 wrong
    options, 3 data that cannot be used, 4 a quality gate missed or an alarm.
    """


for command in (
    demo,
    train,
    predict,
    conditions,
    threshold,
    report,
    watch,
    export,
    compare,
    datasets,
    completion,
):
    main.add_command(command)
