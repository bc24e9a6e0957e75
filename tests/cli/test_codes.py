"""Reason codes at the command line: one truth in terminal, JSON, files and report."""

import csv
import io
import json
from html import escape

import pytest

from tests.cli.program import run_here, sentence
from tests.plant.coded.made_line import make_line
from thresher.cli.train import told_of
from thresher.plant.loading import load_plant
from thresher.wording import percent, plain

QUICK = ("--model", "tree", "--criterion", "entropy", "--leaves", 8, "--pruning", "none")
QUICK += ("--derive", "none", "--folds", 2)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with tables, and with what a training printed and wrote."""
    place = tmp_path_factory.mktemp("codes")
    make_line().to_csv(place / "parts.csv", index=False)
    make_line(300, seed=3).to_csv(place / "new.csv", index=False)
    given = ("--target", "reason", "--codes", "all", "--per-1000", 200, "--unit", "parts")
    done = run_here("train", place / "parts.csv", *given, *QUICK, "--json", "--out", place / "out")
    assert done.exit_code == 0, done.stderr
    (place / "train.json").write_text(done.stdout, encoding="utf-8")
    return place


@pytest.fixture(scope="module")
def told(folder):
    return json.loads((folder / "train.json").read_text(encoding="utf-8"))


def test_training_writes_one_model_one_report_and_all_conditions(folder, told):
    assert sorted(told["files"]) == [
        *("conditions.csv", "conditions.json"),
        *("model.thresher", "report.html"),
    ]
    text = (folder / "out/conditions.csv").read_text(encoding="utf-8")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert list(dict.fromkeys(row["code"] for row in rows)) == told["codes"]
    by_code = json.loads((folder / "out/conditions.json").read_text(encoding="utf-8"))["codes"]
    assert sum(len(one["conditions"]) for one in by_code.values()) == len(rows)


def test_report_and_json_tell_the_same(folder, told):
    page = (folder / "out/report.html").read_text(encoding="utf-8")
    assert len(page) < 1_000_000
    assert "default-src &#39;none&#39;" in page
    assert "<script" not in page
    for sentence_ in told["verdict"]["sentences"]:
        assert escape(sentence_).replace("&#x27;", "&#39;") in page
    for one in told["pareto"]:
        assert f"<span>{plain(percent(one['share_found']))}</span>" in page
    for model in told["models"].values():
        assert escape(model["verdict"]["heading"]) in page


def test_the_terminal_tells_what_json_tells(folder, told):
    printed = told_of(load_plant(folder / "out"))
    for sentence_ in told["verdict"]["sentences"]:
        assert sentence_ in printed
    lines = printed.splitlines()
    for one in told["pareto"]:
        line = next(text for text in lines if text.startswith(f"{one['code']} ")).split()
        assert [int(line[1]), int(line[2])] == [one["rows"], one["found"]]
        assert [int(text) for text in line[-2:]] == [one["elsewhere"], one["missed"]]


def test_predictions_are_judged_by_code(folder):
    done = run_here("predict", folder / "out", folder / "new.csv", "--json")
    assert done.exit_code == 0, done.stderr
    told = json.loads(done.stdout)
    row = told["predictions"][0]
    assert list(row)[-6:] == [
        *(f"probability of {code}" for code in ("crack", "leak", "noise")),
        *("codes", "decision", "condition"),
    ]
    alerts = sum(bool(row["codes"]) for row in told["predictions"])
    assert told["judged"]["tp"] + told["judged"]["fp"] == alerts
    found = {one["code"]: one["found"] for one in told["judged"]["pareto"]}
    named = sum(
        "leak" in row["codes"].split("; ") for row in told["predictions"] if row["reason"] == "leak"
    )
    assert found["leak"] == named
    assert "By code" in done.stderr
    missed = run_here("predict", folder / "out", folder / "new.csv", "--min-precision", 0.999)
    assert missed.exit_code == 4


def test_report_and_conditions_take_such_a_file(folder, tmp_path):
    done = run_here("report", folder / "out", folder / "new.csv", "--out", tmp_path / "r.html")
    assert done.exit_code == 0, done.stderr
    assert "rows that had no part in the training" in (tmp_path / "r.html").read_text("utf-8")
    text = run_here("conditions", folder / "out")
    assert text.exit_code == 0
    assert [line for line in text.stdout.splitlines() if line.startswith("Code")] == [
        f"Code {code!r}:" for code in ("crack", "leak", "noise")
    ]
    sql = run_here("conditions", folder / "out", "--code", "leak", "--format", "sql")
    assert sql.stdout.startswith("(")
    given = ("--settings", "press_force", "--json")
    actions = run_here("actions", folder / "out", folder / "new.csv", *given)
    assert actions.exit_code == 0, actions.stderr
    assert set(json.loads(actions.stdout)["codes"]) == {"crack", "leak", "noise"}
    tested = run_here("conditions", folder / "out", folder / "new.csv", "--json")
    assert set(json.loads(tested.stdout)["codes"]) == {"crack", "leak", "noise"}


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("conditions", "out", "--code", "rust"), 2, "is not a code of this model"),
        (("conditions", "out", "--format", "sql"), 2, "SQL is of one code"),
        (("predict", "out", "new.csv", "--reasons", 2), 2, "--reasons is for a model of one class"),
        (("report", "out", "new.csv", "--cost-fp", 1, "--cost-fn", 2), 2, "of one class"),
        (("actions", "out", "new.csv", "--cost", 2), 2, "of one class"),
        (("threshold", "out"), 3, "a model for each of several reason codes"),
        (("export", "out", "--to", "sql", "--table", "t"), 3, "one a reason code"),
    ],
)
def test_what_several_codes_cannot_do_is_one_sentence(folder, arguments, code, words):
    names = ("out", "new.csv")
    given = [folder / one if one in names else one for one in arguments]
    if arguments[0] == "report":
        given += ["--out", folder / "never.html"]
    done = run_here(*given)
    assert done.exit_code == code, done.stderr
    assert words in sentence(done)


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (("--codes", "leek"), 3, "did you mean 'leak'?"),
        (("--codes", "all", "--good", "fine"), 3, "--good 'fine' is not among the values"),
        (("--codes", "all", "--positive", "leak"), 2, "--codes and --positive are both given"),
        (("--codes", "all", "--code-cost", "leak"), 2, "is not of the form CODE=COST"),
        (("--codes", "all", "--code-cost", "leak=2", "--per-1000", 9), 2, "'crack' has none"),
        (("--codes", "all", "--code-cost", "leak=2", "--cost-fn", 3), 2, "not both"),
    ],
)
def test_bad_options_are_one_sentence(folder, tmp_path, options, code, words):
    where = ("--target", "reason", "--out", tmp_path / "never")
    done = run_here("train", folder / "parts.csv", *where, *options, *QUICK)
    assert done.exit_code == code, done.stderr
    assert words in sentence(done)
    assert not (tmp_path / "never").exists()
