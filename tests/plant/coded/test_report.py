"""The page of several codes: all that is told, names that cannot disturb it, its size."""

from html.parser import HTMLParser

import numpy as np
import pytest

from tests.plant.coded.made_line import QUICK, make_line
from thresher.plant import train

HOSTILE = {
    "crack": "<script>alert(1)</script>",
    "leak": "=cmd|' /C calc'!A0 \x1b[31m",
    "noise": "Geräusch ☃ " + "n" * 300,
}


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.found, self.ids = [], []

    def handle_starttag(self, tag, attrs):
        self.found.append(tag)
        self.ids += [value for key, value in attrs if key == "id"]


@pytest.fixture(scope="module")
def hostile():
    """Return models of codes whose names are meant to disturb."""
    line = make_line().replace({"reason": HOSTILE})
    line = line.rename(columns={"glue": "</td><img src=x onerror=alert(2)>"})
    given = {"rule": "budget", "per_1000": 200, "folds": 2, "settings": "press_force"}
    return train(line, "reason", codes="all", **given, **QUICK)


def test_names_of_codes_and_columns_disturb_no_page(hostile, tmp_path):
    hostile.save(tmp_path / "m.thresher")
    page = hostile.report().html
    tags = Tags()
    tags.feed(page)
    assert not {"script", "img"} & set(tags.found)
    assert len(tags.ids) == len(set(tags.ids))
    assert len(page) < 1_000_000
    assert "n" * 300 not in page


def test_confirmed_conditions_say_what_may_be_done(hostile):
    summary, page = hostile.report().summary, hostile.report().html
    told = [row["action"] for one in summary["codes"] for row in one["conditions"]["rows"]]
    words = [text for text in told if text]
    assert any("press_force" in text for text in words)
    assert page.count('<p class="action">') == len(words)


def test_predictions_and_csv_hold_such_names(hostile):
    found = hostile.predict_table(
        make_line(200, seed=3).rename(columns={"glue": "</td><img src=x onerror=alert(2)>"})
    )
    assert set(found["decision"]) <= {"ok", *HOSTILE.values()}
    cells = [line.split(",")[0] for line in hostile.conditions_as("csv").splitlines()]
    assert not any(cell.startswith("=") for cell in cells)


def test_the_page_tells_every_code_and_figure(model):
    summary, page = model.report().summary, model.report().html
    for one in summary["codes"]:
        assert f"<h2>Code <bdi>{one['code']}</bdi></h2>" in page
        for figure in one["verdict"]["figures"]:
            assert figure["value"] in page
    for row in summary["pareto"]["rows"]:
        assert f"{row['found']:,} of {row['rows']:,}" in page
    assert summary["verdict"] == model.verdict.as_data()
    assert np.isclose(sum(row["rows"] for row in summary["pareto"]["rows"]), 600 * 0.2, atol=60)


def test_a_notebook_shows_the_codes(model, hostile):
    assert all(f"{one.found}" in model._repr_html_() for one in model.pareto.codes)
    assert "<script>alert" not in hostile._repr_html_()


def test_a_report_without_rows_or_page_is_one_sentence(model):
    from thresher.errors import ParameterError
    from thresher.plant import CodedModel

    bare = {code: _without_origin(one) for code, one in model.models.items()}
    with pytest.raises(ParameterError, match="give rows that it has not seen"):
        CodedModel(bare, model.facts).report()


def _without_origin(model):
    from dataclasses import replace

    return replace(model, origin=None)
