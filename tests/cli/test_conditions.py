"""`thresher conditions` as a user runs it."""

import json
import sqlite3

import pytest

from tests.program import read_csv, refused, run


def test_those_of_the_training(plant):
    done = run("conditions", plant.out)
    assert done.exit_code == 0, done.stderr
    for row in plant.result["conditions"]:
        assert f"{row['condition']}. {row['text']}" in done.stdout
    assert "out of fold, conditions like it: " in done.stdout
    assert done.stderr == ""


def test_csv_and_json_say_the_same(plant):
    as_json = json.loads(run("conditions", plant.out, "--json").stdout)
    assert as_json["conditions"] == plant.result["conditions"]
    rows = read_csv(run("conditions", plant.out, "--format", "csv").stdout)
    assert [int(row["scrap"]) for row in rows] == [row["scrap"] for row in as_json["conditions"]]


def test_a_database_finds_the_parts_of_a_condition(plant):
    table = read_csv(plant.parts.read_text(encoding="utf-8"))
    rows = json.loads(run("conditions", plant.out, "--json").stdout)["conditions"]
    with sqlite3.connect(":memory:") as store:
        names = list(table[0])
        texts = ("part", "finished", "shift", "supplier", "seal")
        kinds = [f'"{name}" {"TEXT" if name in texts else "REAL"}' for name in names]
        store.execute(f"CREATE TABLE parts ({', '.join(kinds)})")
        values = [[value or None for value in row.values()] for row in table]
        store.executemany(f"INSERT INTO parts VALUES ({','.join('?' * len(names))})", values)
        where = run("conditions", plant.out, "--format", "sql").stdout
        found = store.execute(f"SELECT count(*) FROM parts WHERE {where}").fetchone()[0]
        for row in rows:
            query = f"SELECT count(*), sum(scrap) FROM parts WHERE {row['sql']}"
            assert store.execute(query).fetchone() == (row["parts"], row["scrap"])
    store.close()
    assert max(row["parts"] for row in rows) <= found <= sum(row["parts"] for row in rows)


def test_rows_that_had_no_part_in_the_training_test_them(plant, later):
    done = run("conditions", plant.out, later, "--cost-fp", 5, "--cost-fn", 80, "--json")
    assert done.exit_code == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["evidence"] == "hold-out"
    trained = {row["text"]: row for row in plant.result["conditions"]}
    parts = read_csv(later.read_text(encoding="utf-8"))
    share = sum(row["scrap"] == "1" for row in parts) / len(parts)
    for row in found["conditions"]:
        assert row["parts"] == trained[row["text"]]["parts"]
        assert row["holdout_rate"] == row["holdout_scrap"] / row["holdout_parts"]
    # The causes were planted in the same way, so the best condition holds there too.
    best = found["conditions"][0]
    assert best["holdout_rate"] > 3 * share
    assert best["p_value"] < 1e-6
    assert best["money"] == pytest.approx(
        best["parts"] * (best["holdout_rate"] * 80 - (1 - best["holdout_rate"]) * 5)
    )


@pytest.mark.parametrize(
    ("options", "code", "expected"),
    [
        (["--target", "scarp"], 3, "has no column 'scarp'; did you mean 'scrap'?"),
        (["--target", "shift"], 3, "Column 'shift' has 3 different values"),
        (["--cost-fp", "1"], 2, "--cost-fp and --cost-fn belong together."),
    ],
)
def test_bad_input(plant, options, code, expected):
    done = run("conditions", plant.out, plant.parts, *options)
    refused(done, code, expected)


def test_classes_that_the_model_does_not_know(plant, tmp_path):
    text = (
        plant.parts.read_text(encoding="utf-8").replace(",1\n", ",bad\n").replace(",0\n", ",ok\n")
    )
    (tmp_path / "parts.csv").write_text(text, encoding="utf-8")
    done = run("conditions", plant.out, tmp_path / "parts.csv")
    refused(done, 3, "has the class 'bad'; the model knows '0', '1'.")
