"""`thresher demo`: a simulated line, the methods of the paper's figure on it, and a report."""

from pathlib import Path

import click

from thresher.cli.options import json_option, seed_option


@click.command()
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("thresher-demo"),
    show_default=True,
    help="Folder for the table, the model, the conditions and the report.",
)
@click.option("--parts", type=click.IntRange(500), default=5000, show_default=True)
@seed_option
@json_option
def demo(out: Path, parts: int, seed: int, as_json: bool) -> None:
    """Simulate an assembly line, compare methods on it, train, and write a report.

    No plant was measured: scrap has planted causes, and the report should find them.
    """
    from thresher.cli.demonstration import run_demo

    run_demo(out, parts, seed, as_json)
