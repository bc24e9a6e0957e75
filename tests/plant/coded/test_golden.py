"""A file of several codes that an earlier version wrote is read with the same decisions."""

import json
from pathlib import Path

import pandas as pd
import pytest

from thresher.plant import CodedModel

GOLDEN = Path(__file__).parents[2] / "golden" / "codes"


@pytest.fixture(scope="module")
def expected():
    return json.loads((GOLDEN / "expected.json").read_text(encoding="utf-8"))


def test_decisions_are_those_of_the_version_that_wrote(expected):
    model = CodedModel.load(GOLDEN / "codes.thresher")
    found = model.predict_table(pd.DataFrame(expected["rows"]))
    assert found[list(model.added())].to_dict("list") == expected["predictions"]


def test_what_it_told_is_told_again(expected):
    model = CodedModel.load(GOLDEN / "codes.thresher")
    assert model.as_json()["pareto"] == expected["told"]["pareto"]
    assert model.as_json()["judged"]["tp"] == expected["told"]["judged"]["tp"]
    assert model.report().html.startswith("<!DOCTYPE html>")
