"""Conditions or actions of several codes as text, CSV, JSON: what each table writes, by code."""

import csv
import io
import json
from collections.abc import Mapping

from thresher.action.table import ActionTable
from thresher.condition.table import ConditionTable
from thresher.judging.verdict import Terms
from thresher.text_table import escape_csv, write_rows
from thresher.wording import name

Tables = Mapping[str, ConditionTable] | Mapping[str, ActionTable]


def codes_text(tables: Tables, terms: Terms) -> str:
    """Return the table of each code under its name."""
    return "\n\n".join(
        f"Code {code!r}:\n{table.to_text(terms.unit, name(code, 40)).rstrip()}"
        for code, table in tables.items()
    )


def codes_csv(tables: Tables) -> str:
    """Return all rows as one table, the code first."""
    file = io.StringIO()
    for place, (code, table) in enumerate(tables.items()):
        head, *rows = csv.reader(io.StringIO(table.to_csv()))
        if not place:
            write_rows([["code", *head]], file)
        write_rows(([escape_csv(code), *row] for row in rows), file)
    return file.getvalue()


def codes_json(tables: Tables) -> str:
    """Return the tables by code."""
    found = {code: json.loads(table.to_json()) for code, table in tables.items()}
    return json.dumps({"codes": found}, indent=2, ensure_ascii=False)
