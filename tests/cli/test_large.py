"""`thresher train` on several Parquet files, at once and batch by batch."""

import json

import pandas as pd
import pytest

from tests.cli.program import run
from thresher.datasets import make_assembly_line


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Parts of the simulated line in four files."""
    folder = tmp_path_factory.mktemp("lake")
    line = make_assembly_line(6000, random_state=0, as_frame="pandas")
    frame = line.X.assign(scrap=line.y, made=pd.Series(line.time))
    for number in range(4):
        part = frame.iloc[number * 1500 : (number + 1) * 1500]
        part.to_parquet(folder / f"{number}.parquet", index=False)
    return folder


def files(folder):
    return sorted(str(path) for path in folder.glob("*.parquet"))


def test_several_files_are_one_table(folder, tmp_path):
    options = ["--target", "scrap", "--ignore", "made", "--no-report", "--json", "--folds", "2"]
    options += ["--model", "tree"]
    found = run("train", *files(folder), *options, "--out", tmp_path / "out")
    assert found.returncode == 0, found.stderr
    assert json.loads(found.stdout)["rows"] == 6000


def test_batch_by_batch_the_last_files_judge(folder, tmp_path):
    out = tmp_path / "out"
    options = ["--target", "scrap", "--ignore", "made", "--stream", "--json", "--out", out]
    options += ["--trees", 20, "--memory", 0.5]
    found = run("train", *files(folder), *options)
    assert found.returncode == 0, found.stderr
    facts = json.loads(found.stdout)
    assert facts["held_out"] == "the last 1 of 4 files held out, which chose nothing"
    judged = facts["judged"]
    assert sum(judged[name] for name in ("tn", "fp", "fn", "tp")) == 1500
    assert judged["recall"] > 0.2
    assert facts["positive"] == "1"
    assert "GB" in found.stderr
    assert facts["conditions"][0]["state"] == "confirmed"
    assert sorted(path.name for path in out.iterdir()) == [
        "conditions.csv",
        "conditions.json",
        "model.thresher",
        "report.html",
    ]
    figures = [figure["value"] for figure in facts["verdict"]["figures"]]
    page = (out / "report.html").read_text(encoding="utf-8")
    assert all(f"<dd>{value}<small>" in page for value in figures)

    predicted = run("predict", out / "model.thresher", files(folder)[0])
    assert predicted.returncode == 0, predicted.stderr
    assert len(predicted.stdout.splitlines()) == 1501


@pytest.mark.parametrize(
    ("options", "code", "sentence"),
    [
        (["--stream", "--model", "blend"], 2, "--model 'blend' needs the table in memory"),
        (["--stream", "--group", "made"], 2, "--group needs the table in memory"),
        (["--stream", "--positive", "9"], 3, "--positive '9' is not a class of the target"),
        (["--stream", "--target", "nothing"], 3, "The files have no column 'nothing'"),
        (["--stream", "--min-recall", "1.0"], 4, "nothing was written"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(folder, tmp_path, options, code, sentence):
    usual = ["--target", "scrap", "--ignore", "made", "--out", tmp_path / "out"]
    found = run("train", *files(folder), *usual, *options)
    assert found.returncode == code, found.stderr
    assert sentence in found.stderr
    assert "Traceback" not in found.stderr
    assert not (tmp_path / "out").exists()


def test_other_files_are_refused(folder, tmp_path):
    text = tmp_path / "parts.csv"
    text.write_text("a,scrap\n1,0\n2,1\n")
    usual = ["--target", "scrap", "--out", tmp_path / "out"]
    mixed = run("train", files(folder)[0], text, *usual)
    assert (mixed.returncode, "must be Parquet files" in mixed.stderr) == (2, True)
    alone = run("train", text, "--stream", *usual)
    assert (alone.returncode, "--stream is for Parquet files" in alone.stderr) == (2, True)
    other = tmp_path / "other.parquet"
    pd.DataFrame({"a": [1.0], "scrap": [0]}).to_parquet(other)
    differs = run("train", files(folder)[0], other, *usual)
    assert differs.returncode == 3
    assert "has other columns than" in differs.stderr
