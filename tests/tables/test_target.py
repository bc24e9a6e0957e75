"""The class to find, as people write it, and what stands against it."""

import numpy as np
import pytest

from thresher.column import Texts
from thresher.errors import TableError
from thresher.tables.table import Table
from thresher.tables.target import OTHERS, as_classes, positive_label, with_target


def table_of(**rows):
    """Return a table whose target has so many rows of each value."""
    values = [value for value, n in rows.items() for _ in range(n)]
    return Table("'a.csv'", {"state": Texts.of(values)})


STATES = {"OK": 8, "NOK": 3, "ok": 2, "Nok ": 1, "unklar": 1}


def test_all_spellings_of_the_class_to_find_count_as_it():
    found = with_target(table_of(**STATES), "state", "NOK")
    assert found.columns["state"].values().count("NOK") == 4
    assert found.notes == (
        "The target's 'Nok ' (1 row) counts as 'NOK'.",
        "'NOK' stands against all other values of 'state': 'OK' (8 rows), 'ok' (2 rows), "
        "'unklar' (1 row).",
    )


def test_a_class_that_nobody_spells_so_is_the_most_frequent_spelling():
    found = with_target(table_of(**STATES), "state", " nok")
    labels = np.array(found.columns["state"].values())
    assert positive_label(labels, " nok") == "NOK"
    assert (labels == "NOK").sum() == 4
    with pytest.raises(TableError, match="positive='nox' is not among the values of 'state'"):
        as_classes(table_of(**STATES), "state", "nox")


def test_spellings_that_are_two_classes_stay_apart():
    table = table_of(a=3, A=2)
    assert as_classes(table, "state", "A")[0].values() == ["a"] * 3 + ["A"] * 2
    labels = np.array(["a", "A"])
    assert positive_label(labels, "A") == "A"
    with pytest.raises(TableError, match="is not a class of the target"):
        positive_label(labels, " a")
    found, _ = as_classes(table_of(a=3, A=2, b=1, c=1), "state", "A", classes=("A", "a"))
    assert found.values().count("A") == 2


def test_many_values_against_it_are_not_all_named():
    codes = {f"code {place}": 9 - place for place in range(8)}
    *_, note = with_target(table_of(leak=2, **codes), "state", "leak").notes
    assert note.endswith("'code 3' (6 rows), 'code 4' (5 rows) and 3 more.")


def test_labels_of_new_tables_are_spelled_as_freely():
    new = table_of(nok=2, NOK=1, OK=3)
    found, _ = as_classes(new, "state", "NOK", classes=("NOK", OTHERS))
    assert found.values() == ["NOK"] * 3 + [OTHERS] * 3
