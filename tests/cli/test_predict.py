"""`thresher predict` as a user runs it."""

import json

import numpy as np
import polars as pl
import pytest

from tests.program import read_csv, refused, run
from thresher import ImbalancedTreeClassifier, save_model
from thresher.tables.source import Source


@pytest.fixture(scope="module")
def table(plant):
    return read_csv(plant.parts.read_text(encoding="utf-8"))


def write_table(path, rows):
    lines = [",".join(rows[0]), *(",".join(row.values()) for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def predict(plant, path, *options):
    done = run("predict", plant.out, path, *options)
    assert done.exit_code == 0, done.stderr
    return read_csv(done.stdout)


@pytest.fixture(scope="module")
def predicted(plant):
    done = run("predict", plant.out, plant.parts, "--id", "part")
    assert done.exit_code == 0, done.stderr
    return read_csv(done.stdout), done.stderr


def test_probability_decision_and_condition_beside_the_id(predicted, plant, table):
    rows, said = predicted
    assert list(rows[0]) == ["part", "probability", "decision", "condition"]
    assert [row["part"] for row in rows] == [row["part"] for row in table]
    threshold = plant.result["threshold"]
    texts = {row["text"] for row in plant.result["conditions"]}
    for row in rows:
        is_alert = float(row["probability"]) > threshold
        assert row["decision"] == str(int(is_alert))
        assert (row["condition"] in texts) if is_alert else row["condition"] == ""
    alerts = sum(row["decision"] == "1" for row in rows)
    assert f"1,200 rows, {alerts:,} alerts for '1'." in said
    assert "By the column 'scrap': precision " in said


def test_columns_go_by_name_and_others_are_kept(plant, predicted, table, tmp_path):
    """In another order, with a new column, without target, time and part number."""
    names = [name for name in reversed(table[0]) if name not in ("scrap", "finished", "part")]
    rows = [{name: row[name] for name in names} | {"operator": "x"} for row in table]
    found = predict(plant, write_table(tmp_path / "new.csv", rows))
    assert list(found[0]) == [*names, "operator", "probability", "decision", "condition"]
    assert [row["probability"] for row in found] == [row["probability"] for row in predicted[0]]
    assert [float(row["flow"]) for row in found] == [float(row["flow"]) for row in table]


def test_parquet_in_and_out(plant, predicted, tmp_path):
    out = tmp_path / "decided.parquet"
    done = run("predict", plant.out, plant.parts, "--id", "part", "--out", out)
    assert done.exit_code == 0, done.stderr
    assert done.stdout == ""
    columns = Source(str(out)).read(texts=["part"]).columns
    expected = [float(row["probability"]) for row in predicted[0]]
    assert columns["probability"].tolist() == expected
    assert columns["part"].values() == [row["part"] for row in predicted[0]]
    assert {path.name for path in tmp_path.iterdir()} == {"decided.parquet"}


def test_standard_input_and_json(plant, predicted):
    done = run(
        *("predict", plant.out / "model.thresher", "-", "--id", "part", "--json"),
        input=plant.parts.read_bytes(),
    )
    assert done.exit_code == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["rows"] == 1200
    assert result["judged"]["tp"] > 0
    as_text = [{**row, "probability": float(row["probability"])} for row in predicted[0]]
    expected = [{**row, "condition": row["condition"] or ""} for row in as_text]
    assert result["predictions"] == expected


def test_a_new_level_is_told(plant, table, tmp_path):
    rows = [
        row | {"supplier": "Z" if place < 3 else row["supplier"]}
        for place, row in enumerate(table[:50])
    ]
    done = run("predict", plant.out, write_table(tmp_path / "new.csv", rows))
    assert done.exit_code == 0, done.stderr
    assert "Column 'supplier' has values that the model has not seen (Z)" in done.stderr


def test_levels_without_a_name_are_not_called_new(tmp_path):
    rows = [{"cavity": f"c{place % 400}", "heat": str(place % 7)} for place in range(1200)]
    scrap = [row["cavity"] in ("c17", "c203") for row in rows]
    model = ImbalancedTreeClassifier().fit(pl.DataFrame(rows), np.where(scrap, "scrap", "ok"))
    save_model(model, tmp_path / "model.thresher")
    new = [*rows[:250], {"cavity": "new", "heat": "1"}]
    done = run("predict", tmp_path / "model.thresher", write_table(tmp_path / "a.csv", new))
    assert done.exit_code == 0, done.stderr
    assert "has values that the model has not seen" not in done.stderr
    found = read_csv(done.stdout)
    assert [row["cavity"] for row in found if row["decision"] == "scrap"] == ["c17", "c203"]
    assert {row["condition"] for row in found} == {"", "cavity in {c17, c203}"}


def test_training_rows_are_told(predicted):
    assert "rows were used for training; these figures are too high." in predicted[1]


# ---------------------------------------------------------------------------------------- bad data


def changed(table, **cells):
    rows = [dict(row) for row in table[:20]]
    rows[6].update(cells)
    return rows


@pytest.mark.parametrize(
    ("change", "options", "expected"),
    [
        (lambda t: [{"flow": row["flow"]} for row in t], [], "has no column 'shift' (nor "),
        (
            lambda t: [
                row | {"flow": "high"} if place % 9 == 6 else row for place, row in enumerate(t)
            ],
            [],
            "has the text 'high' in row 7; correct it",
        ),
        (lambda t: changed(t), ["--id", "serial"], "has no column 'serial'"),
        (lambda t: [row | {"decision": "1"} for row in t[:9]], [], "has a column 'decision'"),
        (
            lambda t: [row | {"reason_1": "x"} for row in t[:9]],
            ["--reasons", "1"],
            "has a column 'reason_1' already",
        ),
    ],
)
def test_tables_that_do_not_fit(plant, table, tmp_path, change, options, expected):
    path = write_table(tmp_path / "new.csv", change(table))
    out = tmp_path / "out.csv"
    out.write_text("earlier", encoding="utf-8")
    done = run("predict", plant.out, path, *options, "--out", out)
    refused(done, 3, expected)
    assert out.read_text(encoding="utf-8") == "earlier"
    assert len(list(tmp_path.iterdir())) == 2


def test_reasons_stand_in_columns_of_their_own(plant, predicted):
    rows = predict(plant, plant.parts, "--id", "part", "--reasons", "2")
    assert list(rows[0])[-3:] == ["condition", "reason_1", "reason_2"]
    for row, before in zip(rows, predicted[0], strict=True):
        assert {name: row[name] for name in before} == before
    assert any(": +" in row["reason_1"] for row in rows if row["decision"] == "1")
    done = run("predict", plant.out, plant.parts, "--reasons", "1", "--json")
    found = json.loads(done.stdout)["predictions"]
    assert [row["reason_1"] for row in found] == [row["reason_1"] for row in rows]


@pytest.mark.parametrize(("form", "is_number"), [("{}", True), ("{:04}", False), ("P{}", False)])
def test_ids_are_numbers_where_they_are_written_like_numbers(
    plant, table, tmp_path, form, is_number
):
    rows = [{**row, "part": form.format(1 + at)} for at, row in enumerate(table[:20])]
    path = write_table(tmp_path / "ids.csv", rows)
    expected = [row["part"] for row in rows]
    assert [row["part"] for row in predict(plant, path, "--id", "part")] == expected
    done = run("predict", plant.out, path, "--id", "part", "--json")
    told = [row["part"] for row in json.loads(done.stdout)["predictions"]]
    assert told == (list(range(1, 21)) if is_number else expected)
    run("predict", plant.out, path, "--id", "part", "--out", tmp_path / "out.parquet")
    assert pl.read_parquet(tmp_path / "out.parquet")["part"].dtype.is_numeric() == is_number


def test_a_table_without_a_positive_row_has_no_recall(plant, table, tmp_path):
    rows = [row for row in table if row["scrap"] == "0"][:100]
    done = run("predict", plant.out, write_table(tmp_path / "good.csv", rows))
    assert "By the column 'scrap' no row is positive, so every alert is a false one." in done.stderr
    assert "recall" not in done.stderr
