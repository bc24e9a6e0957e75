"""The study of the watch: its detectors against plain loops, its years by their seeds."""

from importlib import import_module
from math import log
from pathlib import Path

import numpy as np
import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


@pytest.fixture
def study(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    return import_module("watch_study")


def test_the_cusum_is_pages(study):
    scrap = np.random.default_rng(0).binomial(300, 0.012, (20, 60))
    found = study.cusum(scrap, 2.0)
    for year, statistic in zip(scrap, found, strict=True):
        now = 0.0
        for hits, value in zip(year, statistic, strict=True):
            now = max(0.0, now) + hits * log(2.0) + (300 - hits) * log(0.98 / 0.99)
            assert value == pytest.approx(now)


def test_the_threshold_of_a_cusum_is_reached_by_that_share(study):
    threshold = study.cusum_threshold(2.0, 0.1, 1000)
    scrap = study.seeded("others").binomial(300, 0.01, (1000, 365))
    assert (study.cusum(scrap, 2.0).max(axis=1) >= threshold).mean() == pytest.approx(0.1, abs=0.03)


def test_delays_and_alarms_before_the_change(study):
    alarms = np.zeros((4, 800), dtype=bool)
    alarms[0, 12], alarms[1, 3], alarms[2, 790] = True, True, True
    days, before = study.delay_of(alarms, np.array([10, 10, 10, 10]))
    assert days[[0, 2, 3]].tolist() == [3, study.NEVER, study.NEVER]
    assert before.tolist() == [False, True, False, False]


def test_rates_of_days_have_their_mean_and_variation(study):
    rates = study.daily_rates(np.random.default_rng(0), 0.3, (400, 400))
    assert rates.mean() == pytest.approx(0.01, rel=0.01)
    assert rates.std() / rates.mean() == pytest.approx(0.3, rel=0.01)


def test_a_few_years_come_out_the_same_twice(study):
    first, again = (list(study.stable("1,000 rows", 0.0, 60)) for _ in range(2))
    assert [one[:6] for one in first] == [one[:6] for one in again]
    chart = next(one for one in first if one.what == "p-chart")
    assert chart.alarms > 20
    changed = study.changed_years(study.seeded("x"), 3.0, 200, at_start=False)
    after = np.arange(730) >= changed.first[:, None]
    assert changed.scrap[after].mean() == pytest.approx(9.0, rel=0.02)
    assert changed.scrap[~after].mean() == pytest.approx(3.0, rel=0.02)
