"""The steps of `thresher export`, from the model file to the file that leaves."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from thresher.cli.options import model_file
from thresher.cli.output import new_file
from thresher.export.onnx.model import export_onnx
from thresher.export.python import export_python
from thresher.export.scoring import Scoring
from thresher.export.scoring_of import read_scoring
from thresher.export.sql.statement import export_sql
from thresher.export.verification import verified_rows
from thresher.model_file.errors import ModelFileError
from thresher.model_file.file import load_model
from thresher.model_file.json.text import from_json, to_json
from thresher.tables.errors import BadDataError, CommandError, quiet, said
from thresher.tables.features import match_features
from thresher.tables.source import Source


def run_export(path: Path, options: dict[str, Any]) -> None:
    """Do all that `thresher export` does."""
    try:
        model = load_model(model_file(path))
        rows = None if options["verify"] is None else _rows(model, options["verify"])
        with quiet():
            content = _exported(model, rows, options)
    except (ModelFileError, ValueError, TypeError) as error:
        raise BadDataError(str(error)) from None
    except ImportError as error:
        raise CommandError(str(error)) from None
    out: Path | None = options["out"]
    if out is not None:
        with new_file(out) as temporary:
            temporary.write_bytes(content)
    _tell(content, options, None if rows is None else len(rows))


def _rows(model: Any, place: str) -> Any:
    """Read the rows to verify on; a category column of numbers stays numbers."""
    scoring: Scoring = read_scoring(model)
    table = Source(place).read()
    levels = tuple(
        of_column if of_column and isinstance(of_column[0], str) else None
        for of_column in scoring.levels
    )
    columns = replace(scoring.columns, names=scoring.names, levels=levels)
    features, notes = match_features(table, columns)
    for note in (*table.notes, *notes):
        said(f"Warning: {note}")
    return features.X


def _exported(model: Any, rows: Any, options: dict[str, Any]) -> bytes:
    form = options["form"]
    if form == "onnx":
        exported = export_onnx(model, dtype=options["dtype"] or "float32", verify=rows)
        return bytes(exported.SerializeToString())
    if form == "sql":
        text = export_sql(
            model,
            options["table"],
            options["dialect"] or "ansi",
            options["keep"] or ("*",),
            booleans=options["booleans"],
            verify=rows,
        )
    elif form == "python":
        text = export_python(model, verify=rows)
    else:
        text = _as_json(model, rows)
    return (text.rstrip("\n") + "\n").encode("utf-8")


def _as_json(model: Any, rows: Any) -> str:
    text = to_json(model)
    if rows is not None:
        scoring = read_scoring(model)
        again = verified_rows(from_json(text), scoring, rows)
        expected = verified_rows(model, scoring, rows)
        expected.compare("JSON text", again.probability.tolist(), again.labels)
    return text


def _tell(content: bytes, options: dict[str, Any], n_rows: int | None) -> None:
    out, form = options["out"], options["form"]
    if n_rows is None:
        said(f"Not verified: name rows with --verify to compare the {form} with the model.")
    else:
        said(f"Verified on {n_rows:,} rows: the {form} decides as the model does.")
    if out is not None:
        said(f"Written: {out}")
    if options["as_json"]:
        told = {
            "to": form,
            "out": None if out is None else str(out),
            "bytes": len(content),
            "verified_rows": n_rows,
            "text": content.decode("utf-8") if out is None else None,
        }
        click.echo(json.dumps(told, ensure_ascii=False, indent=2))
    elif out is None:
        click.echo(content.decode("utf-8"), nl=False)
