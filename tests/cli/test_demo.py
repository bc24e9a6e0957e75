import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from thresher.datasets import load_dataset

SMALL = "Yeast-me1"


def run_thresher(*arguments):
    program = shutil.which("thresher", path=Path(sys.executable).parent)
    assert program, "the program thresher is not installed beside the interpreter"
    return subprocess.run([program, *arguments], capture_output=True, text=True, timeout=120)


@pytest.fixture(scope="module")
def result():
    run = run_thresher("demo", "--json", "--dataset", SMALL)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def test_json_states_the_data(result):
    _, y = load_dataset(SMALL)
    assert result["dataset"] == SMALL
    assert result["rows"] == len(y)
    assert result["positives"] == y.sum()


def test_json_has_scores_of_both_trees(result):
    names = [row["model"] for row in result["models"]]
    assert names == ["DecisionTreeClassifier", "ImbalancedTreeClassifier"]
    for row in result["models"]:
        scores = [row[metric] for metric in ("f1", "recall", "precision", "bcr")]
        assert all(0 < score <= 1 for score in scores)
        assert row["leaves"] > 1


def test_scores_are_those_of_a_useful_tree(result):
    ours = result["models"][1]
    assert ours["f1"] > 0.5
    assert ours["bcr"] > 0.7


def test_json_has_a_readable_tree(result):
    lines = result["tree"].splitlines()
    assert lines[0].startswith("all: 1484 rows, 44 positive")
    assert any(re.match(r"\|-- [a-z]{3} <= ", line) for line in lines)
    assert any(line.endswith("-> rare") for line in lines)


def test_default_run_prints_data_to_stdout_and_messages_to_stderr():
    run = run_thresher("demo")
    assert run.returncode == 0, run.stderr
    assert "ImbalancedTreeClassifier" in run.stdout
    assert "Pageblocks0: 5472 rows, 559 of the rare class (10.2%)" in run.stdout
    assert re.search(r"10-fold cross-validation .* Pageblocks0", run.stderr)
    assert "cross-validation" not in run.stdout


def test_unknown_data_set_is_a_usage_error():
    run = run_thresher("demo", "--dataset", "nothing")
    assert run.returncode == 2
    assert "'nothing' is not one of Pageblocks0" in run.stderr
    assert run.stdout == ""
