"""`thresher compare` as a user runs it: own tables, data sets by name, the paper; bad input."""

import contextlib
import csv
import gzip
import json
import signal
import sqlite3
import subprocess
import sys
import time

import numpy as np
import pytest
from click.testing import CliRunner

from tests.requirements import data_file
from thresher.benchmark import PAPER_METHODS
from thresher.benchmark.own_table import read_own_table
from thresher.cli.main import main
from thresher.datasets import load_dataset
from thresher.tables.source import Source

PROGRAM = "from thresher.cli.main import main; main(prog_name='thresher')"
HOSTILE = "parts <b>&$x$"


def compare(*arguments):
    """Run the program in a process of its own."""
    command = [sys.executable, "-W", "error::UserWarning", "-c", PROGRAM, "compare"]
    command += [str(argument) for argument in arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)


def compare_here(*arguments):
    """Run the command in this process, which is faster."""
    return CliRunner().invoke(main, ["compare", *map(str, arguments)])


def sentence(run):
    """Return the only line that says what is wrong."""
    lines = [line for line in run.stderr.splitlines() if line.startswith("Error: ")]
    assert len(lines) == 1, run.stderr
    assert "Traceback" not in run.stderr
    assert run.stdout == ""
    return lines[0]


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


def test_a_missing_package_for_diagrams_loses_no_table(table, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    run = compare_here(
        *("--data", table, "--target", "state", "--methods", "ARDT,HDDT"),
        *("--folds", 3, "--out", tmp_path / "out"),
    )
    assert run.exit_code == 0, run.stderr
    assert "ARDT" in run.stdout
    assert "Figures need matplotlib: pip install 'thresher[benchmark]'; they are left out." in (
        run.stderr
    )


def test_methods_on_one_s_own_table(table, tmp_path):
    out = tmp_path / "out"
    methods = "ARDT,HDDT,DKMDT,LogR+OS"
    run = compare(
        *("--data", table, "--target", "state", "--methods", methods),
        *("--folds", 3, "--out", out, "--json"),
    )
    assert run.returncode == 0, run.stderr
    result = json.loads(run.stdout)
    assert result["datasets"] == [HOSTILE]
    assert result["methods"] == methods.split(",")
    scores = result["scores"]["f1"][HOSTILE]
    assert scores["ARDT"] > 0.5
    assert scores["DKMDT"] == scores["HDDT"]
    assert "Missing values: methods that do not read them get the median" in run.stderr
    page = (out / "index.html").read_text(encoding="utf-8")
    assert "parts &lt;b&gt;&amp;$x$" in page
    assert "<b>" not in page
    assert "http" not in page.replace("http-equiv", "")
    assert "Missing values" in page
    assert (out / "results.sqlite").is_file()
    assert not (out / "reproduction.md").exists()


def test_a_table_is_printed_to_standard_output_and_messages_to_standard_error(table, tmp_path):
    run = compare(
        *("--data", table, "--target", "state", "--methods", "LinR,CDT", "--folds", 3),
        *("--out", tmp_path / "out", "--repeats", 2, "--seed", 7),
    )
    assert run.returncode == 0, run.stderr
    lines = run.stdout.splitlines()
    assert lines[0] == HOSTILE
    assert {lines[4].split("  ")[0], lines[5].split("  ")[0]} == {
        "linear regression (LinR)",
        "gain ratio tree (CDT)",
    }
    assert "2 methods on 1 data set, 3 folds" in run.stderr
    assert "Written: " in run.stderr


USUAL = ["tree", "forest", "LightGBM", "RandomForest", "BalancedRandomForest"]


def test_what_people_use_is_compared_the_best_first(table, tmp_path):
    arguments = ["--data", table, "--target", "state", "--folds", 2]
    run = compare_here(*arguments, "--out", tmp_path / "out", "--json")
    assert run.exit_code == 0, run.stderr
    result = json.loads(run.stdout)
    assert {*USUAL, "logistic regression"} <= set(result["methods"])
    assert not set(result["methods"]) & set(PAPER_METHODS)
    means = result["scores"]["f1"][HOSTILE]
    order = [row["method"] for row in result["standings"]]
    assert sorted(order) == sorted(means)
    assert [means[name] for name in order] == sorted(means.values(), reverse=True)
    assert order[0].lower() in result["conclusion"].split(" is best ")[0].lower()
    page = (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    assert result["conclusion"] in page


def test_the_sentence_ends_what_is_printed(table, tmp_path):
    run = compare_here(
        *("--data", table, "--target", "state", "--folds", 2, "--out", tmp_path / "out"),
        *("--methods", "logistic regression,tree"),
    )
    assert run.exit_code == 0, run.stderr
    assert " is best (F1 " in run.stdout.splitlines()[-1]


def test_thresholds_are_tuned_for_the_rule_that_sorts(table, tmp_path):
    results = {}
    for rule in ("f1", "bcr"):
        run = compare_here(
            *("--data", table, "--target", "state", "--methods", "logistic regression,LightGBM"),
            *("--rule", rule, "--folds", 2, "--out", tmp_path / rule, "--json"),
        )
        assert run.exit_code == 0, run.stderr
        results[rule] = json.loads(run.stdout)
    name = "logistic regression"
    bcr = {rule: result["scores"]["bcr"][HOSTILE][name] for rule, result in results.items()}
    assert bcr["bcr"] != bcr["f1"]
    standings = {row["method"]: row["value"] for row in results["bcr"]["standings"]}
    assert standings[name] == pytest.approx(bcr["bcr"])
    assert "(BCR " in results["bcr"]["conclusion"]


def test_the_paper_s_methods_on_one_s_own_table(table, tmp_path):
    run = compare_here(
        *("--data", table, "--target", "state", "--paper-methods", "--folds", 2, "--json"),
        *("--out", tmp_path / "out"),
    )
    assert run.exit_code == 0, run.stderr
    assert json.loads(run.stdout)["methods"] == list(PAPER_METHODS)


def test_a_method_whose_package_is_missing_is_left_out_and_that_is_said(
    table, tmp_path, monkeypatch
):
    for name in [name for name in sys.modules if name.partition(".")[0] == "lightgbm"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    arguments = ["--data", table, "--target", "state", "--folds", 2]
    run = compare_here(
        *arguments, "--methods", "LightGBM,tree", "--out", tmp_path / "out", "--json"
    )
    assert run.exit_code == 0, run.stderr
    assert "LightGBM is left out: The method LightGBM needs lightgbm: pip" in run.stderr
    result = json.loads(run.stdout)
    assert result["methods"] == ["tree"]
    assert "LightGBM is left out" in result["remarks"][0]
    run = compare_here(*arguments, "--methods", "LightGBM", "--out", tmp_path / "other")
    assert run.exit_code == 1
    assert "pip install" in sentence(run)


def test_semicolons_and_gzip_are_read_too(tmp_path):
    plain = write_table(tmp_path / "plain.csv", missing=False)
    text = plain.read_text(encoding="utf-8").replace(",", ";")
    packed = tmp_path / "packed.csv.gz"
    packed.write_bytes(gzip.compress(text.encode("utf-8-sig")))
    results = []
    for path in (plain, packed):
        run = compare_here(
            *("--data", path, "--target", "state", "--methods", "CDT", "--folds", 2, "--json"),
            *("--out", tmp_path / path.name[:2]),
        )
        assert run.exit_code == 0, run.stderr
        results.append(json.loads(run.stdout))
    assert results[0]["scores"]["f1"]["plain"] == results[1]["scores"]["f1"]["packed"]
    assert "Missing values" not in run.stderr


# -------------------------------------------------------------------------------- data sets by name


@pytest.fixture(scope="module")
def named(tmp_path_factory):
    out = tmp_path_factory.mktemp("named") / "out"
    arguments = ["--datasets", "Yeast-me1", "--methods", "DKMDT", "--methods", "HDDT", "--folds", 4]
    run = compare(*arguments, "--out", out, "--json")
    assert run.returncode == 0, run.stderr
    return out, arguments, json.loads(run.stdout)


def finished(out):
    with contextlib.closing(sqlite3.connect(out / "results.sqlite")) as store:
        return store.execute("SELECT key, finished FROM runs ORDER BY key").fetchall()


def test_a_data_set_by_name(named):
    _, _, result = named
    scores = result["scores"]["f1"]["Yeast-me1"]
    assert scores["DKMDT"] == scores["HDDT"] > 0.5
    assert result["settings"]["folds"] == 4
    assert result["failures"] == []


def test_an_earlier_study_is_not_overwritten(named):
    out, arguments, _ = named
    before = finished(out)
    run = compare(*arguments, "--out", out)
    assert run.returncode == 2
    assert "add --resume to go on with them, or name another folder" in " ".join(
        sentence(run).split()
    )
    assert finished(out) == before


def test_resuming_repeats_nothing_and_adds_what_is_new(named):
    out, arguments, result = named
    before = finished(out)
    assert len(before) == 8
    run = compare(*arguments, "--methods", "LinR", "--out", out, "--resume", "--json")
    assert run.returncode == 0, run.stderr
    again = json.loads(run.stdout)
    assert set(before) < set(finished(out))
    assert len(finished(out)) == 12
    for method in ("DKMDT", "HDDT"):
        assert (
            again["scores"]["f1"]["Yeast-me1"][method]
            == (result["scores"]["f1"]["Yeast-me1"][method])
        )


def test_a_run_that_takes_too_long_fails_and_the_rest_is_kept(tmp_path):
    run = compare(
        *("--datasets", "Letter-A", "--methods", "LinR,BalancedRF", "--folds", 2),
        *("--timeout", 0.2, "--out", tmp_path / "out", "--json"),
    )
    assert run.returncode == 1
    assert "runs have no outcome" in run.stderr
    result = json.loads(run.stdout)
    assert {row["status"] for row in result["failures"]} == {"timeout"}
    assert result["scores"]["f1"]["Letter-A"]["LinR"] is not None
    assert "timeout" in (tmp_path / "out" / "tables" / "failures.txt").read_text()


def test_ctrl_c_keeps_what_was_done(tmp_path):
    out = tmp_path / "out"
    arguments = ["--datasets", "Yeast-me1", "--methods", "BalancedRF", "--out", str(out)]
    command = [sys.executable, "-c", PROGRAM, "compare", *arguments]
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as run:
        deadline = time.monotonic() + 60
        while count_done(out) < 2 and time.monotonic() < deadline:
            time.sleep(0.05)
        run.send_signal(signal.SIGINT)
        printed, said = run.communicate(timeout=60)
    assert run.returncode == 1
    assert printed == ""
    assert "Traceback" not in said
    assert said.splitlines()[-1].endswith("Add --resume to go on.")
    assert 2 <= count_done(out) < 10


def count_done(out):
    path = out / "results.sqlite"
    if not path.exists():
        return 0
    with contextlib.closing(sqlite3.connect(path)) as store:
        try:
            return store.execute("SELECT count(*) FROM runs WHERE status = 'done'").fetchone()[0]
        except sqlite3.OperationalError:  # its tables are being made
            return 0


# --------------------------------------------------------------------------------------- the paper


def test_data_sets_of_the_paper_that_are_not_here_are_named(tmp_path, monkeypatch):
    monkeypatch.setenv("THRESHER_DATA", str(tmp_path))
    monkeypatch.setenv("THRESHER_CACHE", str(tmp_path))
    out = tmp_path / "out"
    run = compare_here("--paper", "--methods", "LinR,ARDT", "--folds", 2, "--out", out, "--json")
    assert run.exit_code == 0, run.stderr
    absent = "Birds-s-thrush, Birds-kinglet, Birds-nighthawk"
    assert f"Left out, since they are not here: {absent}." in run.stderr
    assert len(json.loads(run.stdout)["datasets"]) == 15
    assert "Birds-kinglet and Birds-nighthawk" in (out / "reproduction.md").read_text()


def test_a_part_of_the_paper(tmp_path):
    out = tmp_path / "out"
    run = compare_here(
        *("--paper", "--datasets", "Ecoli-om,Thyroid1,Led7digit1", "--folds", 3, "--out", out),
        "--json",
    )
    assert run.exit_code == 0, run.stderr
    result = json.loads(run.stdout)
    assert result["methods"] == list(PAPER_METHODS)
    text = (out / "reproduction.md").read_text(encoding="utf-8")
    assert "13 methods on 3 data sets" in text
    assert "Here the two are equal in every cell" in text
    assert (out / "images" / "ranks_f1.svg").is_file()
    assert "0.84" in (out / "tables" / "paper_accuracy.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_paper_s_study(tmp_path):
    """All data sets, all methods."""
    data_file("Birds-kinglet")
    out = tmp_path / "out"
    run = compare("--paper", "--out", out, "--json")
    assert run.returncode == 0, run.stderr
    result = json.loads(run.stdout)
    assert len(result["datasets"]) == 18
    assert result["cpu_seconds"] < 600
    with open(out / "tables" / "paper_means.csv", encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    assert header[:4] == ["method", "F1 here", "F1 paper", "difference"]
    means = {row[0]: [float(value) for value in row[1:]] for row in rows}
    assert set(means) == set(PAPER_METHODS)
    assert abs(means["ARDT"][0] - means["ARDT"][1]) < 0.02
    assert abs(means["ARDT"][3] - means["ARDT"][4]) < 0.005
    for method in ("LinR", "LinR+CS", "LinR+OS"):
        assert means[method][2] < 0.02
    assert means["DKMDT"][0] == means["HDDT"][0]
    for ranking in result["rankings"].values():
        assert ranking["friedman"]["f_p"] < 0.05


# --------------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], "Give --paper, or --data and --target, or --datasets."),
        (["--data", "TABLE"], "--data and --target belong together."),
        (["--target", "y", "--datasets", "Yeast-me1"], "--data and --target belong together."),
        (["--data", "TABLE", "--target", "state", "--paper"], "--data stands alone"),
        (["--datasets", "Yeast-me1", "--drop", "x"], "--drop names columns of --data."),
        (["--datasets", "Yeast-me1", "--jobs", "0"], "take 1 or more, or -1."),
        (["--datasets", "Yeast-me1", "--folds", "1"], "Invalid value for '--folds'"),
        (["--datasets", "Yeast-me1", "--timeout", "0"], "Invalid value for '--timeout'"),
        (["--datasets", "Yeast-mee"], "There is no data set 'Yeast-mee'; did you mean Yeast-me"),
        (["--datasets", "Yeast-me1", "--methods", "ARDTT"], "did you mean 'ARDT'"),
        (["--datasets", "Yeast-me1", "--control", "CDDT"], "did you mean 'CDT'"),
        (["--datasets", "Yeast-me1", "--rule", "bcr"], "--rule tunes thresholds on --data."),
        (["--paper", "--paper-methods", "--methods", "CDT"], "Give --paper-methods or --methods."),
        (["--data", "TABLE", "--target", "state", "--methods", "forrest"], "did you mean 'forest'"),
        (["--paper", "--datasets", "secom"], "--paper has no data set secom."),
        (["--data", "absent.csv", "--target", "y"], "'absent.csv' does not exist."),
    ],
)
def test_usage_errors(table, tmp_path, arguments, expected):
    given = [str(table) if argument == "TABLE" else argument for argument in arguments]
    run = compare_here(*given, "--out", tmp_path / "out")
    assert run.exit_code == 2, run.stderr
    assert expected in sentence(run)
    assert not (tmp_path / "out").exists()


HEADER = "a,b,y\n"
ROWS = "1,2,0\n3,4,1\n"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", "is empty; its first line must name the columns."),
        (b"a,b\n1,2\n", "has no column 'y'; its columns are a, b."),
        (HEADER.encode(), "has a header but no rows."),
        (f"{HEADER}{ROWS}5,6\n".encode(), "Line 4 of"),
        (f"{HEADER}{ROWS}5,6,2\n".encode(), "Column 'y' has 3 different values: '0' (1 row), '1'"),
        (f"{HEADER}1,2,0\n".encode(), "Column 'y' has one value in all rows, '0'"),
        (f"{HEADER}5,6,\n".encode(), "Column 'y' has no value in any row"),
        (b"y\n0\n1\n", "has no column beside the target 'y'."),
        (b"a,y\n\0\xfe,1\n", "is not text, so it cannot be read as CSV"),
        (f"{HEADER}{ROWS}".encode(), "has 1 row of the rare class, too few for 10 folds: two"),
        (f"{HEADER}{ROWS * 4}".encode(), "too few for 10 folds: take --folds 4."),
        (b'a,y\n"x\n', "Line 2 of"),
    ],
)
def test_tables_that_cannot_be_used(tmp_path, content, expected):
    path = tmp_path / "bad.csv"
    path.write_bytes(content)
    run = compare_here("--data", path, "--target", "y", "--out", tmp_path / "out")
    assert run.exit_code == 3, run.stderr
    assert expected in sentence(run)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "content",
    [b"not gzip", gzip.compress(b"a,y\n1,0\n" * 99, mtime=0)[:-9], b"\x1f\x8b\x08" + b"\0" * 99],
)
def test_damaged_gzip_files(tmp_path, content):
    path = tmp_path / "bad.csv.gz"
    path.write_bytes(content)
    run = compare_here("--data", path, "--target", "y", "--out", tmp_path / "out")
    assert run.exit_code == 3, run.stderr
    assert "bad.csv.gz' cannot be read as CSV" in sentence(run)


def test_a_column_of_names_is_to_be_left_out(tmp_path):
    path = tmp_path / "named.csv"
    rows = [f"P{row},{row % 7},{'bad' if row % 9 == 0 else 'good'}" for row in range(300)]
    path.write_text("\n".join(["id,size,state", *rows]), encoding="utf-8")
    arguments = ["--data", path, "--target", "state", "--methods", "CDT", "--folds", 2]
    run = compare_here(*arguments, "--out", tmp_path / "out")
    assert run.exit_code == 0, run.stderr
    assert "Column 'id' names rows, like a part number, such as 'P0', and is left" in run.stderr
    told = compare_here(*arguments, "--column", "id=category", "--out", tmp_path / "told")
    assert told.exit_code == 3
    assert "leave it out (--drop id)" in sentence(told)
    run = compare_here(*arguments, "--drop", "no", "--out", tmp_path / "other")
    assert run.exit_code == 3
    assert "has no column 'no'; its columns are id, size, state." in sentence(run)


def test_a_data_set_that_is_not_here(tmp_path, monkeypatch):
    monkeypatch.setenv("THRESHER_DATA", str(tmp_path))
    monkeypatch.setenv("THRESHER_CACHE", str(tmp_path))
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")  # nobody answers
    run = compare("--datasets", "secom", "--methods", "CDT", "--out", tmp_path / "out")
    assert run.returncode == 3, run.stderr
    assert "secom" in sentence(run)


def test_a_corrupt_store_is_left_as_it_is(tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    (out / "results.sqlite").write_bytes(b"not a database" * 100)
    run = compare_here("--datasets", "Yeast-me1", "--methods", "CDT", "--out", out, "--resume")
    assert run.exit_code == 1, run.stderr
    assert "results.sqlite" in sentence(run)
    assert (out / "results.sqlite").read_bytes() == b"not a database" * 100


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    run = compare_here("--datasets", "Yeast-me1", "--out", tmp_path / "file" / "out")
    assert run.exit_code == 1, run.stderr
    assert "file" in sentence(run)


def test_own_tables_are_read_as_they_stand(tmp_path):
    X, y = load_dataset("Ecoli-om")
    path = tmp_path / "ecoli.csv"
    rows = np.column_stack([X, y]).tolist()
    names = [f"x{column}" for column in range(X.shape[1])]
    with open(path, "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([[*names, "target"], *rows])
    read, target, _ = read_own_table(Source(str(path)), "target")
    np.testing.assert_array_equal(read, X)
    assert [float(label) for label in target] == y.tolist()
