"""`thresher actions` as a user runs it."""

import json

import pytest

from tests.program import read_csv, run


def test_text_json_and_csv_say_the_same(plant, later):
    rows = ("actions", plant.out, later, "--settings", "press_force,oven_temperature")
    done = run(*rows)
    assert done.exit_code == 0, done.output
    assert "hold press_force at or below" in done.stdout
    assert "not proofs of cause" in done.stdout
    data = json.loads(run(*rows, "--json").stdout)
    table = read_csv(run(*rows, "--format", "csv").stdout)
    assert [row["action"] for row in table] == [row["action"] for row in data["actions"]]
    assert data["evidence"] == "hold-out"


def test_windows_and_costs(plant, later):
    rows = ("actions", plant.out, later, "--settings", "press_force,supplier", "--cost", "80")
    limits = ("--limit", "press_force=65:", "--limit", "supplier=A,C")
    data = json.loads(run(*rows, *limits, "--json").stdout)["actions"]
    force = next(row for row in data if row["lever"] == "press_force")
    assert "press_force may only be at least 65: no value avoids" in force["action"]
    told = [row for row in data if row["lever"] == "supplier"]
    assert all("keep supplier to A or C" in row["action"] for row in told)
    assert all(row["money"] == pytest.approx(80 * row["avoided"]) for row in told if row["avoided"])


@pytest.mark.parametrize(
    ("more", "code", "words"),
    [
        ((), 2, "does not know which columns can be set; name them with --settings"),
        (("--settings", "speed"), 2, "'speed', which is no column of the model"),
        (("--settings", "flow", "--limit", "flow"), 2, "is not NAME=LOW:HIGH"),
        (("--settings", "flow", "--limit", "flow=9:1"), 2, "wrong way round"),
    ],
)
def test_mistakes_are_told_in_one_sentence(plant, later, more, code, words):
    done = run("actions", plant.out, later, *more)
    assert done.exit_code == code
    assert words in " ".join(done.stderr.split())
    assert "Traceback" not in done.output
