"""The page as text: one small file that asks for nothing and holds nothing it should not."""

import base64
import hashlib
import json
import re
from html.parser import HTMLParser

import pytest

from tests.report.reports import COLUMNS, hostile_report, line_report, table_report
from thresher.report import render
from thresher.report.page import embedded

PAGES = {"line": line_report, "hostile": hostile_report, "table": table_report}
VOID = {"meta", "input", "br", "link"}


class Reader(HTMLParser):
    """Collects elements and attributes; complains about an end without a start."""

    def __init__(self, page):
        super().__init__()
        self.open, self.tags, self.attributes = [], [], []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.fixture(params=PAGES)
def page(request):
    return render(PAGES[request.param]())


def test_the_file_is_small_and_sound(page):
    assert len(page.encode()) < 1_000_000
    reader = Reader(page)
    assert reader.open == []
    assert reader.tags.count("script") == 2
    assert reader.tags.count("style") == 1


def test_the_policy_knows_the_page_by_its_hashes(page):
    policy = re.search(r'Policy" content="([^"]*)"', page)[1].replace("&#39;", "'")
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert rules["default-src"] == "'none'"
    style = re.search(r"<style>(.*?)</style>", page, re.DOTALL)[1]
    script = re.search(r"<script>(.*?)</script>", page, re.DOTALL)[1]
    for rule, text in (("style-src", style), ("script-src", script)):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert rules[rule] == f"'sha256-{digest}'"
    assert "unsafe" not in policy


def test_nothing_points_outside(page):
    attributes = Reader(page).attributes
    assert {value for key, value in attributes if key == "href" and value[0] != "#"} == set()
    assert {key for key, _ in attributes if key in ("src", "style", "srcset", "action")} == set()
    assert {key for key, _ in attributes if key.startswith("on")} == set()
    style = re.search(r"<style>(.*?)</style>", page, re.DOTALL)[1]
    assert "url(" not in style
    assert "@import" not in style


def test_every_link_leads_to_a_place_of_the_page(page):
    attributes = Reader(page).attributes
    ids = [value for key, value in attributes if key == "id"]
    assert len(ids) == len(set(ids))
    assert {value[1:] for key, value in attributes if key == "href"} <= set(ids)


def test_hostile_names_are_text():
    page = render(hostile_report())
    assert COLUMNS[0] not in page
    assert "&lt;script&gt;window.hit = 1&lt;/script&gt;" in page
    assert Reader(page).tags.count("img") == 0


def test_data_read_back_from_json_give_the_same_page():
    summary = line_report()
    assert render(json.loads(json.dumps(summary))) == render(summary)


def test_embedded_data_cannot_end_their_element():
    data = {"</script><!--": ["&lt;", "\u2028"]}
    text = str(embedded(data))
    assert not set("<>&\u2028") & set(text)
    assert json.loads(text) == data


def words_of(page):
    return " ".join(re.sub(r"<[^>]*>", " ", page).replace("\xa0", " ").split())


def test_the_first_page_says_what_unseen_rows_met():
    report = line_report()
    first = report["conditions"]["rows"][0]
    counts = f"{first['holdout_scrap']:.0f} of {first['holdout_parts']:.0f} rows"
    like_it = f"unseen, conditions like it: {counts}"
    assert like_it in words_of(render(report))
    held = report | {"conditions": report["conditions"] | {"evidence": "hold-out"}}
    assert f"unseen: {counts}" in words_of(render(held))


def test_no_threshold_stands_twice_in_the_table_of_decisions():
    report = line_report()
    points = [[0.0, 9, 9, 0, 0], *([0.00002, 9, count, 0, 9 - count] for count in (5, 4, 3))]
    slider = report["slider"] | {"points": [*points, [1.0, 0, 0, 9, 9]]}
    slider["marks"] = dict.fromkeys(slider["marks"], 2)
    page = words_of(render(report | {"slider": slider}))
    table = page[page.index("Table: decisions along the threshold") :]
    assert " everything 9 9 0 0 " in table
    assert table.count(" 0.000020 9 ") == 1
    assert " 0.000020 9 4 0 5 " in table


def test_a_model_that_alerts_nowhere_still_has_a_page():
    summary = line_report()
    nothing = summary["conditions"] | {"rows": [], "hidden": 0}
    assert "alerts nowhere" in render(summary | {"conditions": nothing})
