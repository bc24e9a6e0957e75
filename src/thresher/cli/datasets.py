"""`thresher datasets`: what data sets there are, and one of them as a table."""

from pathlib import Path

import click

from thresher.cli.options import json_option
from thresher.cli.output import print_json, say, tell

COLUMNS = ("name", "group", "rows", "features", "positives", "share", "here", "positive_class")
FACTS = (*COLUMNS[:5], "missing_cells", "positive_class", "notes")


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

    NAME is one of the list; with --out also assembly_line, the simulated line of pumps.
    """
    from thresher.cli.output import print_table
    from thresher.datasets import dataset_info, list_datasets
    from thresher.datasets.assembly_line import LINE, dataset_columns
    from thresher.errors import MissingPackageError, TableError
    from thresher.tables.writing import write_table
    from thresher.text_table import TextTable

    # The list.
    if name is None:
        if out is not None:
            raise click.UsageError("--out needs the NAME of a data set.")
        here = set(list_datasets(available=True))
        infos = [dataset_info(one) for one in list_datasets(group, available=available)]
        rows = [{one: getattr(info, one, info.name in here) for one in COLUMNS} for info in infos]
        if as_json:
            print_json(rows)
            return
        heads = [one.replace("_", " ") for one in COLUMNS]
        note = (
            "here: part of the package, below THRESHER_DATA or in the cache; others are downloaded."
        )
        print_table(TextTable("Data sets", heads, [list(row.values()) for row in rows], [note]))
        return

    # One of them.
    if name != LINE or out is None:
        try:
            info = dataset_info(name)
        except ValueError as error:
            raise click.BadParameter(str(error), param_hint="NAME") from None
    if out is None:
        facts = {one: getattr(info, one) for one in FACTS}
        facts |= {one: getattr(info.origin, one) for one in ("source", "licence", "citation")}
        if as_json:
            print_json(facts)
            return
        for one, value in facts.items():
            say(f"{one.replace('_', ' ')}: {value}")
        return

    # One of them as a file.
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
