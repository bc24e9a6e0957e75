"""The slider of two handles shows what Python computes for three answers."""

from functools import cache
from typing import Any

import pytest
from sklearn.linear_model import LogisticRegression

from tests.browser.opening import open_page
from thresher import ThresholdClassifier
from thresher.datasets import load_dataset
from thresher.report import render, summarize
from thresher.report.summary.case import judge_case, make_case, score_case
from thresher.threshold.counts import Answered, Costs
from thresher.wording import fixed, percent
from thresher.wording import threshold as words

COSTS, PRICE = Costs(1.0, 20.0), 0.5
OUTPUTS = "() => Object.fromEntries([...document.querySelectorAll('[data-out]')].map(\
place => [place.dataset.out, place.textContent]))"
AT_PAIRS = f"""pairs => {{
  const [slider, upper] = ['threshold', 'threshold-alert'].map(id => document.getElementById(id));
  return pairs.map(([low, high]) => {{
    slider.value = low; upper.value = high;
    upper.dispatchEvent(new Event('input'));
    return ({OUTPUTS})();
  }});
}}"""


@cache
def made() -> tuple[dict[str, Any], Any]:
    """Return the report of a model that refers rows, and what it was judged by."""
    X, y = load_dataset("Yeast-me1")
    model = ThresholdClassifier(LogisticRegression(C=100), "refer", random_state=0)
    model.set_params(miss=0.1, false_alarm=0.3).fit(X, y)
    case = make_case(model, X, y)
    judged = judge_case(case, score_case(case), COSTS, 0)
    costs = {"fp": COSTS.fp, "fn": COSTS.fn}
    return summarize(model, X, y, costs=costs), judged


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    path = tmp_path_factory.mktemp("refer") / "refer.html"
    path.write_text(render(made()[0]), encoding="utf-8")
    return path


def answered(low: int, high: int) -> Answered:
    """Count from the probabilities themselves; at the model's own places as it was judged."""
    slider, judged = made()[0]["slider"], made()[1]
    if (low, high) == (slider["pair"]["low"], slider["pair"]["high"]):
        return judged.judgement.answered
    # The first place decides that everything is an alert, whatever number it shows.
    at = [slider["points"][place][0] if place else -1.0 for place in (low, high)]
    return Answered(*(judged.scored.counts_at(one) for one in at))


def in_words(low: int, high: int, price: float | None = None) -> dict[str, str]:
    slider, found = made()[0]["slider"], answered(low, high)
    decided = found.decided
    money = {"cost": "-", "saved": "-", "baseline": "no alert"}
    if price is not None:
        spent = 1000.0 * found.cost_per_row(COSTS, price)[0]
        silent = 1000.0 * COSTS.fn * (found.low.fn + found.low.tp)[0] / found.total[0]
        always = 1000.0 * COSTS.fp * (found.low.fp + found.low.tn)[0] / found.total[0]
        baseline = "no alert" if silent <= always else "an alert on everything"
        saved = fixed(min(silent, always) - spent, 0)
        money = {"cost": fixed(spent, 0), "saved": saved, "baseline": baseline}
    return {
        "threshold": words(slider["points"][low][0]),
        "threshold-alert": words(slider["points"][high][0]),
        **{name: fixed(getattr(decided, name)[0], 0) for name in ("tp", "fp", "fn", "tn")},
        "refer-positive": fixed((found.low.tp - found.high.tp)[0], 0),
        "refer-negative": fixed((found.low.fp - found.high.fp)[0], 0),
        "referred": percent(found.referred[0]),
        "miss": percent(found.miss[0]),
        "false-alarm": percent(found.false_alarm[0]),
        "f1": percent(decided.fbeta()[0]),
        "alerts": fixed(1000.0 * found.n_alerts[0] / found.total[0], 1),
        **money,
    }


def some_pairs() -> list[tuple[int, int]]:
    pair, last = made()[0]["slider"]["pair"], len(made()[0]["slider"]["points"]) - 1
    places = sorted({0, 1, 5, pair["low"], pair["high"], last // 2, last - 1, last})
    return [(low, high) for low in places for high in places if low <= high]


def test_every_pair_shows_what_python_computes(browser, page):
    pairs = some_pairs()
    with open_page(browser, page) as opened:
        shown = opened.page.evaluate(AT_PAIRS, [list(pair) for pair in pairs])
        opened.page.locator("#cost-refer").fill(str(PRICE))
        with_price = opened.page.evaluate(AT_PAIRS, [list(pair) for pair in pairs])
        opened.check_quiet()
    assert shown == [in_words(*pair) for pair in pairs]
    assert with_price == [in_words(*pair, PRICE) for pair in pairs]
    assert len(pairs) > 20


def test_the_page_opens_at_the_models_own_places_with_and_without_javascript(browser, page):
    pair = made()[0]["slider"]["pair"]
    expected = in_words(pair["low"], pair["high"])
    assert pair["judged"] is not None  # otherwise the curve would do
    for has_script in (True, False):
        with open_page(browser, page, java_script_enabled=has_script) as opened:
            assert {out: opened.shown(out) for out in expected} == expected


def test_a_handle_takes_the_other_along_and_buttons_move_both(browser, page):
    slider = made()[0]["slider"]
    last = len(slider["points"]) - 1
    read = "() => ['threshold', 'threshold-alert'].map(id => document.getElementById(id).value)"
    with open_page(browser, page) as opened:
        for handle, key, expected in (
            ("#threshold", "End", (last, last)),
            ("#threshold-alert", "Home", (0, 0)),
            ("#threshold-alert", "ArrowRight", (0, 1)),
        ):
            opened.page.locator(handle).focus()
            opened.page.keyboard.press(key)
            assert tuple(map(int, opened.page.evaluate(read))) == expected
            assert opened.page.evaluate(OUTPUTS) == in_words(*expected)
        for name, expected in {
            "best_f1": (slider["marks"]["best_f1"],) * 2,
            "chosen": (slider["pair"]["low"], slider["pair"]["high"]),
        }.items():
            button = opened.page.locator(f'button[data-jump="{name}"]')
            button.press("Enter")
            assert button.get_attribute("aria-pressed") == "true"
            assert opened.page.evaluate(OUTPUTS) == in_words(*expected)
        spoken = opened.page.locator("#threshold-alert").get_attribute("aria-valuetext")
        assert spoken.startswith(f"alert above {in_words(*expected)['threshold-alert']}, ")


def test_both_handles_can_be_dragged_and_markers_follow(browser, page):
    slider = made()[0]["slider"]
    read = "lines => lines.map(line => line.x1.baseVal.value)"
    with open_page(browser, page) as opened:
        before = opened.page.locator(".wide line.marker").evaluate_all(read)
        for handle, place in (("#threshold", "low"), ("#threshold-alert", "high")):
            # In the middle, clear of the bar above.
            opened.page.locator(handle).evaluate(
                "one => one.scrollIntoView({block: 'center', behavior: 'instant'})"
            )
            box = opened.page.locator(handle).bounding_box()
            share = slider["pair"][place] / (len(slider["points"]) - 1)
            x, y = box["x"] + 8 + share * (box["width"] - 16), box["y"] + box["height"] / 2
            opened.page.mouse.move(x, y)
            opened.page.mouse.down()
            opened.page.mouse.move(x - 40 if place == "low" else x + 40, y, steps=4)
            opened.page.mouse.up()
        after = opened.page.locator(".wide line.marker").evaluate_all(read)
    assert after[0] < before[0]
    assert after[1] > before[1]
