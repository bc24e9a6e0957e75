"""`thresher export`: a model as SQL, ONNX, JSON or Python."""

from pathlib import Path
from typing import Any

import click

from thresher.cli.options import MODEL, json_option, many
from thresher.tables.source import PLACE

FORMS = ("sql", "onnx", "json", "python")
DIALECTS = ("ansi", "duckdb", "postgresql", "sqlite", "sqlserver", "snowflake")
"""The dialects of `thresher.export.sql.dialect`, named here so that --help does not load them."""


@click.command()
@click.argument("model", type=MODEL)
@click.option("--to", "form", type=click.Choice(FORMS), required=True, help="What to write.")
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File to write [standard output; needed for onnx].",
)
@click.option("--table", metavar="NAME", help="sql: the table to score, SCHEMA.NAME too.")
@click.option("--dialect", type=click.Choice(DIALECTS), help="sql: of which database [ansi].")
@many("--keep", text="sql: columns to put before the result [all].")
@many("--boolean", "booleans", text="sql: columns that the database holds as BOOLEAN.")
@click.option(
    "--dtype", type=click.Choice(("float32", "float64")), help="onnx: numbers taken [float32]."
)
@click.option(
    "--verify",
    type=PLACE,
    metavar="TABLE",
    help="Rows on which the export must decide as the model does, or nothing is written.",
)
@json_option
def export(model: Path, **options: Any) -> None:
    """Write MODEL (a file, or the folder of `thresher train`) for use outside of Python.

    sql: one SELECT that scores a table where it is. onnx: for onnxruntime and its like. json: to be
    read by people and programs. python: a module that needs nothing but Python.
    """
    _check(options)
    from thresher.cli.exporting import run_export

    run_export(model, options)


def _check(options: dict[str, Any]) -> None:
    """Refuse options that do not go together."""
    form = options["form"]
    for name, owner in {
        "table": "sql",
        "dialect": "sql",
        "keep": "sql",
        "booleans": "sql",
        "dtype": "onnx",
    }.items():
        if options[name] and form != owner:
            flag = name.removesuffix("s")
            raise click.UsageError(f"--{flag} is for --to {owner}.")
    if form == "sql" and not options["table"]:
        raise click.UsageError("--to sql needs --table NAME, the table to score.")
    if form == "onnx" and options["out"] is None:
        raise click.UsageError("--to onnx needs --out FILE, for it is no text.")
