"""The study of promises: its laws, its tests, and the whole coverage table."""

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
PAGES = [BENCHMARKS.parent / "docs" / name for name in ("promises.md", "promises-study.md")]

Part = Callable[[str], ModuleType]


@pytest.fixture
def part(monkeypatch: pytest.MonkeyPatch) -> Part:
    monkeypatch.syspath_prepend(BENCHMARKS)
    return import_module


def test_a_neighbour_drawn_by_its_law_is_that_of_all_drawn_rows(part: Part) -> None:
    """The largest of n draws below a score, drawn at once or by drawing all n."""
    trials = part("promise_trials")
    random = np.random.default_rng(0)
    negative, positive = np.sort(random.random(1000)), np.full(30, 0.4)
    at_once = [trials._neighbours(negative, positive, 40, random)[0] for _ in range(4000)]
    one_by_one = []
    for _ in range(4000):
        drawn = random.choice(negative, size=40)
        below = drawn[drawn < 0.4]
        one_by_one.append(below.max() if len(below) else 2.0)
    quantiles = np.linspace(0.1, 0.9, 9)
    expected = np.quantile(one_by_one, quantiles)
    np.testing.assert_allclose(np.quantile(at_once, quantiles), expected, atol=0.01)


def test_cells_that_fall_short_are_found(part: Part) -> None:
    study, trials = part("promises_study"), part("promise_trials")
    good = trials.Tally("recall", 0.1, 30, "a model", 2000, 1900, 1800, 300.0, 250.0)
    bad = good._replace(size=60, held=1600)
    found = study.cells([good, bad, bad])
    assert [cell["kept"] for cell in found] == [1800 / 1900, 1600 / 1900]
    assert found[0]["holm"] > 0.05 > found[1]["holm"]


def test_the_pages_hold_every_table() -> None:
    text = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    for name in ("recall", "price", "precision", "alerts", "cost", "beside", "measured", "tests"):
        start = text.index(f"<!-- {name} -->") + len(f"<!-- {name} -->")
        assert text[start : text.index("<!-- end -->", start)].strip(), name


@pytest.mark.slow
def test_no_cell_of_the_whole_table_falls_short(part: Part) -> None:
    study = part("promises_study")
    models = part("promise_scores").populations(study.MODELS)
    found = study.cells(study.exact(models, 1))
    assert len(found) == 100
    assert min(cell["holm"] for cell in found) >= 0.05
    assert study.differences(models)[0] == 0
