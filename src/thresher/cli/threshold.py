"""`thresher threshold`: look at a model's threshold, and choose another."""

from pathlib import Path
from typing import Any

import click

from thresher.cli.options import MODEL, SHARE, gate_options, json_option, rule_options


@click.command()
@click.argument("model", type=MODEL)
@rule_options
@click.option("--set", "value", type=SHARE, help="Take this threshold instead of a rule's.")
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the model with the new threshold to this file.",
)
@click.option(
    "--curve",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write all measures along the threshold to this CSV file.",
)
@gate_options
@json_option
def threshold(model: Path, **options: Any) -> None:
    """Show what MODEL's threshold does, and what another would do.

    The measures come from the scores of the training rows by models that had not seen them.
    """
    if options["value"] is not None and options["rule"] is not None:
        raise click.UsageError("Give --rule or --set, not both.")
    from thresher.cli.threshold_choice import run_threshold

    run_threshold(model, options)
