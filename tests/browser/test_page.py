"""Pages as a whole: quiet, inside their frame on every screen, complete on paper."""

import pytest

from tests.browser.opening import contrast, open_page
from tests.report.reports import hostile_report, line_report, table_report
from thresher.report import render

REPORTS = {"line": line_report, "hostile": hostile_report, "table": table_report}
PAGES = tuple(REPORTS)
SCREENS = {"desktop": 1280, "tablet": 768, "phone": 375, "small phone": 360}

OUTSIDE = """() => [...document.querySelectorAll('svg[role=img]')].flatMap(svg => {
  const frame = svg.viewBox.baseVal;
  return [...svg.querySelectorAll('text')].filter(text => {
    const box = text.getBBox();
    return box.width > 0 && (box.x < frame.x - 1 || box.y < frame.y - 1
      || box.x + box.width > frame.x + frame.width + 1
      || box.y + box.height > frame.y + frame.height + 1);
  }).map(text => text.textContent);
})"""

CLASHES = """() => [...document.querySelectorAll('svg[role=img]')].flatMap(svg => {
  const boxes = [...svg.querySelectorAll('text')].map(text => [text.textContent, text.getBBox()]);
  return boxes.flatMap(([first, a], i) => boxes.slice(i + 1).filter(([, b]) =>
    a.width > 0 && b.width > 0 && a.x + a.width > b.x + 1 && b.x + b.width > a.x + 1
      && a.y + a.height > b.y + 3 && b.y + b.height > a.y + 3).map(([second]) => [first, second]));
})"""


@pytest.mark.parametrize("width", SCREENS.values(), ids=SCREENS)
@pytest.mark.parametrize("name", PAGES)
def test_nothing_is_cut_off_or_overlaps(browser, folder, name, width):
    with open_page(
        browser, folder / f"{name}.html", viewport={"width": width, "height": 800}
    ) as it:
        assert it.page.evaluate("document.documentElement.scrollWidth") <= width
        assert it.page.evaluate(OUTSIDE) == []
        assert it.page.evaluate(CLASHES) == []
        it.check_quiet()


def test_with_costs_and_time_nothing_has_to_be_scrolled_on_a_desktop(browser, folder):
    script = """() => [...document.querySelectorAll('nav ul, .scroll')].filter(part =>
      part.scrollWidth > part.clientWidth).map(part => part.outerHTML.slice(0, 80))"""
    with open_page(
        browser, folder / "line.html", viewport={"width": SCREENS["desktop"], "height": 800}
    ) as it:
        it.page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
        links = it.page.locator("nav a")
        assert links.count() >= 7
        assert it.page.evaluate(script) == []


@pytest.mark.parametrize("name", PAGES)
def test_no_text_breaks_out_of_its_section(browser, folder, name):
    """Only what scrolls by itself may be wider than the page (and headings for the ear only)."""
    script = """() => [...document.querySelectorAll('main *')].filter(part =>
      part.scrollWidth > part.clientWidth + 1 && part.clientWidth > 0
      && getComputedStyle(part).overflowX === 'visible' && !part.closest('.stacked thead')
      && getComputedStyle(part).display !== 'inline').map(part => part.outerHTML.slice(0, 80))"""
    with open_page(browser, folder / f"{name}.html", viewport={"width": 360, "height": 800}) as it:
        it.page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
        wide = [html for html in it.page.evaluate(script) if not html.startswith("<table")]
        assert wide == []


def test_dark_mode_turns_the_colours(browser, folder):
    script = "getComputedStyle(document.body).backgroundColor"
    found = set()
    for scheme in ("light", "dark"):
        with open_page(browser, folder / "line.html", color_scheme=scheme) as it:
            found.add(it.page.evaluate(script))
            it.check_quiet()
    assert found == {"rgb(255, 255, 255)", "rgb(18, 22, 27)"}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_its_background(browser, folder, scheme):
    """Contrast of WCAG 2 (at least 4.5) of the colours that text is written in."""
    script = """() => { const style = getComputedStyle(document.documentElement);
      return Object.fromEntries(['ink', 'soft', 'blue', 'orange', 'violet', 'paper', 'on-color']
        .map(name => [name, style.getPropertyValue('--' + name).trim()])); }"""
    with open_page(browser, folder / "line.html", color_scheme=scheme) as it:
        colors = {name: rgb(color) for name, color in it.page.evaluate(script).items()}
    for name in ("ink", "soft", "blue", "orange", "violet"):
        assert contrast(colors[name], colors["paper"]) >= 4.5, name
    assert contrast(colors["on-color"], colors["blue"]) >= 4.5


def rgb(color):
    return [int(color[place : place + 2], 16) / 255 for place in (1, 3, 5)]


def test_paper_shows_every_table_and_no_control(opened):
    opened.page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    opened.page.emulate_media(media="print")
    assert opened.page.locator("details:not([open])").count() == 0
    assert all(table.is_visible() for table in opened.page.locator("table").all())
    for control in ("nav", "#threshold", "button", "#cost-fp"):
        assert not opened.page.locator(control).first.is_visible()
    opened.page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert opened.page.locator("details.behind:not(.sketch)[open]").count() == 0
    assert opened.page.pdf()[:5] == b"%PDF-"


A4 = {"width": 703, "height": 1032}
"""What margins of 12 mm leave of the paper, in pixels."""


@pytest.mark.parametrize("name", PAGES)
def test_the_first_page_fits_one_sheet_and_none_is_shrunk(browser, folder, name):
    """Verdict, figures and the first conditions with their pictures, to be pinned up."""
    too_wide = """() => [...document.querySelectorAll('body *')].filter(part => !part.closest('svg')
      && part.getBoundingClientRect().right > innerWidth + 1).map(part => part.outerHTML)"""
    with open_page(browser, folder / f"{name}.html", viewport=A4) as it:
        it.page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
        it.page.emulate_media(media="print")
        header = it.page.locator("header.verdict")
        shown = min(3, len(REPORTS[name]()["conditions"]["rows"]))
        assert header.locator(".top li svg.picture:visible").count() == shown > 0
        assert header.locator("h1, dl.figures div").count() >= 5
        assert header.bounding_box()["height"] <= A4["height"] - 50
        assert it.page.evaluate(too_wide) == []


def test_an_action_stands_with_its_condition(browser, tmp_path):
    found = line_report()["conditions"]
    first = found["rows"][0] | {"action": "hold <force> below 61.5"}
    path = tmp_path / "action.html"
    changed = {"conditions": found | {"rows": [first, *found["rows"][1:]]}}
    path.write_text(render(line_report() | changed), encoding="utf-8")
    with open_page(browser, path) as it:
        actions = it.page.locator(".action")
        assert actions.all_inner_texts() == ["hold <force> below 61.5"] * 2


def test_every_chart_has_words_and_a_table_behind_it(opened):
    for section in ("conditions", "slider", "calibration"):
        part = opened.page.locator(f"section#{section}")
        charts = part.locator(".chart svg[role=img][aria-label]")
        assert charts.count() == 2  # wide and narrow
        assert part.locator(".chart svg[role=img]:visible").count() == 1
        assert part.locator("details.behind table tbody tr").count() >= 1


def test_without_javascript_the_numbers_stand(browser, folder):
    with open_page(browser, folder / "line.html", java_script_enabled=False) as it:
        assert it.shown("tp").isdigit()
        assert it.page.locator("#threshold").is_disabled()
        assert it.page.locator("noscript p").is_visible()
