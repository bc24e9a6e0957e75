"""`thresher train` as a user runs it."""

import contextlib
import json
import os
import pty
import re
import subprocess

import numpy as np
import pytest

from tests.conftest import SPECIAL
from tests.program import command, read_csv, refused, run, run_outside
from tests.requirements import data_file
from tests.windows_text import write_as_windows
from thresher.plant import PlantModel

FILES = {"model.thresher", "conditions.csv", "conditions.json", "report.html"}


def write_rows(path, header, rows):
    lines = [header, *(",".join(map(str, row)) for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def simple(tmp_path):
    """A table in which fast parts are bad."""
    random = np.random.default_rng(0)
    speed = random.normal(size=400).round(3)
    bad = (speed > 1.2) ^ (random.random(400) < 0.03)
    rows = zip(speed, random.normal(size=400).round(3), bad.astype(int), strict=True)
    return write_rows(tmp_path / "simple.csv", "speed,noise,bad", rows)


QUICK = ("--target", "bad", "--no-report", "--model", "tree")


# ------------------------------------------------------------------------------ the whole command


def test_a_folder_with_model_conditions_and_report(plant):
    assert {path.name for path in plant.out.iterdir()} == FILES
    assert plant.result["files"] == {name: str(plant.out / name) for name in sorted(FILES)}
    page = (plant.out / "report.html").read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert len(page.encode()) < 2**20
    assert "P00001" not in page  # no raw data


def test_the_planted_causes_are_found(plant):
    found = {row["text"] for row in plant.result["conditions"]}
    columns = [set(condition.columns) for condition in plant.line.truth]
    recovered = [
        any(all(name in text for name in planted) for text in found) for planted in columns
    ]
    assert sum(recovered) >= 3
    best = plant.result["conditions"][0]
    assert best["p_value"] == 0.01
    assert best["holdout_rate"] > 3 * plant.line.y.mean()
    assert best["stage"] in plant.line.stages.values()
    assert best["money"] > 0


def test_files_say_the_same_as_standard_output(plant):
    rows = read_csv((plant.out / "conditions.csv").read_text(encoding="utf-8"))
    content = json.loads((plant.out / "conditions.json").read_text(encoding="utf-8"))
    assert [row["text"] for row in rows] == [row["text"] for row in plant.result["conditions"]]
    assert content["conditions"] == plant.result["conditions"]
    assert PlantModel.load(plant.out).judgement.as_data() == plant.result["judged"]


def test_json_states_how_the_model_was_judged(plant):
    judged = plant.result["judged"]
    assert plant.result["held_out"] == "5 steps in time, each judged by what came before it"
    # TimeSeriesSplit never judges the first sixth.
    assert sum(judged[name] for name in ("tn", "fp", "fn", "tp")) == 1000
    assert judged["f1"] > 0.3
    assert plant.result["positives"] == plant.line.y.sum()


def test_messages_go_to_standard_error_and_no_progress_is_drawn(plant):
    assert "Training on 1,200 rows" in plant.stderr
    assert "Written: " in plant.stderr
    assert "\r" not in plant.stderr
    assert "\x1b" not in plant.stderr


def test_progress_is_drawn_on_a_terminal(simple, tmp_path):
    ours, theirs = pty.openpty()
    arguments = ["train", str(simple), *QUICK, "--out", str(tmp_path / "out")]
    with subprocess.Popen(
        [*command(), *arguments],
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm"},
    ) as process:
        os.close(theirs)
        shown = b""
        # A terminal that its program has left is an error of input and output.
        with contextlib.suppress(OSError):
            while piece := os.read(ours, 4096):
                shown += piece
    os.close(ours)
    assert process.returncode == 0
    assert "Judging the model" in shown.decode()
    assert "5/5" in shown.decode()


def test_the_verdict_in_plain_words(simple, tmp_path):
    done = run_outside("train", simple, *QUICK, "--out", tmp_path / "out")
    assert done.exit_code == 0, done.stderr
    assert done.stdout.startswith("'speed' alone identifies bad = 1 (F1 0.")
    text = done.stdout.replace("\xa0", " ")
    assert re.search(r"finds \d+\.\d % \(\d+\.\d % to \d+\.\d %\) of the rare cases", text)
    assert re.search(r"F1 \d+\.\d % \(", text)
    assert re.search(r"1\. speed > 1\.\d+", done.stdout)
    assert not (tmp_path / "out" / "report.html").exists()


def test_the_same_seed_gives_the_same_files(simple, tmp_path):
    contents = []
    for name in ("first", "second"):
        done = run("train", simple, *QUICK, "--out", tmp_path / name)
        assert done.exit_code == 0, done.stderr
        files = sorted((tmp_path / name).iterdir())
        contents.append([(path.name, path.read_bytes()) for path in files])
    assert contents[0] == contents[1]


def test_every_system_writes_the_same_files(simple, tmp_path, monkeypatch):
    write_as_windows(monkeypatch)
    options = ("--target", "bad", "--model", "tree", "--out", tmp_path / "out")
    assert run("train", simple, *options).exit_code == 0
    for name in FILES - {"model.thresher"}:
        assert b"\r" not in (tmp_path / "out" / name).read_bytes()


def test_a_forest_with_groups(simple, tmp_path):
    text = simple.read_text(encoding="utf-8").splitlines()
    lots = [text[0] + ",lot", *(f"{line},L{number // 20}" for number, line in enumerate(text[1:]))]
    simple.write_text("\n".join(lots), encoding="utf-8")
    done = run(
        *("train", simple, *QUICK, "--group", "lot", "--model", "forest", "--trees", 10),
        *("--folds", 3, "--out", tmp_path / "out", "--json"),
    )
    assert done.exit_code == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["held_out"] == "3 folds of groups"
    assert result["judged"]["f1"] > 0.7
    assert sum(result["judged"][name] for name in ("tn", "fp", "fn", "tp")) == 400
    assert PlantModel.load(tmp_path / "out").is_imitated


@pytest.mark.parametrize(
    ("options", "check"),
    [
        (["--rule", "budget", "--per-1000", "130"], lambda one: one["alerts_per_1000"] < 150),
        (["--rule", "precision_at_recall", "--floor", "0.7"], lambda one: one["recall"] > 0.65),
        (["--cost-fp", "1", "--cost-fn", "30"], lambda one: one["threshold"] == 1 / 31),
        (["--rule", "prior"], lambda one: one["threshold"] == 55 / 400),
    ],
)
def test_rules(simple, tmp_path, options, check):
    done = run("train", simple, *QUICK, *options, "--out", tmp_path / "out", "--json")
    assert done.exit_code == 0, done.stderr
    result = json.loads(done.stdout)
    assert check({**result["judged"], "threshold": result["threshold"]})


def test_the_positive_class_can_be_the_common_one(simple, tmp_path):
    done = run("train", simple, *QUICK, "--positive", "0", "--out", tmp_path / "out", "--json")
    assert done.exit_code == 0, done.stderr
    assert json.loads(done.stdout)["positive"] == "0"


@pytest.mark.slow
def test_a_real_table_from_table_to_report(tmp_path):
    name = "steel_plates-stains"  # others: tests/plant
    data_file(name)
    table, out = tmp_path / "table.csv", tmp_path / "out"
    assert run("datasets", name, "--out", table).exit_code == 0
    done = run("train", table, "--target", "target", "--folds", 2, "--out", out, "--json")
    assert done.exit_code == 0, done.stderr
    result = json.loads(done.stdout)
    assert {path.name for path in out.iterdir()} == FILES
    assert len(result["candidates"]) >= 9
    assert 0 < result["judged"]["recall"] <= 1


# -------------------------------------------------------------------------------- quality gates


def test_a_missed_gate_is_exit_code_4_and_the_files_are_written(simple, tmp_path):
    out = tmp_path / "out"
    passing = ("--require", "precision=0.5", "--require", "recall=0.5")
    assert run("train", simple, *QUICK, *passing, "--out", out).exit_code == 0
    (out / "model.thresher").unlink()
    done = run("train", simple, *QUICK, "--require", "recall=0.999", "--out", out)
    assert done.exit_code == 4
    words = (
        r"Error: Gate not met: recall is 0\.\d+ on held-out rows, --require recall=0\.999\. The f"
    )
    assert re.search(words, done.stderr)
    assert (out / "model.thresher").exists()


def test_a_floor_that_no_threshold_reaches_is_exit_code_4(tmp_path):
    random = np.random.default_rng(0)
    rows = zip(random.normal(size=200), (np.arange(200) % 10 == 0).astype(int), strict=True)
    table = write_rows(tmp_path / "noise.csv", "x,bad", rows)
    options = ("--rule", "recall_at_precision", "--floor", 1)
    done = run("train", table, *QUICK, *options, "--out", tmp_path / "out")
    refused(done, 4, "reaches a precision of 1")


# ------------------------------------------------------------------------------------- warnings


def test_part_numbers_and_leaks_are_warned_of(tmp_path):
    random = np.random.default_rng(0)
    bad = random.random(600) < 0.1
    rows = [
        (number, f"SN{number:06d}", value, 7 if is_bad else "", int(is_bad))
        for number, (value, is_bad) in enumerate(zip(random.normal(size=600), bad, strict=True))
    ]
    table = write_rows(tmp_path / "t.csv", "number,serial,value,repair_code,bad", rows)
    done = run("train", table, *QUICK, "--out", tmp_path / "out")
    assert done.exit_code == 0, done.stderr
    assert "'number' numbers the rows in their order; not used." in done.stderr
    assert "'serial' looks like an ID (SN000000); not used." in done.stderr
    assert "'repair_code' has a value in 100 % of rows with bad = 1" in done.stderr
    assert "'value'" not in done.stderr
    ignored = ("--ignore", "number,repair_code", "--id", "serial")
    done = run("train", table, *QUICK, *ignored, "--out", tmp_path / "out")
    assert done.exit_code == 0, done.stderr
    assert "Warning" not in done.stderr


# ------------------------------------------------------------------------------------ bad options


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--rule", "cost"], "--rule 'cost' needs --cost-fp and --cost-fn."),
        (["--cost-fp", "5"], "--cost-fp and --cost-fn belong together."),
        (["--rule", "budget"], "--rule 'budget' needs --per-1000"),
        (["--rule", "f1", "--floor", "0.5"], "--floor is for the rule"),
        (["--confidence", "0.9"], "--confidence is for the rules"),
        (["--floor", "0.5", "--confidence", "1"], "--confidence must be below 1"),
        (["--jobs", "0"], "take 1 or more, or -1."),
        (["--query", "SELECT 1"], "--table and --query are for the URL of a database."),
        (["--delimiter", "ab"], "Give one character"),
    ],
)
def test_usage_errors(simple, tmp_path, options, expected):
    done = run("train", simple, *QUICK, *options, "--out", tmp_path / "out")
    assert done.exit_code == 2, done.stderr
    assert expected in " ".join(done.stderr.split())
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--target", "badd"], "has no column 'badd'; did you mean 'bad'? Its columns are speed"),
        (["--target", "bad", "--id", "serial"], "has no column 'serial'; its columns are"),
        (["--target", "bad", "--positive", "2"], "--positive '2' is not a class of the target"),
        (["--target", "bad", "--time", "day"], "Column 'day' holds no times that can be read"),
        (["--target", "bad", "--ignore", "speed,day"], "has no column to learn from"),
        (["--target", "bad", "--folds", "9"], "has 8 rows of the rare class, too few for 9 folds"),
        (["--target", "bad", "--group", "day"], "The table has 2 groups, too few for 5 folds"),
    ],
)
def test_tables_that_do_not_fit_the_options(tmp_path, options, expected):
    rows = [(number % 20, f"day {number % 2}", int(number % 10 == 0)) for number in range(80)]
    table = write_rows(tmp_path / "t.csv", "speed,day,bad", rows)
    done = run("train", table, *options, "--out", tmp_path / "out")
    refused(done, 3, expected)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("column,stage\nspeed,S1\n", "does not tell the stage of the column 'noise'"),
        ("column,stage\nspeed,S1\nnoise,\n", "has an empty value in row 2"),
        ("column,stage\nspeed,S1\nnoise,S2\nheat,S3\n", "names the column 'heat' in row 3"),
        ("column,stage\nspeed,S1\nspeed,S2\nnoise,S1\n", "names the column 'speed' twice"),
        ("name,place\nspeed,S1\n", "has no column 'column'"),
    ],
)
def test_stages_that_cannot_be_used(simple, tmp_path, content, expected):
    stages = tmp_path / "stages.csv"
    stages.write_text(content, encoding="utf-8")
    out = tmp_path / "out"
    done = run("train", simple, *QUICK, "--stages", stages, "--out", out)
    refused(done, 3, expected)


def test_a_folder_that_cannot_be_written(simple, tmp_path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    for out in (tmp_path / "file", tmp_path / "file" / "out"):
        done = run("train", simple, *QUICK, "--out", out)
        assert done.exit_code == 1, done.stderr
        assert "file" in done.stderr.splitlines()[-1]


def test_rows_are_judged_in_the_order_of_time(plant, tmp_path):
    lines = plant.parts.read_text(encoding="utf-8").splitlines()
    order = np.random.default_rng(0).permutation(len(lines) - 1)
    shuffled = tmp_path / "shuffled.csv"
    shuffled.write_text("\n".join([lines[0], *(lines[row + 1] for row in order)]), encoding="utf-8")
    costs = ("--rule", "f1", "--cost-fp", 5, "--cost-fn", 80)
    done = run(
        *("train", shuffled, *SPECIAL, *costs, "--model", "tree"),
        *("--out", tmp_path / "out", "--no-report", "--json"),
    )
    assert done.exit_code == 0, done.stderr
    assert json.loads(done.stdout)["judged"] == plant.result["judged"]
