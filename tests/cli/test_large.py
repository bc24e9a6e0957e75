"""`thresher train` on several Parquet files."""

import json

import pandas as pd
import pytest

from tests.program import run
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
    options += ["--model", "tree", "--leaves", "8", "--no-pairs"]
    found = run("train", *files(folder), *options, "--out", tmp_path / "out")
    assert found.exit_code == 0, found.stderr
    assert json.loads(found.stdout)["rows"] == 6000
