"""The slider shows what Python computes, moved by hand, by keyboard and by its buttons."""

from typing import Any

import numpy as np
import pytest

from tests.browser.opening import open_page
from tests.report.reports import COSTS, line_report, small_line
from thresher import ImbalancedTreeClassifier
from thresher.report import render
from thresher.report.summary.case import honest_scores, make_case
from thresher.threshold.rules import Costs
from thresher.wording import fixed, percent


@pytest.fixture(scope="module")
def scored() -> Any:
    line = small_line()
    model = ImbalancedTreeClassifier(max_leaf_nodes=12).fit(line.X, line.y)
    return honest_scores(make_case(model, line.X, line.y))


def expected(scored: Any, threshold: float, costs: dict[str, float]) -> dict[str, str]:
    """Count from the probabilities themselves, and put the numbers into words."""
    counts = scored.counts_at(threshold)
    silent = scored.counts_at(2.0)
    spent, nothing = (1000.0 * Costs(**costs).per_row(each)[0] for each in (counts, silent))
    whole = {name: fixed(getattr(counts, name)[0], 0) for name in ("tp", "fp", "fn", "tn")}
    return whole | {
        "threshold": fixed(threshold, 3),
        "precision": percent(counts.precision[0]),
        "recall": percent(counts.recall[0]),
        "f1": percent(counts.fbeta()[0]),
        "alerts": fixed(counts.alerts_per_1000[0], 1),
        "cost": fixed(spent, 0),
        "saved": fixed(nothing - spent, 0),
    }


def check(opened: Any, words: dict[str, str]) -> None:
    assert {name: opened.shown(name) for name in words} == words


def test_every_place_shows_what_python_computes(opened, scored):
    points = line_report()["slider"]["points"]
    assert len(points) > 20
    for place, (threshold, *_) in enumerate(points):
        opened.slide_to(place)
        check(opened, expected(scored, threshold, COSTS))


def test_the_page_opens_at_the_threshold_of_the_model(opened, scored):
    check(opened, expected(scored, 0.5, COSTS))


def test_arrow_keys_home_and_end_move_it(opened, scored):
    slider = line_report()["slider"]
    thresholds = [point[0] for point in slider["points"]]
    opened.page.locator("#threshold").focus()
    for key, place in {
        "ArrowRight": slider["marks"]["chosen"] + 1,
        "ArrowLeft": slider["marks"]["chosen"],
        "Home": 0,
        "End": len(thresholds) - 1,
    }.items():
        opened.page.keyboard.press(key)
        check(opened, expected(scored, thresholds[place], COSTS))
    spoken = opened.page.locator("#threshold").get_attribute("aria-valuetext")
    assert spoken == f"threshold {fixed(thresholds[-1], 3)}, 0 alerts"


def test_buttons_jump(opened, scored):
    slider = line_report()["slider"]
    assert set(slider["marks"]) == {"chosen", "half", "best_f1", "lowest_cost"}
    for name, place in slider["marks"].items():
        button = opened.page.locator(f'button[data-jump="{name}"]')
        button.press("Enter")
        assert button.get_attribute("aria-pressed") == "true"
        check(opened, expected(scored, slider["points"][place][0], COSTS))


def test_money_follows_the_costs_that_are_typed(opened, scored):
    opened.page.locator("#cost-fp").fill("12.5")
    opened.page.locator("#cost-fn").fill("1000")
    check(opened, expected(scored, 0.5, {"fp": 12.5, "fn": 1000.0}))
    opened.page.locator("#cost-fn").fill("")
    assert (opened.shown("cost"), opened.shown("saved")) == ("-", "-")


def test_the_marker_of_the_chart_follows(opened):
    points = line_report()["slider"]["points"]
    read = "line => [line.x1.baseVal.value, line.dataset.start, line.dataset.end].map(Number)"
    for place, share in ((0, 0.0), (len(points) - 1, 1.0)):
        opened.slide_to(place)
        x, start, end = opened.page.locator(".wide line.marker").evaluate(read)
        assert x == pytest.approx(start + share * (end - start))


def test_the_script_rounds_ties_as_python_does(browser, tmp_path):
    """One of 16 is 6.25 %, which binary numbers hold exactly: a tie between 6.2 and 6.3."""
    counts = np.array([(tp, 64 - tp, 3 * tp + 1, 7) for tp in range(65)])
    points = [[place / 64.0, *map(int, row)] for place, row in enumerate(counts)]
    slider = line_report()["slider"] | {"points": points, "marks": {"chosen": 0}}
    path = tmp_path / "ties.html"
    path.write_text(render(line_report() | {"slider": slider}), encoding="utf-8")
    with open_page(browser, path) as opened:
        for place, (tp, fp, fn, tn) in enumerate(counts.tolist()):
            opened.slide_to(place)
            assert opened.shown("precision") == percent(tp / (tp + fp))
            assert opened.shown("recall") == percent(tp / (tp + fn))
            assert opened.shown("alerts") == fixed(1000 * ((tp + fp) / (tp + fp + fn + tn)), 1)
    assert percent(1 / 16) == percent(0.063)
