"""`thresher datasets`: what data sets there are, and one of them as a table."""

from pathlib import Path
from typing import Any

import click

from thresher.cli.messages import tell
from thresher.cli.options import json_option
from thresher.cli.printing import print_json, say

COLUMNS = ("name", "group", "rows", "features", "positives", "share", "here", "positive_class")


@click.command()
@click.argument("name", required=False)
@click.option(
    "--group", type=click.Choice(["paper", "manufacturing"]), help="List this group only."
)
@click.option("--available", is_flag=True, help="List only those that need no download.")
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the data set NAME to this CSV or .parquet file.",
)
@json_option
def datasets(
    name: str | None, group: str | None, available: bool, out: Path | None, as_json: bool
) -> None:
    """List the data sets, tell about one of them, or write it to a file.

    NAME is one of the list, or assembly_line for the simulated line of pumps.
    """
    if name is None:
        if out is not None:
            raise click.UsageError("--out needs the NAME of a data set.")
        _list(_rows(group, available), as_json)
    elif out is not None:
        _export(name, out, as_json)
    else:
        _describe(name, as_json)


def _rows(group: str | None, available: bool) -> list[dict[str, Any]]:
    from thresher.datasets import dataset_info, list_datasets

    here = set(list_datasets(available=True))
    infos = [dataset_info(name) for name in list_datasets(group, available=available)]
    return [{one: getattr(info, one, info.name in here) for one in COLUMNS} for info in infos]


def _list(rows: list[dict[str, Any]], as_json: bool) -> None:
    from thresher.cli.printing import print_table
    from thresher.text_table import TextTable

    if as_json:
        print_json(rows)
        return
    heads = [one.replace("_", " ") for one in COLUMNS]
    note = "here: part of the package, below THRESHER_DATA or in the cache; others are downloaded."
    print_table(TextTable("Data sets", heads, [list(row.values()) for row in rows], [note]))


def _describe(name: str, as_json: bool) -> None:
    from thresher.datasets import dataset_info

    try:
        info = dataset_info(name)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="NAME") from None
    facts = {one: getattr(info, one) for one in ("name", "group", "rows", "features", "positives")}
    facts |= {one: getattr(info, one) for one in ("missing_cells", "positive_class", "notes")}
    facts |= {one: getattr(info.origin, one) for one in ("source", "licence", "citation")}
    if as_json:
        print_json(facts)
        return
    for one, value in facts.items():
        say(f"{one.replace('_', ' ')}: {value}")


def _export(name: str, out: Path, as_json: bool) -> None:
    from thresher.datasets import dataset_info
    from thresher.datasets.columns import LINE, dataset_columns
    from thresher.errors import MissingPackageError, TableError
    from thresher.tables.writing import write_table

    if name != LINE:
        try:
            dataset_info(name)
        except ValueError as error:
            raise click.BadParameter(str(error), param_hint="NAME") from None
    try:
        columns = dataset_columns(name)
    except FileNotFoundError as error:
        raise TableError(str(error)) from None
    except ImportError as error:
        raise MissingPackageError(str(error)) from None
    write_table(columns, out)
    tell(f"Written: {out}")
    if as_json:
        print_json({"name": name, "columns": list(columns), "out": str(out)})
