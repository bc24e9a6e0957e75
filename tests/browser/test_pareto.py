"""The Pareto chart of any conditions: every label whole and apart from bars and other labels."""

import pytest

from tests.browser.test_page import CLASHES, OUTSIDE
from thresher.figures.figure import figure_style
from thresher.figures.svg import NARROW, WIDE
from thresher.report.curves import draw_pareto

FOREIGN_BARS = """() => [...document.querySelectorAll('svg[role=img]')].flatMap(svg => {
  const bars = [...svg.querySelectorAll(':scope > rect')].map(bar => bar.getBBox());
  return [...svg.querySelectorAll('text:not(.on-bar):not(.name)')].filter(text => {
    const box = text.getBBox(), middle = box.x + box.width / 2;
    return bars.some(bar => !(bar.x <= middle && middle <= bar.x + bar.width)
      && box.x + box.width > bar.x && box.x < bar.x + bar.width
      && box.y + box.height > bar.y && box.y < bar.y + bar.height);
  }).map(text => text.textContent);
})"""


def conditions(count, together, class_name="scrap"):
    """Return so many conditions of falling shares, which cover so much together."""
    rows = [
        {
            "number": place + 1,
            "text": f"x{place} > 0",
            "coverage": together * (0.9 - 0.8 * place / count),
            "together": together * (0.9 + 0.1 * (place + 1) / count),
            "is_confirmed": place % 2 == 0,
        }
        for place in range(count)
    ]
    return {"rows": rows, "class_name": class_name, "where_shares": "in training"}


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_every_label_is_whole_and_apart_from_the_rest(browser, width):
    cases = [(count, share) for count in (1, 2, 3, 8, 9, 15, 40) for share in (0.08, 0.5, 0.891, 1)]
    drawn = "".join(draw_pareto(conditions(*case), width) for case in cases)
    long = draw_pareto(conditions(3, 1.0, "plates with a scratch that is too long"), width)
    page = browser.new_page(viewport={"width": width + 20, "height": 800})
    page.set_content(f"<style>{figure_style()}</style>{drawn}{long}")
    assert page.evaluate(OUTSIDE) == []
    assert page.evaluate(CLASHES) == []
    assert page.evaluate(FOREIGN_BARS) == []
    page.close()


def test_bars_that_are_left_out_are_counted():
    assert "(8 of 15 shown; all together 62.0" in draw_pareto(conditions(15, 0.62), NARROW)
    assert "(14 of 15 shown; all together 62.0" in draw_pareto(conditions(15, 0.62), WIDE)
    assert "shown" not in draw_pareto(conditions(8, 0.62), NARROW)


def test_the_label_at_the_end_of_the_line_is_that_of_its_last_point():
    data = conditions(15, 0.62)
    end = data["rows"][7]["together"]
    assert f">together {100 * end:.1f}" in draw_pareto(data, NARROW)
