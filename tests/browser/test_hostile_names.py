"""Names of columns, levels, classes and stages that try to do harm change nothing but words."""

import pytest

from tests.browser.opening import open_page
from tests.report.reports import line_report
from thresher.condition.clause import Interval
from thresher.condition.condition import Condition
from thresher.condition.words import readable
from thresher.report import render

SHAPE = """() => [...document.querySelectorAll('*')].filter(part => !part.closest('svg'))
  .map(part => part.tagName + '.' + part.className)"""


@pytest.fixture
def hostile(browser, folder):
    with open_page(browser, folder / "hostile.html") as page:
        yield page


def test_no_name_is_run_or_fetched(hostile):
    hostile.page.locator('button[data-unfold="all"]').click()
    for part in hostile.page.locator("main a:visible, main summary:visible").all()[:40]:
        part.hover()
    assert hostile.page.evaluate("'hit' in window") is False
    hostile.check_quiet()


def test_the_page_has_the_same_elements_as_with_plain_names(browser, folder, hostile):
    with open_page(browser, folder / "line.html") as plain:
        expected = plain.page.evaluate(SHAPE)
    assert hostile.page.evaluate(SHAPE) == expected
    assert len(expected) > 500


def test_the_numbers_are_those_of_plain_names(browser, folder, hostile):
    places = "dl.figures dd, dl.results dd, td.number"
    script = f"[...document.querySelectorAll('{places}')].map(place => place.innerText)"
    with open_page(browser, folder / "line.html") as plain:
        expected = plain.page.evaluate(script)
    assert hostile.page.evaluate(script) == expected


def test_names_are_shown_as_they_are(hostile):
    text = hostile.page.locator("section#quality").inner_text()
    for name in (
        "<script>window.hit = 1</script>",
        "{{ 7 * 7 }}",
        "&lt;already&gt;",
        "温度センサー",
    ):
        assert name in text
    assert "\u202e" not in hostile.page.content()


def test_right_to_left_names_do_not_turn_what_follows(browser, tmp_path):
    """A cut after a Hebrew name stands to the right of the name, as it would after a Latin one."""
    condition = Condition((Interval("\u05e2\u05de\u05d5\u05d3\u05d4", high=11.2),), leaves=(1,))
    found = line_report()["conditions"]
    first = found["rows"][0] | {"text": readable(condition, ())}
    path = tmp_path / "hebrew.html"
    changed = {"conditions": found | {"rows": [first, *found["rows"][1:]]}}
    path.write_text(render(line_report() | changed), encoding="utf-8")
    script = """text => [/[\\u05d0-\\u05ea]/, /11/].map(part => { const range = new Range();
      const node = text.firstChild, at = node.data.search(part);
      range.setStart(node, at); range.setEnd(node, at + 1);
      return range.getBoundingClientRect().left; })"""
    with open_page(browser, path) as opened:
        name, cut = opened.page.locator("#condition-1 .text b").evaluate(script)
    assert name < cut
