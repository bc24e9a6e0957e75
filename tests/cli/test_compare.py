"""`thresher compare` as a user runs it: own tables, data sets by name, bad input."""

import csv
import json
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from tests.program import command, refused, run
from thresher.study import PAPER_METHODS, load_study

HOSTILE = "parts <b>&$x$"
TABLES = ("scores_accuracy", "scores_f1", "standings", "summary")


def compare(*arguments):
    return run("compare", *arguments)


def write_table(path, rows=120, *, missing=True):
    """Write a table with numbers, text, gaps, and a rare class that a tree finds."""
    random = np.random.default_rng(0)
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["speed", "torque", "line", "state"])
        for row in range(rows):
            speed, torque = random.normal(size=2).round(3).tolist()
            is_scrap = row % 8 == 0
            known = not missing or row % 10
            line = "north" if row % 2 else "south"
            cells = [speed + 2 * is_scrap, torque if known else "", line]
            writer.writerow([*cells, "scrap" if is_scrap else "good"])
    return path


@pytest.fixture
def table(tmp_path):
    return write_table(tmp_path / f"{HOSTILE}.csv")


# --------------------------------------------------------------------------------- one's own table


def test_methods_on_one_s_own_table(table, tmp_path):
    out = tmp_path / "out"
    methods = "ARDT,HDDT,DKMDT,LogR+OS"
    done = compare(
        *("--data", table, "--target", "state", "--methods", methods),
        *("--folds", 3, "--out", out, "--json"),
    )
    assert done.exit_code == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["datasets"] == [HOSTILE]
    assert result["methods"] == methods.split(",")
    scores = result["scores"]["f1"][HOSTILE]
    assert scores["ARDT"] > 0.5
    assert scores["DKMDT"] == scores["HDDT"]
    assert "Missing values: methods that do not read them get the median" in done.stderr
    found = sorted(str(path.relative_to(out)) for path in out.rglob("*") if path.is_file())
    tables = [f"tables/{name}.{ending}" for name in TABLES for ending in ("csv", "md")]
    assert found == ["runs.jsonl", *sorted(tables)]
    assert load_study(out / "runs.jsonl").scores("f1").of(HOSTILE, "ARDT") == scores["ARDT"]
    with open(out / "tables" / "standings.csv", encoding="utf-8", newline="") as file:
        rows = {row["method"]: float(row["F1"]) for row in csv.DictReader(file)}
    assert rows == scores
    text = (out / "tables" / "summary.md").read_text(encoding="utf-8")
    assert text.startswith(r"**parts \<b\>&$x$**")


def test_a_table_is_printed_to_standard_output_and_messages_to_standard_error(table, tmp_path):
    done = compare(
        *("--data", table, "--target", "state", "--methods", "LinR,CDT", "--folds", 3),
        *("--out", tmp_path / "out", "--repeats", 2, "--seed", 7),
    )
    assert done.exit_code == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == HOSTILE
    assert {lines[4].split("  ")[0], lines[5].split("  ")[0]} == {
        "LinR",
        "CDT",
    }
    assert " is best (F1 " in lines[-1]
    assert "2 methods on 1 data set, 3 folds" in done.stderr
    assert "Written: " in done.stderr


USUAL = ["tree", "forest", "LightGBM", "RandomForest", "BalancedRandomForest"]


def test_what_people_use_is_compared_the_best_first(table, tmp_path):
    arguments = ["--data", table, "--target", "state", "--folds", 2]
    done = compare(*arguments, "--out", tmp_path / "out", "--json")
    assert done.exit_code == 0, done.stderr
    result = json.loads(done.stdout)
    assert {*USUAL, "logistic regression"} <= set(result["methods"])
    assert not set(result["methods"]) & set(PAPER_METHODS)
    means = result["scores"]["f1"][HOSTILE]
    order = [row["method"] for row in result["standings"]]
    assert sorted(order) == sorted(means)
    assert [means[name] for name in order] == sorted(means.values(), reverse=True)
    assert result["conclusion"].startswith(f"{order[0]} is best ")


def test_thresholds_are_tuned_for_the_rule_that_sorts(table, tmp_path):
    results = {}
    for rule in ("f1", "bcr"):
        done = compare(
            *("--data", table, "--target", "state", "--methods", "logistic regression,LightGBM"),
            *("--rule", rule, "--folds", 2, "--out", tmp_path / rule, "--json"),
        )
        assert done.exit_code == 0, done.stderr
        results[rule] = json.loads(done.stdout)
    name = "logistic regression"
    bcr = {rule: result["scores"]["bcr"][HOSTILE][name] for rule, result in results.items()}
    assert bcr["bcr"] != bcr["f1"]
    standings = {row["method"]: row["value"] for row in results["bcr"]["standings"]}
    assert standings[name] == pytest.approx(bcr["bcr"])
    assert "(BCR " in results["bcr"]["conclusion"]


def test_the_paper_s_methods_on_one_s_own_table(table, tmp_path):
    done = compare(
        *("--data", table, "--target", "state", "--paper-methods", "--folds", 2, "--json"),
        *("--out", tmp_path / "out"),
    )
    assert done.exit_code == 0, done.stderr
    assert json.loads(done.stdout)["methods"] == list(PAPER_METHODS)


def test_a_method_whose_package_is_missing_is_left_out_and_that_is_said(
    table, tmp_path, monkeypatch
):
    for name in [name for name in sys.modules if name.partition(".")[0] == "lightgbm"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    arguments = ["--data", table, "--target", "state", "--folds", 2]
    done = compare(*arguments, "--methods", "LightGBM,tree", "--out", tmp_path / "out", "--json")
    assert done.exit_code == 0, done.stderr
    assert "LightGBM is left out: The method LightGBM needs lightgbm: pip" in done.stderr
    result = json.loads(done.stdout)
    assert result["methods"] == ["tree"]
    assert "LightGBM is left out" in result["remarks"][0]
    done = compare(*arguments, "--methods", "LightGBM", "--out", tmp_path / "other")
    refused(done, 1, "pip install")


# -------------------------------------------------------------------------------- data sets by name


@pytest.fixture(scope="module")
def named(tmp_path_factory):
    out = tmp_path_factory.mktemp("named") / "out"
    arguments = ["--datasets", "Yeast-me1", "--methods", "DKMDT", "--methods", "HDDT", "--folds", 4]
    done = compare(*arguments, "--out", out, "--json")
    assert done.exit_code == 0, done.stderr
    return out, arguments, json.loads(done.stdout)


def test_a_data_set_by_name(named):
    _, _, result = named
    scores = result["scores"]["f1"]["Yeast-me1"]
    assert scores["DKMDT"] == scores["HDDT"] > 0.5
    assert result["folds"] == 4
    assert result["failures"] == []


def test_an_earlier_study_is_not_overwritten(named):
    out, arguments, _ = named
    before = (out / "runs.jsonl").read_bytes()
    done = compare(*arguments, "--out", out)
    refused(done, 2, "add --resume to go on with them, or name another folder")
    assert (out / "runs.jsonl").read_bytes() == before


def test_resuming_repeats_nothing_and_adds_what_is_new(named):
    out, arguments, result = named
    before = (out / "runs.jsonl").read_bytes()
    assert before.count(b"\n") == 8
    done = compare(*arguments, "--methods", "LinR", "--out", out, "--resume", "--json")
    assert done.exit_code == 0, done.stderr
    again = json.loads(done.stdout)
    after = (out / "runs.jsonl").read_bytes()
    assert after.startswith(before)
    assert after.count(b"\n") == 12
    for method in ("DKMDT", "HDDT"):
        assert (
            again["scores"]["f1"]["Yeast-me1"][method]
            == (result["scores"]["f1"]["Yeast-me1"][method])
        )


def test_a_run_that_takes_too_long_fails_and_the_rest_is_kept(tmp_path):
    done = compare(
        *("--datasets", "Letter-A", "--methods", "LinR,BalancedRF", "--folds", 2),
        *("--timeout", 0.2, "--out", tmp_path / "out", "--json"),
    )
    assert done.exit_code == 1
    assert "runs have no outcome" in done.stderr
    result = json.loads(done.stdout)
    assert {row["status"] for row in result["failures"]} == {"timeout"}
    assert result["scores"]["f1"]["Letter-A"]["LinR"] is not None
    assert "timeout" in (tmp_path / "out" / "tables" / "failures.csv").read_text()


def test_ctrl_c_keeps_what_was_done(tmp_path):
    out = tmp_path / "out"
    arguments = ["--datasets", "Yeast-me1", "--methods", "BalancedRF", "--out", str(out)]
    given = [*command(), "compare", *arguments]
    with subprocess.Popen(
        given, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        deadline = time.monotonic() + 60
        while count_done(out) < 2 and time.monotonic() < deadline:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        printed, said = process.communicate(timeout=60)
    assert process.returncode == 1
    assert printed == ""
    assert "Traceback" not in said
    assert said.splitlines()[-1].endswith("Add --resume to go on.")
    assert 2 <= count_done(out) < 10


def count_done(out):
    path = out / "runs.jsonl"
    return path.read_bytes().count(b"\n") if path.exists() else 0


# --------------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], "Give --data and --target, or --datasets."),
        (["--data", "TABLE"], "--data and --target belong together."),
        (["--target", "y", "--datasets", "Yeast-me1"], "--data and --target belong together."),
        (["--data", "TABLE", "--target", "state", "--datasets", "Ecoli-om"], "stands alone"),
        (["--datasets", "Yeast-me1", "--drop", "x"], "--drop names columns of --data."),
        (["--datasets", "Yeast-me1", "--jobs", "0"], "take 1 or more, or -1."),
        (["--datasets", "Yeast-me1", "--folds", "1"], "Invalid value for '--folds'"),
        (["--datasets", "Yeast-me1", "--timeout", "0"], "Invalid value for '--timeout'"),
        (["--datasets", "Yeast-mee"], "There is no data set 'Yeast-mee'; did you mean Yeast-me"),
        (["--datasets", "Yeast-me1", "--methods", "ARDTT"], "did you mean 'ARDT'"),
        (["--datasets", "Yeast-me1", "--control", "CDDT"], "did you mean 'CDT'"),
        (["--datasets", "Yeast-me1", "--rule", "bcr"], "--rule tunes thresholds on --data."),
        (
            ["--data", "TABLE", "--target", "state", "--paper-methods", "--methods", "CDT"],
            "Give --paper-methods or --methods.",
        ),
        (["--data", "TABLE", "--target", "state", "--methods", "forrest"], "did you mean 'forest'"),
        (["--data", "absent.csv", "--target", "y"], "'absent.csv' does not exist."),
    ],
)
def test_usage_errors(table, tmp_path, arguments, expected):
    given = [str(table) if argument == "TABLE" else argument for argument in arguments]
    done = compare(*given, "--out", tmp_path / "out")
    refused(done, 2, expected)
    assert not (tmp_path / "out").exists()


HEADER = "a,b,y\n"
ROWS = "1,2,0\n3,4,1\n"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"a,b\n1,2\n", "has no column 'y'; its columns are a, b."),
        (HEADER.encode(), "has a header but no rows."),
        (f"{HEADER}{ROWS}5,6\n".encode(), "Line 4 of"),
        (f"{HEADER}{ROWS}5,6,2\n".encode(), "Column 'y' has 3 different values: '0' (1 row), '1'"),
        (f"{HEADER}5,6,\n".encode(), "Column 'y' has no value in any row"),
        (b"y\n0\n1\n", "has no column beside the target 'y'."),
        (f"{HEADER}{ROWS}".encode(), "has 1 row of the rare class, too few for 10 folds: two"),
        (f"{HEADER}{ROWS * 4}".encode(), "too few for 10 folds: take --folds 4."),
    ],
)
def test_tables_that_cannot_be_used(tmp_path, content, expected):
    path = tmp_path / "bad.csv"
    path.write_bytes(content)
    done = compare("--data", path, "--target", "y", "--out", tmp_path / "out")
    refused(done, 3, expected)
    assert not (tmp_path / "out").exists()


def test_a_column_of_names_is_to_be_left_out(tmp_path):
    path = tmp_path / "named.csv"
    rows = [f"P{row},{row % 7},{'bad' if row % 9 == 0 else 'good'}" for row in range(300)]
    path.write_text("\n".join(["id,size,state", *rows]), encoding="utf-8")
    arguments = ["--data", path, "--target", "state", "--methods", "CDT", "--folds", 2]
    done = compare(*arguments, "--out", tmp_path / "out")
    assert done.exit_code == 0, done.stderr
    assert "Column 'id' names rows, like a part number, such as 'P0', and is left" in done.stderr
    told = compare(*arguments, "--column", "id=category", "--out", tmp_path / "told")
    refused(told, 3, "leave it out (--drop id)")
    done = compare(*arguments, "--drop", "no", "--out", tmp_path / "other")
    refused(done, 3, "has no column 'no'; its columns are id, size, state.")


def test_a_data_set_that_is_not_here(tmp_path, monkeypatch):
    monkeypatch.setenv("THRESHER_DATA", str(tmp_path))
    monkeypatch.setenv("THRESHER_CACHE", str(tmp_path))
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")  # nobody answers
    done = compare("--datasets", "secom", "--methods", "CDT", "--out", tmp_path / "out")
    refused(done, 3, "secom")


def test_a_file_of_something_else_is_left_as_it_is(tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    (out / "runs.jsonl").write_bytes(b"no runs\n" * 100)
    done = compare("--datasets", "Yeast-me1", "--methods", "CDT", "--out", out, "--resume")
    refused(done, 1, "Line 1 of", "runs.jsonl")
    assert (out / "runs.jsonl").read_bytes() == b"no runs\n" * 100


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    done = compare("--datasets", "Yeast-me1", "--out", tmp_path / "file" / "out")
    refused(done, 1, "file")
