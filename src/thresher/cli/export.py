"""`thresher export`: a model as SQL, ONNX or Python."""

from pathlib import Path
from typing import Any

import click

from thresher.cli.options import MODEL, PLACE, json_option, many
from thresher.cli.output import DataOutput, print_json, tell

FORMS = ("sql", "onnx", "python")
DIALECTS = ("ansi", "duckdb", "postgresql", "sqlite", "sqlserver", "snowflake")
"""The dialects of `thresher.export.sql.query`, named here so that --help does not load them."""
OWNERS = {**dict.fromkeys(("table", "dialect", "keep", "booleans"), "sql"), "dtype": "onnx"}
"""Options that are for one form alone."""


@click.command()
@click.argument("model", type=MODEL)
@click.option("--to", "form", type=click.Choice(FORMS), required=True, help="What to write.")
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File to write [standard output; needed for onnx].",
)
@click.option("--table", metavar="NAME", help="For sql: the table to score, SCHEMA.NAME too.")
@click.option(
    "--dialect", type=click.Choice(DIALECTS), help="For sql: the database that is to run it [ansi]."
)
@many("--keep", text="For sql: columns to put before the result [all].")
@many("--boolean", "booleans", text="For sql: columns that the database holds as BOOLEAN.")
@click.option(
    "--dtype",
    type=click.Choice(("float32", "float64")),
    help="For onnx: the type of the numbers it takes [float32].",
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

    sql: one SELECT that scores a table where it is. onnx: for onnxruntime and its like. python: a
    module that needs nothing but Python.
    """
    form, out = options["form"], options["out"]
    for name, owner in OWNERS.items():
        if options[name] and form != owner:
            raise click.UsageError(f"--{name.removesuffix('s')} is for --to {owner}.")
    if form == "sql" and not options["table"]:
        raise click.UsageError("--to sql needs --table NAME, the table to score.")
    if form == "onnx" and out is None:
        raise click.UsageError("--to onnx needs --out FILE, for it is no text.")
    from thresher.errors import MissingPackageError, TableError
    from thresher.model_file.file import load_model
    from thresher.plant.quiet import without_warnings
    from thresher.whole_file import new_file

    try:
        fitted = load_model(model)
        rows = None if options["verify"] is None else _rows(fitted, model, options["verify"])
        with without_warnings():
            content = _exported(fitted, rows, options)
    except (ValueError, TypeError) as error:
        raise TableError(str(error)) from None
    except ImportError as error:
        raise MissingPackageError(str(error)) from None
    if out is not None:
        with new_file(out) as temporary:
            temporary.write_bytes(content)
    tell(_verified_words(fitted, rows, options))
    if out is not None:
        tell(f"Written: {out}")
    if options["as_json"]:
        result = {
            "to": form,
            "out": None if out is None else str(out),
            "bytes": len(content),
            "verified_rows": None if rows is None else len(rows),
            "text": content.decode("utf-8") if out is None else None,
        }
        print_json(result)
    elif out is None:
        DataOutput().write(content.decode("utf-8"))


def _rows(model: Any, path: Path, place: str) -> Any:
    """Read the rows to verify on; a category column of numbers stays numbers."""
    from dataclasses import replace

    from thresher.export.readers import read_scoring
    from thresher.frames import added_columns
    from thresher.model_file.file import read_model
    from thresher.plant import PlantModel
    from thresher.tables.features import match_features
    from thresher.tables.source import read_table

    scoring = read_scoring(model)
    has_notes = read_model(path).notes is not None
    table = PlantModel.load(path).read(place) if has_notes else read_table(place)
    levels = tuple(
        of_column if of_column and isinstance(of_column[0], str) else None
        for of_column in scoring.levels
    )
    columns = replace(scoring.columns, names=scoring.names, levels=levels)
    features, notes = match_features(table, columns)
    for note in (*table.notes, *notes.values()):
        tell(f"Warning: {note}")
    costs = () if scoring.cut is None else scoring.cut.columns
    table.need(costs, "; it holds the costs of rows")
    more = {name: table.columns[name] for name in costs if name not in scoring.names}
    return added_columns(features.X, more) if more else features.X


def _exported(model: Any, rows: Any, options: dict[str, Any]) -> bytes:
    from thresher.export import to_onnx, to_python, to_sql

    form = options["form"]
    if form == "onnx":
        exported = to_onnx(model, dtype=options["dtype"] or "float32", verify=rows)
        return bytes(exported.SerializeToString())
    if form == "sql":
        text = to_sql(
            model,
            options["table"],
            options["dialect"] or "ansi",
            options["keep"] or ("*",),
            booleans=options["booleans"],
            verify=rows,
        )
    else:
        text = to_python(model, verify=rows)
    return (text.rstrip("\n") + "\n").encode("utf-8")


def _verified_words(model: Any, rows: Any, options: dict[str, Any]) -> str:
    """Say on which rows the export agrees, and how many 32 bits decide otherwise."""
    form = options["form"]
    if rows is None:
        return f"Not verified: name rows with --verify to compare the {form} with the model."
    if form != "onnx" or options["dtype"] == "float64":
        return f"Verified on {len(rows):,} rows: the {form} decides as the model does."
    from thresher.export.readers import read_scoring
    from thresher.export.verification import verified_rows

    scoring = read_scoring(model)
    exact, rounded = (verified_rows(model, scoring, rows, as_float32=one) for one in (False, True))
    pairs = zip(exact.labels, rounded.labels, strict=True)
    moved = sum(one != other for one, other in pairs)
    return (
        f"Verified on {len(rows):,} rows as 32 bits hold them: the onnx decides as the model does. "
        f"Rounding to 32 bits changes {moved:,} of these decisions; --dtype float64 changes none."
    )
