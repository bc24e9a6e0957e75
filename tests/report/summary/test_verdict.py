"""The verdict says what the numbers say."""

import numpy as np
import pytest

from thresher.report.summary.case import Scored, counts_of
from thresher.report.summary.verdict import level_of, saved_per_1000, verdict_data
from thresher.threshold.rules import Costs

TRUTH = np.arange(2000) % 20 == 0


def scored(separation, seed=0):
    noise = np.random.default_rng(seed).normal(size=len(TRUTH))
    p = 1 / (1 + np.exp(3.0 - separation * TRUTH - noise))
    return Scored(np.arange(len(TRUTH)), p, TRUTH, "")


GIVEN = {"costs": None, "conditions": None, "unit": "parts", "event": "scrap"}


def verdict(rows, **changed):
    return verdict_data(rows, 0.5, **GIVEN | changed)


def test_noise_is_called_blind():
    levels = [level_of(scored(0.0, seed)) for seed in range(40)]
    assert levels.count("blind") >= 38
    assert "Do not stop parts" in verdict(scored(0.0))["sentences"][0]


@pytest.mark.parametrize(
    ("separation", "level"), [(6.0, "strong"), (2.5, "fair"), (1.0, "weak"), (0.0, "blind")]
)
def test_levels(separation, level):
    rows = scored(separation)
    assert verdict(rows)["level"] == level
    # A threshold that calls everything leaves what can be told as it is.
    assert verdict_data(rows, 0.0, **GIVEN)["level"] == level


def test_sentences_hold_the_counts():
    rows = scored(5.0)
    counts = rows.counts_at(0.5)
    sentences = verdict(rows)["sentences"]
    assert f"finds {100 * counts.recall[0]:.0f} of 100" in sentences[0]
    assert f"raises {counts.alerts_per_1000[0]:.0f} alerts per 1000 parts" in sentences[1]
    assert len(sentences) == 2


def test_a_condition_that_may_be_chance_is_not_named():
    row = {"text": "a > 1", "station": None, "coverage": 0.5, "lift": 3.0, "may_be_chance": True}
    other = row | {"text": "b > 2", "may_be_chance": False}
    named = verdict(scored(5.0), conditions={"rows": [row, other]})["sentences"][-1]
    assert "most scrap is “b > 2”" in named
    nothing = verdict(scored(5.0), conditions={"rows": [row]})["sentences"][-1]
    assert nothing.startswith("None of the combinations of conditions that it found can be told")


def test_money():
    alert = np.array([True, True, False, False])
    truth = np.array([True, False, True, False])
    # No alert: two misses, 160. Alerts: a false alarm and a miss, 85. Four rows.
    counts = counts_of(alert, truth)
    assert saved_per_1000(counts, Costs(5.0, 80.0)) == pytest.approx(1000 * (160 - 85) / 4)
    words = verdict(scored(5.0), costs=Costs(1000.0, 1.0))["sentences"][2]
    assert "loses" in words
