"""The comparison with brute force on many more tables (`make test-slow`)."""

from itertools import count
from time import monotonic

import pytest

from tests.oracle.comparison import check_tree, grow_core
from tests.oracle.random_tables import CRITERIA, random_large_table, random_rules, random_table

SECONDS = 30.0  # for each criterion
FIRST_SEED = 10_000_000  # beyond those of the other tests
SHARES = (0.02, 0.1, 0.3, 0.5, 0.8)


@pytest.mark.slow
@pytest.mark.parametrize("name", CRITERIA)
def test_every_node_has_the_best_split(name: str) -> None:
    end = monotonic() + SECONDS
    n_tables = 0
    for seed in count(FIRST_SEED):
        for table in (random_table(seed), random_large_table(seed, SHARES[seed % len(SHARES)])):
            rules = random_rules(seed, CRITERIA[name])
            check_tree(grow_core(table, rules), table, rules, f"seed {seed}, {name}")
            n_tables += 1
        if monotonic() > end:
            break
    assert n_tables >= 2
