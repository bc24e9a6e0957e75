"""`thresher what-if` as a user runs it."""

import json

import pytest

from tests.cli.program import run_here

SETTINGS = ("--settings", "press_force,oven_temperature,torque_3")


def test_alerts_are_changed_until_they_pass(plant, later):
    done = run_here("what-if", plant.out, later, *SETTINGS)
    assert done.exit_code == 0, done.output
    assert "It would pass: " in done.stdout
    assert done.stdout.count("Row ") == 10
    assert "The first 10 of " in done.stderr
    data = json.loads(run_here("what-if", plant.out, later, *SETTINGS, "--json").stdout)
    assert [f"Row {one['row']}. {one['sentence']}" for one in data] == done.stdout.splitlines()
    assert all(one["is_alert"] for one in data)


def test_named_rows_and_limits(plant, later):
    data = json.loads(run_here("what-if", plant.out, later, *SETTINGS, "--json").stdout)
    one = next(one for one in data if one["changes"])
    (name, now) = (one["changes"][0][key] for key in ("column", "now"))
    limits = ("--row", one["row"], "--limit", f"{name}={now}:{now}")
    (held,) = json.loads(run_here("what-if", plant.out, later, *SETTINGS, *limits, "--json").stdout)
    assert name not in {change["column"] for change in held["changes"]}
    assert held["size"] is None or held["size"] >= one["size"]


@pytest.mark.parametrize(
    ("more", "code", "words"),
    [
        ((), 2, "does not know which columns can be set; name them with --settings"),
        (("--settings", "speed"), 2, "'speed', which is no column of the model"),
        ((*SETTINGS, "--row", 1501), 2, "--row 1501 is not in the table, which has 1,500 rows"),
        ((*SETTINGS, "--limit", "flow=1:2"), 2, "'flow', which is not in settings"),
    ],
)
def test_mistakes_are_told_in_one_sentence(plant, later, more, code, words):
    done = run_here("what-if", plant.out, later, *more)
    assert done.exit_code == code
    assert words in " ".join(done.stderr.split())
    assert "Traceback" not in done.output
