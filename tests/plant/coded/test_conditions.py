"""Conditions of several codes as one table."""

import csv
import io

from tests.condition.test_table import hand_made
from thresher.plant.coded.conditions import codes_csv


def test_codes_and_names_with_carriage_returns_stay_in_their_cells_of_csv():
    text = codes_csv({"a\rb": hand_made([0.01], names=["x\ry"]), "c": hand_made([0.01])})
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert [row["code"] for row in rows] == ["a\rb", "c"]
    assert [row["text"] for row in rows] == ["x\ry > 0", "x0 > 0"]
