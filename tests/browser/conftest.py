"""A real browser for the tests of pages; they are skipped where there is none."""

import shutil
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.browser.opening import Opened, open_page
from tests.report.reports import hostile_report, line_report, table_report
from tests.requirements import require
from thresher.report import render

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    program = next(filter(None, map(shutil.which, NAMES)), None)
    require(program, "Chromium is not installed (Debian: apt-get install chromium)")
    require(find_spec("playwright"), "Playwright is not installed (pip install playwright)")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        # The sandbox refuses to work for root, as whom machines of CI run.
        found = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("reports")
    reports = {"line": line_report, "hostile": hostile_report, "table": table_report}
    for name, report in reports.items():
        (path / f"{name}.html").write_text(render(report()), encoding="utf-8")
    return path


@pytest.fixture
def opened(browser: Any, folder: Path) -> Iterator[Opened]:
    with open_page(browser, folder / "line.html") as page:
        yield page
        page.check_quiet()
