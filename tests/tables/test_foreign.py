"""Twenty exports of plants by somebody who has not read the reader: what comes of each is listed.

A table is "right", or has its faults: "asked" or refused, or rows and cells that are not as a
person would read them. docs/tables.md reports them; whoever betters the reader changes this list.
"""

import json
from pathlib import Path

import pytest

from thresher.column import Texts
from thresher.tables import read_table
from thresher.tables.table import texts_of

FOLDER = Path(__file__).with_name("foreign") / "tables"
RIGHT, ASKED = "right", "asked"
KNOWN = {
    "cmm_bracket_rev_c": ASKED,  # unescaped inch marks shift cells of a line
    "collaudo_fusioni_sap": RIGHT,
    "controle_embouteillage": "2 rows more",  # formulas were drawn down below the last row
    "controle_pignons": ASKED,  # both decimal marks, one of them before three digits
    "dbo_TestResult": RIGHT,
    "drehteile_los_5512": "2 rows more",  # titles of the second shift, as wide as rows
    "getriebe_eol": ASKED,  # 6.5 % of a column are words
    "haerteprotokoll_2024": "1 column",  # a name that is broken with a hyphen
    "journal_four_2": RIGHT,
    "kullager_export": "3 columns",  # a counter without a name; a word and a sign for unknown
    "leaktest_station7": "11 columns",  # fixed width
    "lims_acque_lavaggio": ASKED,  # values below the limit of detection
    "lims_lait_cru": "1 column",  # a label that is still open
    "provbank3_ventiler": "1 column",  # 850.0 for a broken wire, in the range of the others
    "prueflose_qa33": ASKED,  # page titles among a list of SAP
    "spot_weld_study": RIGHT,
    "spritzguss_maerz": RIGHT,
    "tabletten_freigabe": "1 column",  # labels that are still open
    "torque_audit_line4": ASKED,  # a unit in a tenth of the cells
    "verniciatura_controlli": "1 row more",  # a subtotal without a word for it
}


def faults_of(path):
    expected = json.loads(path.read_text(encoding="utf-8"))
    file = next(one for one in FOLDER.glob(f"{path.stem}.*") if one.suffix != ".json")
    try:
        table = read_table(file, texts=[expected["target"]])
    except ValueError:
        return ASKED
    names = [column["name"] for column in expected["columns"]]
    columns = [one for one in expected["columns"] if names.count(one["name"]) == 1]
    more = len(table) - len(columns[0]["values"])
    wrong = sum(one["name"] not in table.columns for one in columns)
    if more and not wrong:
        return f"{more} row{'s' if more > 1 else ''} more"
    if not more:
        wrong += sum(not is_right(table, one) for one in columns if one["name"] in table.columns)
    return f"{wrong} column{'s' if wrong > 1 else ''}" if wrong else RIGHT


def is_right(table, expected):
    """Whether a column has the values of a person, missing ones included; dates stay as written."""
    found, values = table.columns[expected["name"]], expected["values"]
    if expected["meaning"] == "date":
        return table.plan[expected["name"]].meaning == "date"
    are_numbers = any(isinstance(value, float) for value in values)
    if expected["meaning"] == "number" or are_numbers:
        if isinstance(found, Texts):
            return False
        pairs = zip(found.tolist(), values, strict=True)
        return all(
            one != one if value is None else one == pytest.approx(value) for one, value in pairs
        )
    return texts_of(found) == [None if value is None else str(value).strip() for value in values]


@pytest.mark.parametrize("name", KNOWN)
def test_a_foreign_table(name):
    assert faults_of(FOLDER / f"{name}.json") == KNOWN[name]


def test_every_table_is_listed():
    assert {path.stem for path in FOLDER.glob("*.json")} == set(KNOWN)
