from itertools import product

import numpy as np
import pytest

from thresher.threshold.shared_budget import MAX_CUTS, Steps, deal_budget


def decided(scores, codes, values, thresholds):
    """Return the value found and the rows that alert."""
    alerts = scores > thresholds
    own = np.take_along_axis(alerts, np.maximum(codes, 0)[:, None], axis=1)[:, 0] & (codes >= 0)
    return float(values[codes[own]].sum()), int(alerts.any(axis=1).sum())


def brute_force(scores, codes, values, most):
    """Return the largest value of all cuts within the budget, and the fewest alerts for it."""
    cuts = [[1.0, *np.nextafter(np.unique(column), -1.0)] for column in scores.T]
    every = (decided(scores, codes, values, np.array(one)) for one in product(*cuts))
    return max((value, -alerts) for value, alerts in every if alerts <= most)


def random_case(seed):
    random = np.random.default_rng(seed)
    n_codes, n_rows = int(random.integers(1, 4)), int(random.integers(2, 11))
    codes = random.integers(-1, n_codes, n_rows)
    # Few levels, so that scores tie within a code and codes alert on the same rows.
    scores = random.integers(0, 6, (n_rows, n_codes)) / 5.0 + 0.2 * (
        codes[:, None] == np.arange(n_codes)
    )
    values = random.integers(1, 4, n_codes).astype(float)
    return scores.clip(0.0, 1.0), codes, values, int(random.integers(0, n_rows + 1))


def assert_is_best(case):
    value, alerts = decided(*case[:3], deal_budget(*case))
    assert (value, -alerts) == pytest.approx(brute_force(*case))


def test_dealing_finds_what_brute_force_over_all_cuts_finds():
    for seed in range(300):
        assert_is_best(random_case(seed))


@pytest.mark.slow
def test_dealing_finds_what_brute_force_finds_in_many_more_cases():
    for seed in range(300, 5000):
        assert_is_best(random_case(seed))


def test_a_row_that_two_codes_alert_on_counts_once():
    scores = np.array([[0.9, 0.9], [0.8, 0.1], [0.1, 0.8], [0.2, 0.2]])
    codes = np.array([0, 0, 1, -1])
    value, alerts = decided(scores, codes, np.ones(2), deal_budget(scores, codes, np.ones(2), 3))
    assert (value, alerts) == (3.0, 3)


def test_a_valuable_code_gets_the_budget():
    scores = np.array([[0.9, 0.0], [0.8, 0.0], [0.0, 0.9]])
    codes, values = np.array([0, 0, 1]), np.array([1.0, 5.0])
    thresholds = deal_budget(scores, codes, values, 1)
    assert decided(scores, codes, values, thresholds) == (5.0, 1)


def test_many_rows_keep_the_budget_on_fewer_cuts():
    random = np.random.default_rng(0)
    codes = random.choice([-1, 0, 1], 4000, p=[0.6, 0.2, 0.2])
    scores = random.beta(1.0, 4.0, (4000, 2))
    scores[codes >= 0, codes[codes >= 0]] += 0.2
    scores, values = scores.clip(0.0, 1.0), np.ones(2)
    assert len(Steps.of(scores[:, 0], codes == 0, 1.0, 4000).gains) == MAX_CUTS
    value, alerts = decided(scores, codes, values, deal_budget(scores, codes, values, 600))
    assert 550 < alerts <= 600
    alone = [
        deal_budget(scores[:, [one]], np.where(codes == one, 0, -1), np.ones(1), 300)
        for one in (0, 1)
    ]
    assert value >= decided(scores, codes, values, np.concatenate(alone))[0]
