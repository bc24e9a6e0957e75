"""A model of a workbook on the CSV of the day: other marks, other units, and how to go on."""

import json

import numpy as np
import pandas as pd
import pytest

from tests.program import refused, run

ROWS = 300
GERMAN = str.maketrans(",.", ".,")


def table_of(seed, rows=ROWS):
    random = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "speed [rpm]": random.integers(1168, 2887, rows).astype(float),
            "torque [Nm]": np.round(random.uniform(4, 77, rows), 1),
        }
    )
    is_bad = table["speed [rpm]"] * table["torque [Nm]"] > 120_000
    return table.assign(state=np.where(is_bad, "bad", "good"))


def write_german(table, path):
    """Write decimal commas, points between thousands, semicolons."""
    written = table.assign(
        **{
            "speed [rpm]": [f"{cell:,.0f}".translate(GERMAN) for cell in table["speed [rpm]"]],
            "torque [Nm]": [str(cell).translate(GERMAN) for cell in table["torque [Nm]"]],
        }
    )
    written.to_csv(path, sep=";", index=False)
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A model of a workbook, and new rows as a workbook, a German CSV, and in thousands."""
    folder = tmp_path_factory.mktemp("notations")
    table_of(0).to_excel(folder / "old.xlsx", index=False)
    more = ("--model", "tree", "--no-pairs", "--folds", 2, "--no-report")
    done = run("train", folder / "old.xlsx", "--target", "state", "--out", folder / "result", *more)
    assert done.exit_code == 0, done.stderr
    new = table_of(1)
    new.to_excel(folder / "new.xlsx", index=False)
    write_german(new, folder / "new.csv")
    new.assign(**{"speed [rpm]": new["speed [rpm]"] / 1000}).to_csv(folder / "far.csv", index=False)
    return folder


def decisions(folder, table, *more):
    done = run("predict", folder / "result", folder / table, "--json", *more)
    assert done.exit_code == 0, done.stderr
    rows = json.loads(done.stdout)["predictions"]
    return [(row["speed [rpm]"], row["probability"], row["decision"]) for row in rows]


@pytest.mark.parametrize("rows", [ROWS, 1])
def test_the_german_csv_of_the_day_is_decided_as_the_workbook_is(rows, folder, tmp_path):
    expected = decisions(folder, "new.xlsx")
    assert {decision for _, _, decision in expected} == {"good", "bad"}
    write_german(table_of(1)[:rows], folder / "some.csv")
    assert decisions(folder, "some.csv") == expected[:rows]


def test_conditions_are_tested_on_what_the_german_csv_says(folder):
    found = [
        json.loads(run("conditions", folder / "result", folder / table, "--format", "json").stdout)
        for table in ("new.xlsx", "new.csv")
    ]
    assert found[0] == found[1]


def test_an_export_is_verified_on_what_the_training_range_tells(folder):
    """Without decimals nothing in the file tells what its points are."""
    table = table_of(1)
    table["torque [Nm]"] = table["torque [Nm]"].astype(int)
    write_german(table, folder / "whole.csv")
    done = run("export", folder / "result", "--to", "python", "--verify", folder / "whole.csv")
    assert done.exit_code == 0, done.stderr
    assert "300 rows" in done.stderr


@pytest.mark.parametrize("command", ["predict", "report"])
def test_numbers_a_thousand_times_as_small_are_refused(command, folder, tmp_path):
    out = tmp_path / "out"
    words = "far.csv': all 300 values of 'speed [rpm]' lie outside the training range 1,1"
    error = refused(run(command, folder / "result", folder / "far.csv", "--out", out), 3, words)
    assert error.endswith("Try --decimal ',', or add --allow-drift.")
    assert not out.exists()
    done = run(
        *(command, folder / "result", folder / "far.csv", "--out", out),
        "--allow-drift",
    )
    assert done.exit_code == 0, done.stderr


def test_the_way_out_is_one(folder):
    """With the mark that the sentence names, the numbers are those of the workbook."""
    table = table_of(1)
    table["torque [Nm]"] = table["torque [Nm]"].astype(int)
    write_german(table, folder / "odd.csv")
    read_as = ("predict", folder / "result", folder / "odd.csv", "--decimal")
    refused(run(*read_as, "."), 3, "Try --decimal ','")
    found = decisions(folder, "odd.csv", "--decimal", ",")
    assert [speed for speed, _, _ in found] == table["speed [rpm]"].tolist()


def test_a_few_values_outside_are_a_note(folder):
    table, trained = table_of(1), table_of(0)["speed [rpm]"]
    table.loc[[3, 7], "speed [rpm]"] = [3000.0, 900.0]
    table.to_csv(folder / "few.csv", index=False)
    count = int((~table["speed [rpm]"].between(trained.min(), trained.max())).sum())
    done = run("predict", folder / "result", folder / "few.csv", "--json")
    assert done.exit_code == 0
    assert (
        f"Note: 'speed [rpm]': {count} values lie outside the training range {trained.min():,.0f} "
        f"to {trained.max():,.0f}."
    ) in done.stderr.splitlines()
    found = json.loads(done.stdout)["outside"][0]
    assert (found["column"], found["values"], found["is_far"]) == ("speed [rpm]", count, False)
