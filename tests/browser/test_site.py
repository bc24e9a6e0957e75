"""The built site in a real browser: from disk, by keyboard, for screen readers, on a phone."""

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.browser.opening import contrast, open_page
from tests.requirements import require

SITE = Path(__file__).parents[2] / "build" / "docs"
PAGES = (
    "index.html",
    "guide.html",
    "tutorial.html",
    "choosing.html",
    "glossary.html",
    "refer.html",
    "gallery/index.html",
    "gallery/decide/plot_refer.html",
    "gallery/run/plot_notebook.html",
    "reference/index.html",
    "reference/thresher.plant.html",
    "reference/thresher.ImbalancedTreeClassifier.html",
    "search.html",
)
PHONE = {"width": 375, "height": 812}
# The article scrolls sideways by itself where it is too narrow, so that the page does not grow.
WIDTH = """Math.max(document.documentElement.scrollWidth,
  ...[...document.querySelectorAll(".bd-article-container")].map(
    (box) => box.getBoundingClientRect().left + box.scrollWidth))"""

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", autouse=True)
def site() -> Path:
    require((SITE / "index.html").exists(), "The site is not built: make docs")
    return SITE


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("page", PAGES)
def test_axe_finds_nothing(browser: Any, page: str, scheme: str) -> None:
    require(find_spec("axe_playwright_python"), "pip install axe-playwright-python")
    from axe_playwright_python.sync_playwright import Axe

    with open_page(browser, SITE / page, color_scheme=scheme) as opened:
        found = Axe().run(opened.page).response["violations"]
    assert [(one["id"], one["nodes"][0]["html"][:200]) for one in found] == []


@pytest.mark.parametrize("page", PAGES)
def test_nothing_is_fetched_from_elsewhere(browser: Any, page: str) -> None:
    with open_page(browser, SITE / page) as opened:
        opened.page.wait_for_load_state("load")
        assert opened.requests
        assert {address.split(":")[0] for address in opened.requests} <= {"file", "data"}


def test_a_phone_scrolls_down_only(browser: Any) -> None:
    page = browser.new_page(viewport=PHONE)
    wide = {}
    for path in sorted(SITE.rglob("*.html")):
        if "_static" not in path.parts:
            page.goto(path.as_uri())
            wide[str(path.relative_to(SITE))] = page.evaluate(WIDTH)
    page.close()
    assert len(wide) > 100
    assert {name: width for name, width in wide.items() if width > PHONE["width"]} == {}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_words_that_the_gallery_adds_can_be_read(browser: Any, scheme: str) -> None:
    """Axe does not look at what a style sheet writes."""
    path = SITE / "gallery/decide/plot_refer.html"
    with open_page(browser, path, color_scheme=scheme) as opened:
        colors = opened.page.evaluate(
            """[getComputedStyle(document.querySelector(".sphx-glr-script-out"), "::before").color,
                getComputedStyle(document.body).backgroundColor]"""
        )
    assert contrast(*map(_rgb, colors)) >= 4.5


def test_pictures_of_the_gallery_say_what_they_show() -> None:
    pages = sorted((SITE / "gallery").glob("*/plot_*.html"))
    texts = [path.read_text(encoding="utf-8") for path in pages]
    images, figures = r'<img src="[^"]*sphx_glr[^"]*"[^>]* alt', r'<svg [^>]*role="img" aria-label'
    told = [re.findall(rf'(?:{images}|{figures})="([^"]*)"', text) for text in texts]
    assert pages
    assert all(told)
    assert [alt for alts in told for alt in alts if len(alt.split()) < 5] == []
    assert not any("&lt;Figure size" in text for text in texts)


def test_a_wide_block_of_code_shows_that_there_is_more(browser: Any) -> None:
    with open_page(browser, SITE / "index.html", viewport=PHONE) as opened:
        code = opened.page.locator("pre.more").first
        assert code.get_attribute("tabindex") == "0"
        code.evaluate("box => { box.scrollLeft = box.scrollWidth; }")
        opened.page.wait_for_function("!document.querySelector('pre').matches('.more')")


def test_the_copied_example_has_no_prompts(browser: Any) -> None:
    with open_page(browser, SITE / "index.html") as opened:
        page = opened.page
        # A page from disk may not read the clipboard: look at what is selected as it is copied.
        page.evaluate(
            "document.addEventListener('copy', () => copied = document.activeElement.value)"
        )
        code = page.locator(".highlight-python").first
        code.hover()
        code.locator("button.copybtn").click()
        copied = page.evaluate("copied")
    assert copied.startswith("from thresher")
    assert ">>>" not in copied
    assert "Most of the scrap" not in copied


def test_the_keyboard_skips_to_the_text_and_opens_the_search(browser: Any) -> None:
    with open_page(browser, SITE / "guide.html") as opened:
        page = opened.page
        page.keyboard.press("Tab")
        focused = "document.activeElement.textContent.trim()"
        assert page.evaluate(focused) == "Skip to main content"
        page.keyboard.press("Enter")
        assert page.url.endswith("#main-content")
        page.keyboard.press("Control+k")
        assert page.evaluate("document.activeElement.type") == "search"
        page.keyboard.press("Escape")
        assert page.evaluate("document.activeElement.type") != "search"


@pytest.mark.parametrize("served", [False, True], ids=["disk", "loopback"])
def test_search_finds_pages_and_names(browser: Any, served: bool) -> None:
    with _address(served) as address:
        page = browser.new_page()
        for words, wanted in [
            ("drift", "drift.html"),
            ("find_leakage", "find_leakage.html"),
        ]:
            page.goto(f"{address}/search.html?q={words}")
            page.wait_for_selector("#search-results ul.search li a", timeout=10_000)
            found = page.locator("#search-results ul.search li a")
            found.first.wait_for()
            page.wait_for_timeout(500)
            links = [link.get_attribute("href") for link in found.all()]
            assert any(wanted in (link or "") for link in links), (words, links)
        page.close()


@contextmanager
def _address(served: bool) -> Iterator[str]:
    if not served:
        yield SITE.as_uri()
        return
    handler = partial(_Quiet, directory=str(SITE))
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _rgb(color: str) -> list[float]:
    return [int(part) / 255 for part in re.findall(r"\d+", color)[:3]]


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        return
