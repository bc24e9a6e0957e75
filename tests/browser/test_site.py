"""The built site in a real browser: from disk, by keyboard, for screen readers, on a phone."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.browser.opening import open_page
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
PHONE = {"width": 390, "height": 844}

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


@pytest.mark.parametrize("page", PAGES)
def test_a_phone_scrolls_down_only(browser: Any, page: str) -> None:
    with open_page(browser, SITE / page, viewport=PHONE) as opened:
        width = opened.page.evaluate("document.documentElement.scrollWidth")
    assert width == PHONE["width"]


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
            ("find_suspects", "plant.find_suspects.html"),
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


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        return
