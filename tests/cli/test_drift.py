"""`thresher predict` on tables whose columns have changed: messages, --json and --strict."""

import json

import numpy as np
import pytest

from tests.cli.test_predict import write_table
from tests.program import read_csv, refused, run


@pytest.fixture(scope="module")
def rows(plant):
    """The table, without the target: its rows were those of the training."""
    table = read_csv(plant.parts.read_text(encoding="utf-8"))
    return [{name: row[name] for name in row if name != "scrap"} for row in table]


def with_column(rows, name, change):
    return [row | {name: change(place, row[name])} for place, row in enumerate(rows)]


CHANGES = {
    "range": ("torque_3", lambda _, cell: cell and str(100 * float(cell))),
    "levels": ("supplier", lambda place, cell: "Z" if place % 10 == 0 else cell),
    "missing": ("humidity", lambda place, cell: "" if place % 3 == 0 else cell),
    "mix": ("press_force", lambda _, cell: cell and str(1 + float(cell) * 1.05)),
}
WORDS = {
    "range": "100.0 % of the values are outside the range of training (",
    "levels": "10.0 % of the values are ones that the model has not seen (Z)",
    "missing": " of the values are missing, in training ",
    "mix": "another mix of values than in training (PSI ",
}


@pytest.mark.parametrize("kind", CHANGES)
def test_each_kind_of_change_is_one_line_and_one_object(kind, plant, rows, tmp_path):
    name, change = CHANGES[kind]
    path = write_table(tmp_path / "new.csv", with_column(rows, name, change))
    done = run("predict", plant.out, path, "--id", "part", "--json", "--allow-drift")
    assert done.exit_code == 0, done.stderr
    lines = [line for line in done.stderr.splitlines() if line.startswith("Warning: ")]
    (line,) = lines
    assert line.startswith(f"Warning: Column {name!r}: ")
    assert WORDS[kind] in line
    (found,) = json.loads(done.stdout)["drift"]
    assert (found["column"], found["kind"]) == (name, kind)
    assert f"Warning: {found['sentence']}" == line
    assert found["figures"]["psi"] > 0.1
    assert found["figures"]["p_value"] < 0.01


def test_rows_like_those_of_the_training_give_no_line(plant, rows, tmp_path):
    draw = np.random.default_rng(0).choice(len(rows), 300, replace=False)
    path = write_table(tmp_path / "new.csv", [rows[place] for place in draw])
    done = run("predict", plant.out, path, "--strict", "--json")
    assert done.exit_code == 0, done.stderr
    assert "Warning" not in done.stderr
    assert json.loads(done.stdout)["drift"] == []


def test_strict_writes_the_predictions_and_then_exits_with_4(plant, rows, tmp_path):
    changed = rows
    for kind in ("range", "levels"):
        changed = with_column(changed, *CHANGES[kind])
    path, out = write_table(tmp_path / "new.csv", changed), tmp_path / "decided.csv"
    done = run("predict", plant.out, path, "--strict", "--allow-drift", "--out", out)
    assert refused(done, 4) == (
        "Error: --strict refuses columns that are not as in training: 'supplier', 'torque_3'."
    )
    assert len(read_csv(out.read_text(encoding="utf-8"))) == len(rows)
    assert run("predict", plant.out, path, "--allow-drift", "--out", out).exit_code == 0
    on_output = run("predict", plant.out, path, "--strict", "--allow-drift", "--id", "part")
    assert on_output.exit_code == 4
    assert len(read_csv(on_output.stdout)) == len(rows)
