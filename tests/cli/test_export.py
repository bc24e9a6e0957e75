"""`thresher export` as a user runs it."""

import json
import sqlite3

import numpy as np
import pandas as pd
import pytest

from tests.program import read_csv, refused, run
from thresher import AlphaTreesClassifier, ImbalancedTreeClassifier, load_model, save_model


@pytest.fixture(scope="module")
def expected(plant):
    done = run("predict", plant.out, plant.parts, "--id", "part")
    assert done.exit_code == 0, done.stderr
    return [(float(row["probability"]), row["decision"]) for row in read_csv(done.stdout)]


@pytest.fixture(scope="module")
def table(plant):
    """The parts as numbers and texts, None where a value is missing."""
    rows = read_csv(plant.parts.read_text(encoding="utf-8"))
    model = load_model(plant.out / "model.thresher")
    kinds = dict(zip(model.columns_.names, model.columns_.levels, strict=True))
    return [
        {
            name: (row[name] or None)
            if levels is not None
            else (float(row[name]) if row[name] else None)
            for name, levels in kinds.items()
        }
        for row in rows
    ]


def test_sql_is_written_and_verified(plant, table, expected, tmp_path):
    out = tmp_path / "score.sql"
    done = run(
        *("export", plant.out, "--to", "sql", "--table", "parts", "--dialect", "sqlite"),
        *("--keep", "id", "--verify", plant.parts, "--out", out),
    )
    assert done.exit_code == 0, done.stderr
    assert done.stdout == ""
    assert "Verified on 1,200 rows: the sql decides as the model does." in done.stderr
    assert f"Written: {out}" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["score.sql"]
    with sqlite3.connect(":memory:") as database:
        frame = pd.DataFrame(table).reset_index(names="id")
        frame.to_sql("parts", database, index=False)
        found = database.execute(out.read_text(encoding="utf-8")).fetchall()
    database.close()
    assert [row[1:3] for row in sorted(found)] == expected


def test_python_to_standard_output(plant, table, expected):
    done = run("export", plant.out, "--to", "python", "--verify", plant.parts)
    assert done.exit_code == 0, done.stderr
    module = {}
    exec(done.stdout, module)
    found = [module["predict"](row) for row in table]
    assert [(row["probability"], row["decision"]) for row in found] == expected


def test_decisions_that_32_bits_change_are_counted(tmp_path):
    """16777217 and 16777219 are 16777216 and 16777220 there, on the other side of one cut."""
    X = pd.DataFrame({"count": np.repeat([16777217.0, 16777218.0, 16777219.0, 16777222.0], 5)})
    model = ImbalancedTreeClassifier(pruning=None).fit(X, X["count"] == 16777217.0)
    save_model(model, tmp_path / "m.thresher")
    X.assign(count=X["count"] + 0.4).to_csv(tmp_path / "rows.csv", index=False)
    more = ("--verify", tmp_path / "rows.csv", "--out", tmp_path / "m.onnx")
    done = run("export", tmp_path / "m.thresher", "--to", "onnx", *more)
    assert done.exit_code == 0, done.stderr
    exact = X + 0.4
    moved = model.predict(exact) != model.predict(exact.astype("float32").astype("float64"))
    assert moved.sum() > 0
    assert f"Rounding to 32 bits changes {moved.sum()} of these decisions" in done.stderr


def test_models_that_were_saved_in_python(tmp_path):
    """Without names, with levels that are numbers, of other kinds."""
    X = pd.DataFrame({"tool": pd.Categorical([1.0, 2.0, 3.0] * 20), "x": np.arange(60.0)})
    y = (X["tool"] == 2.0) & (X["x"] > 20)
    X.to_csv(tmp_path / "rows.csv", index=False)
    for model in (ImbalancedTreeClassifier("gini").fit(X, y), AlphaTreesClassifier().fit(X, y)):
        save_model(model, tmp_path / "model.thresher")
        done = run(
            *("export", tmp_path / "model.thresher", "--to", "sql", "--table", "parts"),
            *("--dialect", "duckdb", "--verify", tmp_path / "rows.csv", "--json"),
        )
        assert done.exit_code == 0, done.stderr
        assert json.loads(done.stdout)["verified_rows"] == 60


def test_without_rows_it_says_that_nothing_was_verified(plant):
    done = run("export", plant.out, "--to", "python")
    assert done.exit_code == 0, done.stderr
    assert "Not verified: name rows with --verify" in done.stderr


# ---------------------------------------------------------------------------------------- bad data


@pytest.mark.parametrize(
    ("options", "code", "expected"),
    [
        (["--to", "sql", "--table", "p", "--dialect", "snowflake"], 3, "verify cannot run the"),
        (["--to", "sql", "--table", "p", "--keep", "leaf"], 3, "two columns 'leaf'"),
        (["--to", "sql"], 2, "--to sql needs --table NAME"),
        (["--to", "python", "--dialect", "ansi"], 2, "--dialect is for --to sql."),
        (["--to", "python", "--boolean", "x"], 2, "--boolean is for --to sql."),
        (["--to", "sql", "--table", "p", "--dtype", "float64"], 2, "--dtype is for --to onnx."),
    ],
)
def test_what_cannot_be_leaves_the_old_file(plant, tmp_path, options, code, expected):
    out = tmp_path / "out"
    out.write_text("earlier", encoding="utf-8")
    done = run("export", plant.out, *options, "--verify", plant.parts, "--out", out)
    refused(done, code, expected)
    assert out.read_text(encoding="utf-8") == "earlier"
    assert len(list(tmp_path.iterdir())) == 1


def test_onnx_needs_a_file(plant):
    done = run("export", plant.out, "--to", "onnx")
    assert done.exit_code == 2
    assert "--to onnx needs --out FILE" in done.stderr


def test_bad_files(plant, tmp_path):
    path = tmp_path / "model.thresher"
    path.write_text("no model", encoding="utf-8")
    done = run("export", path, "--to", "python")
    refused(done, 3, "is no model of thresher")
    rows = tmp_path / "rows.csv"
    rows.write_text("a,b\n1,2\n", encoding="utf-8")
    done = run("export", plant.out, "--to", "python", "--verify", rows)
    refused(done, 3, "has no column")
