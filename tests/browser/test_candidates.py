"""The table of candidates: whole on every screen, the best first, the chosen one marked."""

import pytest

from tests.browser.opening import open_page
from tests.report.reports import CANDIDATES

PLACES = """() => [...document.querySelectorAll('#candidates tr')].map(row =>
  [...row.children].map(cell => { const box = cell.getBoundingClientRect();
    return [box.left, box.right, box.top, box.bottom]; }))"""


def places(browser, folder, width):
    with open_page(browser, folder / "line.html", viewport={"width": width, "height": 800}) as it:
        text = it.page.locator("#candidates tbody").inner_text()
        return it.page.evaluate(PLACES), text


def test_on_a_desk_each_heading_stands_above_its_column(browser, folder):
    (head, *rows), _ = places(browser, folder, 1280)
    assert len(rows) == len(CANDIDATES)
    for row in rows:
        assert [cell[1] for cell in row] == pytest.approx([cell[1] for cell in head], abs=1)
        assert all(cell[2] >= above[3] - 1 for cell, above in zip(row, head, strict=True))


@pytest.mark.parametrize("width", [1280, 760, 390])
def test_every_name_and_figure_is_inside_the_screen(browser, folder, width):
    (_, *rows), text = places(browser, folder, width)
    assert all(0 <= left < right <= width for row in rows for left, right, _, _ in row)
    assert all(one.name in text and one.gap_words in text for one in CANDIDATES)


def test_the_best_stands_first_and_the_chosen_one_alone_is_marked(opened):
    rows = opened.page.locator("#candidates tbody tr")
    values = [float(text) for text in rows.locator("td:nth-child(2)").all_inner_texts()]
    assert values == sorted(values, reverse=True)
    (chosen,) = opened.page.locator("#candidates tr.chosen").all_inner_texts()
    assert "forest (200 trees)" in chosen
    assert "chosen" in chosen


def test_the_section_stands_before_the_calibration(opened):
    sections = opened.page.locator("main > section").evaluate_all("all => all.map(one => one.id)")
    assert sections.index("candidates") + 1 == sections.index("calibration")
    assert "#candidates" in opened.page.locator("nav a").evaluate_all(
        "all => all.map(one => one.getAttribute('href'))"
    )
