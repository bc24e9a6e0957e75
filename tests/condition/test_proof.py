"""Planted conditions are recovered; on noise claims are as rare as the level says."""

from collections import Counter

import numpy as np
import pytest
from scipy.stats import binom

from studies.conditions.study import claims_on_noise, compared, recovered
from thresher import ImbalancedTreeClassifier, find_conditions
from thresher.condition.clause import Interval, LevelSet
from thresher.condition.condition import Condition
from thresher.datasets import make_assembly_line


def most_by_chance(n, level):
    """What is exceeded once in a thousand times if claims have this probability."""
    return binom.ppf(0.999, n, level)


@pytest.mark.parametrize("seed", range(3))
def test_planted_conditions_are_recovered(seed):
    result = recovered(seed, {"max_leaf_nodes": 16})
    assert result["found conditions"] >= 3
    assert result["right columns"] >= 0.9 * result["claimed columns"]
    assert result["right cuts"] >= 0.9 * result["claimed cuts"]


def test_no_more_claims_on_noise_than_the_level_allows():
    # With 19 permutations p < .1 means p = .05, of probability 1/20 or less.
    n = 60
    tables = (_found_in_noise(seed, cv=None, n_permutations=19) for seed in range(n))
    claimed = sum(table.p_value.min(initial=1.0) < 0.1 for table in tables)
    assert claimed <= most_by_chance(n, 0.05)


def _found_in_noise(seed, **options):
    random = np.random.default_rng(seed)
    X, y = random.normal(size=(150, 5)), random.permutation([1] * 20 + [0] * 130)
    model = ImbalancedTreeClassifier(max_leaf_nodes=6, threshold=0.3).fit(X, y)
    options |= {"n_bootstrap": 0, "random_state": seed, "output": "table"}
    return find_conditions(model, X, y, **options)


def test_noise_is_hardly_ever_confirmed():
    n = 40
    tables = (_found_in_noise(seed, n_permutations=24) for seed in range(n))
    claimed = sum(table.is_confirmed.any() for table in tables)
    assert claimed <= most_by_chance(n, 0.05)


@pytest.mark.slow
def test_claims_on_noise_at_length():
    n = 400
    assert sum(claims_on_noise(seed, n_permutations=39) for seed in range(n)) <= most_by_chance(
        n, 0.05
    )


@pytest.mark.slow
def test_planted_conditions_are_recovered_on_twenty_lines():
    lines = (recovered(seed, {"max_leaf_nodes": 16}) for seed in range(20))
    total = sum(lines, Counter())
    for what in ("conditions", "columns", "cuts"):
        assert total[f"right {what}"] >= 0.9 * total[f"claimed {what}"]
        assert total[f"found {what}"] >= 0.9 * total[f"planted {what}"]


def test_a_wrong_claim_is_not_counted_as_right():
    line = make_assembly_line(500, random_state=0)
    spread = line.X["torque_3"].std()
    truth = LevelSet("supplier", ("B", "D"), ("A", "B", "C", "D", "E"))
    near, far = (Interval("torque_3", high=11.2 + by * spread) for by in (0.05, 0.5))
    right = compared(line, [Condition((truth, near), (1,))])
    wrong = compared(line, [Condition((truth, far), (1,))])
    other = compared(line, [Condition((truth, near, Interval("humidity", low=3.0)), (1,))])
    assert (right["right conditions"], right["found conditions"], right["found cuts"]) == (1, 1, 2)
    assert (wrong["right conditions"], wrong["found conditions"], wrong["found cuts"]) == (0, 0, 1)
    assert (other["right conditions"], other["found conditions"]) == (0, 1)
    assert (other["right columns"], other["claimed columns"]) == (2, 3)


def test_training_rate_flatters_and_out_of_fold_rate_does_not():
    fresh = make_assembly_line(50_000, random_state=999)
    training, out_of_fold, true = [], [], []
    for seed in range(4):
        line = make_assembly_line(1500, random_state=seed)
        model = ImbalancedTreeClassifier().fit(line.X, line.y)
        table = find_conditions(model, line.X, line.y, n_permutations=0, n_bootstrap=0)
        honest = find_conditions(
            model, line.X, line.y, X_test=fresh.X, y_test=fresh.y, n_bootstrap=0
        )
        known = table.holdout_rate.notna() & (honest.holdout_parts > 50)
        training += table.rate[known].tolist()
        out_of_fold += table.holdout_rate[known].tolist()
        true += honest.holdout_rate[known].tolist()
    assert len(true) > 40
    assert np.mean(training) > np.mean(true) + 0.2
    assert abs(np.mean(out_of_fold) - np.mean(true)) < 0.06


def test_out_of_fold_rate_on_noise_is_near_the_base_rate():
    gaps = []
    for seed in range(12):
        line = make_assembly_line(600, random_state=seed)
        y = np.random.default_rng(seed).permutation(line.y)
        model = ImbalancedTreeClassifier(threshold=0.3).fit(line.X, y)
        table = find_conditions(model, line.X, y, n_permutations=0, n_bootstrap=0, output="table")
        assert table.training.hits.sum() / table.training.n.sum() > 0.3
        gaps.append(table.held.hits.sum() / table.held.n.sum() - y.mean())
    assert abs(np.mean(gaps)) < 0.05


def test_stability_tells_a_cause_from_chance():
    line = make_assembly_line(3000, random_state=5)
    model = ImbalancedTreeClassifier().fit(line.X, line.y)
    table = find_conditions(model, line.X, line.y, n_permutations=0, cv=None, n_bootstrap=10)
    big, small = table[table.parts >= 50], table[table.parts <= 5]
    assert big.stability.median() >= 0.8
    assert small.stability.median() <= 0.5
    assert len(small) > 5
