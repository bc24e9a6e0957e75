"""The slider shows what Python computes, moved by hand, by keyboard and by its buttons."""

from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pytest

from tests.browser.opening import open_page
from tests.report.reports import COSTS, line_report, small_line, table_report
from thresher import ImbalancedForestClassifier, ImbalancedTreeClassifier
from thresher.datasets import load_dataset
from thresher.report import render
from thresher.report.summary.case import Judged, judge_case, make_case, score_case
from thresher.threshold.counts import Costs, Counts
from thresher.wording import fixed, percent
from thresher.wording import threshold as words

OUTPUTS = "() => Object.fromEntries([...document.querySelectorAll('[data-out]')].map(\
place => [place.dataset.out, place.textContent]))"
ALL_PLACES = f"""() => {{
  const slider = document.getElementById('threshold');
  return [...Array(Number(slider.max) + 1).keys()].map(at => {{
    slider.value = at;
    slider.dispatchEvent(new Event('input'));
    return ({OUTPUTS})();
  }});
}}"""
WITHOUT_COSTS = {"cost": "-", "saved": "-", "baseline": "no alert"}


class Known(NamedTuple):
    """The slider of a report, and what its model was judged by, computed once more."""

    slider: dict[str, Any]
    judged: Judged
    costs: Costs | None

    def counts(self, place: int) -> Counts:
        """Count from the probabilities themselves; at the model's own place as it was judged."""
        if place == self.slider["marks"]["chosen"]:
            return self.judged.judgement.counts
        return self.judged.scored.counts_at(self.slider["points"][place][0] if place else -1.0)

    def words(self, place: int, costs: Costs | None = None) -> dict[str, str]:
        threshold = self.slider["points"][place][0]
        return in_words(threshold, self.counts(place), costs or self.costs)


@cache
def known(name: str) -> Known:
    if name == "line":
        line = small_line()
        model = ImbalancedTreeClassifier(max_leaf_nodes=12).fit(line.X, line.y)
        case, costs = make_case(model, line.X, line.y), Costs(**COSTS)
        return Known(line_report()["slider"], judge_case(case, score_case(case), costs, 0), costs)
    X, y = load_dataset("Yeast-me1")
    case = make_case(ImbalancedForestClassifier(40, random_state=0).fit(X, y), X, y)
    return Known(table_report()["slider"], judge_case(case, score_case(case), None, 0), None)


def in_words(threshold: float, counts: Counts, costs: Costs | None) -> dict[str, str]:
    tn, fp, fn, tp = (values[0] for values in counts)
    silent = Counts(*(np.array([value]) for value in (tn + fp, 0.0, fn + tp, 0.0)))
    always = Counts(*(np.array([value]) for value in (0.0, tn + fp, 0.0, fn + tp)))
    number = "everything" if tn + fn == 0 else "nothing" if tp + fp == 0 else words(threshold)
    money = WITHOUT_COSTS
    if costs is not None:
        each = (counts, silent, always)
        spent, nothing, everything = (1000.0 * costs.per_row(one)[0] for one in each)
        saved = fixed(min(nothing, everything) - spent, 0)
        baseline = "no alert" if nothing <= everything else "an alert on everything"
        money = {"cost": fixed(spent, 0), "saved": saved, "baseline": baseline}
    return {
        "threshold": number,
        **{name: fixed(getattr(counts, name)[0], 0) for name in ("tp", "fp", "fn", "tn")},
        "precision": percent(counts.precision[0]),
        "recall": percent(counts.recall[0]),
        "f1": percent(counts.fbeta()[0]),
        "alerts": fixed(counts.alerts_per_1000[0], 1),
        **money,
    }


def page_of(tmp_path: Any, **slider: Any) -> Any:
    """Write the report of the line with another slider."""
    path = tmp_path / "page.html"
    changed = {"slider": line_report()["slider"] | slider}
    path.write_text(render(line_report() | changed), encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ["line", "table"])
def test_every_place_shows_what_python_computes(browser, folder, name):
    expected = [known(name).words(place) for place in range(len(known(name).slider["points"]))]
    with open_page(browser, folder / f"{name}.html") as opened:
        assert opened.page.evaluate(ALL_PLACES) == expected
        opened.check_quiet()
    assert len(expected) > 20
    assert (expected[0]["threshold"], expected[-1]["threshold"]) == ("everything", "nothing")


def test_the_judgement_of_a_chosen_threshold_is_not_that_of_the_curve():
    """Otherwise the test above would not see which of them the page shows."""
    at = known("table").slider["marks"]["chosen"]
    threshold = known("table").slider["points"][at][0]
    curve = known("table").judged.scored.counts_at(threshold)
    assert np.ravel(curve).tolist() != np.ravel(known("table").counts(at)).tolist()


@pytest.mark.parametrize("name", ["line", "table"])
def test_the_page_opens_at_the_models_own_place_with_and_without_javascript(browser, folder, name):
    expected = known(name).words(known(name).slider["marks"]["chosen"])
    for has_script in (True, False):
        with open_page(browser, folder / f"{name}.html", java_script_enabled=has_script) as opened:
            shown = {out: opened.shown(out) for out in expected}
        money = {} if has_script else WITHOUT_COSTS
        assert shown == expected | money


@pytest.mark.parametrize("name", ["line", "table"])
def test_the_table_behind_the_slider_has_the_words_of_its_places(browser, folder, name):
    columns = ("threshold", "tp", "fp", "fn", "tn", "precision", "recall")
    places = range(len(known(name).slider["points"]))
    expected = [[known(name).words(place)[column] for column in columns] for place in places]
    script = "rows => rows.map(row => [...row.cells].map(cell => cell.textContent))"
    with open_page(browser, folder / f"{name}.html") as opened:
        rows = opened.page.locator("#slider .behind tbody tr").evaluate_all(script)
    left = iter(expected)
    assert all(row in left for row in rows)  # in the order of the slider
    assert {0, places[-1], known(name).slider["marks"]["chosen"]} <= {
        expected.index(row) for row in rows
    }
    assert len(rows) > 10


@pytest.mark.parametrize(("word", "place"), [("everything", 0), ("nothing", -1)])
def test_a_threshold_that_decides_nothing_is_a_word_everywhere(browser, tmp_path, word, place):
    slider = line_report()["slider"]
    place %= len(slider["points"])
    path = page_of(tmp_path, marks=slider["marks"] | {"chosen": place})
    for has_script in (True, False):
        with open_page(browser, path, java_script_enabled=has_script) as opened:
            spoken = opened.page.locator("#threshold").get_attribute("aria-valuetext")
            assert opened.shown("threshold") == word
            assert f"{spoken},".startswith(f"threshold {word},")
            assert opened.page.locator("#slider tr.chosen th").text_content() == word


def test_arrow_keys_home_and_end_move_it(opened):
    slider = line_report()["slider"]
    last = len(slider["points"]) - 1
    opened.page.locator("#threshold").focus()
    for key, place in {
        "ArrowRight": slider["marks"]["chosen"] + 1,
        "ArrowLeft": slider["marks"]["chosen"],
        "Home": 0,
        "End": last,
    }.items():
        opened.page.keyboard.press(key)
        assert opened.page.evaluate(OUTPUTS) == known("line").words(place)
    spoken = opened.page.locator("#threshold").get_attribute("aria-valuetext")
    assert spoken == "threshold nothing, 0 alerts"


def test_buttons_jump(opened):
    slider = line_report()["slider"]
    assert set(slider["marks"]) == {"chosen", "half", "best_f1", "lowest_cost"}
    for name, place in slider["marks"].items():
        button = opened.page.locator(f'button[data-jump="{name}"]')
        button.press("Enter")
        assert button.get_attribute("aria-pressed") == "true"
        assert opened.page.evaluate(OUTPUTS) == known("line").words(place)


def test_money_follows_the_costs_that_are_typed(opened):
    opened.page.locator("#cost-fp").fill("12.5")
    opened.page.locator("#cost-fn").fill("1000")
    chosen = line_report()["slider"]["marks"]["chosen"]
    assert opened.page.evaluate(OUTPUTS) == known("line").words(chosen, Costs(12.5, 1000.0))
    opened.page.locator("#cost-fn").fill("")
    assert (opened.shown("cost"), opened.shown("saved")) == ("-", "-")


def test_the_marker_of_the_chart_follows(opened):
    points = line_report()["slider"]["points"]
    read = "line => [line.x1.baseVal.value, line.dataset.start, line.dataset.end].map(Number)"
    for place, share in ((0, 0.0), (len(points) - 1, 1.0)):
        opened.slide_to(place)
        x, start, end = opened.page.locator(".wide line.marker").evaluate(read)
        assert x == pytest.approx(start + share * (end - start))


def many_shares() -> list[tuple[int, int]]:
    """Return parts of wholes: around 10 % and 0.1 %, far below, and ties between two digits."""
    random = np.random.default_rng(0)
    pairs = [(part, 64) for part in range(65)]
    pairs += [(part, 2**14) for part in range(0, 2**11, 3)]
    for whole in (1000, 20_000, 200_000, 2_000_000, 10**9):
        pairs += [(part, whole) for part in range(0, 1500, 1)]
        pairs += [(part, whole) for part in random.integers(0, whole // 5, 300).tolist()]
        pairs += [(whole // ten + by, whole) for ten in (10, 1000) for by in (-2, -1, 0, 1, 2)]
    return [(part, whole) for part, whole in pairs if 0 <= part <= whole]


def test_the_script_writes_shares_as_python_does(browser, tmp_path):
    pairs = many_shares()
    points = [[0.5, part, 7, whole - part, 9] for part, whole in pairs]
    with open_page(browser, page_of(tmp_path, points=points, marks={"chosen": 0})) as opened:
        shown = [out["recall"] for out in opened.page.evaluate(ALL_PLACES)]
    assert shown == [percent(part / whole) for part, whole in pairs]
    assert {text.split("\u00a0")[1] for text in shown} == {"%", "ppm"}


@pytest.mark.parametrize(
    "costs",
    [Costs(1.0, 1.0), Costs(0.25, 12.5, 3.0, 0.5), Costs(12_345.678, 9_876_543.0)],
    ids=["ones", "gains", "large"],
)
def test_the_script_counts_money_as_python_does(browser, tmp_path, costs):
    """Of 2000 rows every second cost is a tie between two whole numbers."""
    random = np.random.default_rng(1)
    points = [[0.5, *row] for row in random.multinomial(2000, [0.2, 0.3, 0.1, 0.4], 400).tolist()]
    expected = [
        in_words(0.5, Counts(*(np.array([float(n)]) for n in (tn, fp, fn, tp))), costs)
        for _, tp, fp, fn, tn in points
    ]
    path = page_of(tmp_path, points=points, marks={"chosen": 0}, costs=costs._asdict())
    with open_page(browser, path) as opened:
        assert opened.page.evaluate(ALL_PLACES) == expected
