"""`thresher datasets` as a user runs it."""

import json

import numpy as np
import pytest

from tests.program import refused, run
from thresher.datasets import list_datasets, load_dataset
from thresher.tables.source import Source


def test_the_list(monkeypatch):
    done = run("datasets")
    assert done.exit_code == 0, done.stderr
    for name in list_datasets():
        assert name in done.stdout
    rows = json.loads(run("datasets", "--json", "--group", "paper").stdout)
    assert [row["name"] for row in rows] == list_datasets("paper")
    yeast = next(row for row in rows if row["name"] == "Yeast-me1")
    assert (yeast["rows"], yeast["positives"], yeast["here"]) == (1484, 44, True)


def test_only_those_that_are_here(monkeypatch, tmp_path):
    for variable in ("THRESHER_DATA", "THRESHER_CACHE"):
        monkeypatch.setenv(variable, str(tmp_path))
    names = [row["name"] for row in json.loads(run("datasets", "--available", "--json").stdout)]
    assert "Yeast-me1" in names
    assert "secom" not in names


def test_one_of_them():
    done = run("datasets", "Yeast-me1")
    assert "rows: 1484" in done.stdout
    assert "citation: " in done.stdout


def test_a_data_set_as_a_file(tmp_path):
    X, y = load_dataset("Yeast-me1")
    for name in ("yeast.csv", "yeast.parquet"):
        out = tmp_path / name
        assert run("datasets", "Yeast-me1", "--out", out).exit_code == 0
        columns = Source(str(out)).read().columns
        np.testing.assert_array_equal(columns.pop("target"), y)
        np.testing.assert_array_equal(np.column_stack(list(columns.values())), X)


def test_the_simulated_line_has_texts_times_and_part_numbers(tmp_path):
    out = tmp_path / "line.csv"
    assert run("datasets", "assembly_line", "--out", out).exit_code == 0
    columns = Source(str(out)).read(texts=["part"]).columns
    assert list(columns)[:2] == ["part", "finished"]
    assert set(columns["supplier"].levels) == set("ABCDE")
    assert len(columns["scrap"]) == 5000


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["Yeast-mee"], "There is no data set 'Yeast-mee'; did you mean Yeast-me"),
        (["Yeast-mee", "--out", "x.csv"], "There is no data set 'Yeast-mee'"),
        (["--out", "x.csv"], "--out needs the NAME of a data set."),
    ],
)
def test_usage_errors(arguments, expected):
    done = run("datasets", *arguments)
    refused(done, 2, expected)


def test_a_data_set_that_is_not_here(monkeypatch, tmp_path):
    for variable in ("THRESHER_DATA", "THRESHER_CACHE"):
        monkeypatch.setenv(variable, str(tmp_path))
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")  # nobody answers
    done = run("datasets", "secom", "--out", tmp_path / "secom.csv")
    refused(done, 3, "secom")
    assert not (tmp_path / "secom.csv").exists()
