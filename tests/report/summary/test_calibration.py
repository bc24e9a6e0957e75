"""Groups of calibration hold every row once, in order, and tell good probabilities from bad."""

import numpy as np

from thresher.report.summary.case import Scored
from thresher.report.summary.curves import calibration_data


def groups_of(p, truth):
    return calibration_data(Scored(np.arange(len(p)), p, truth, ""))["groups"]


def draw():
    random = np.random.default_rng(1)
    p = random.beta(0.3, 6.0, 30_000)
    return p, random.random(30_000) < p


def test_groups_hold_every_row_once_and_rise():
    p, truth = draw()
    groups = groups_of(p, truth)
    assert sum(group["n"] for group in groups) == len(p)
    assert sum(group["hits"] for group in groups) == truth.sum()
    predicted = [group["predicted"] for group in groups]
    assert predicted == sorted(predicted)
    assert len(groups) >= 8


def test_true_probabilities_lie_in_their_intervals():
    groups = groups_of(*draw())
    inside = [group["low"] <= group["predicted"] <= group["high"] for group in groups]
    assert sum(inside) >= len(groups) - 1


def test_squared_probabilities_do_not():
    p, truth = draw()
    groups = groups_of(p**2, truth)
    assert sum(group["low"] <= group["predicted"] <= group["high"] for group in groups) <= 2


def test_one_probability_for_all_is_one_group():
    groups = groups_of(np.full(10, 0.3), np.arange(10) < 3)
    assert [(group["n"], group["real"]) for group in groups] == [(10, 0.3)]
