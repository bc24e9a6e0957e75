"""The verdict says what the numbers say."""

import numpy as np
import pytest

from thresher.report.scores import Scored, counts_of
from thresher.report.verdict import level_of, saved_per_1000, verdict_data
from thresher.threshold.rules import Costs

RANDOM = np.random.default_rng(0)
TRUTH = np.arange(2000) % 20 == 0


def scored(separation):
    p = 1 / (1 + np.exp(3.0 - separation * TRUTH - RANDOM.normal(size=len(TRUTH))))
    return Scored(np.arange(len(TRUTH)), p, TRUTH, "")


def verdict(rows, **changed):
    given = {"costs": None, "conditions": None, "elsewhere": None, "unit": "parts"}
    return verdict_data(rows, 0.5, event="scrap", **given | changed)


def test_noise_is_called_blind():
    levels = [level_of(scored(0.0), 0.3) for _ in range(40)]
    assert levels.count("blind") >= 38
    assert "Do not stop parts" in verdict(scored(0.0))["sentences"][0]


@pytest.mark.parametrize(("f1", "level"), [(0.71, "strong"), (0.45, "fair"), (0.2, "weak")])
def test_levels(f1, level):
    found = verdict(scored(5.0), elsewhere={"f1": f1})
    assert found["level"] == level


def test_sentences_hold_the_counts():
    rows = scored(5.0)
    counts = rows.counts_at(0.5)
    sentences = verdict(rows)["sentences"]
    assert f"finds {100 * counts.recall[0]:.0f} of 100" in sentences[0]
    assert f"raises {counts.alerts_per_1000[0]:.0f} alerts per 1000 parts" in sentences[1]
    assert len(sentences) == 2


def test_money():
    alert = np.array([True, True, False, False])
    truth = np.array([True, False, True, False])
    # No alert: two misses, 160. Alerts: a false alarm and a miss, 85. Four rows.
    counts = counts_of(alert, truth)
    assert saved_per_1000(counts, Costs(5.0, 80.0)) == pytest.approx(1000 * (160 - 85) / 4)
    words = verdict(scored(5.0), costs=Costs(1000.0, 1.0))["sentences"][2]
    assert "loses" in words
