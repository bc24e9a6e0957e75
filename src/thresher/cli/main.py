"""The program `thresher`. Commands import what they need when they run, so that --help is fast."""

import click

from thresher import __version__
from thresher.cli.compare import compare
from thresher.cli.demo import demo
from thresher.cli.train import train


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="thresher")
def main() -> None:
    """Trees and thresholds for two-class problems in which one class is rare."""


main.add_command(compare)
main.add_command(demo)
main.add_command(train)
