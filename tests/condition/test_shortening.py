"""What is dropped agrees with counting by hand, and no row of a leaf is lost."""

import numpy as np
import pytest

from tests.condition.random_trees import random_tree
from thresher.condition.condition import members
from thresher.condition.readable_tree import read_model
from thresher.condition.shortening import SLACK, droppable
from thresher.statistics import wilson


def by_hand(holds, is_positive, least_rate):
    kept, dropped = list(range(len(holds))), []

    def floor(clauses):
        inside = is_positive[np.all(holds[clauses], axis=0)]
        if inside.mean() < least_rate:
            return -1.0
        return float(wilson(inside.sum(), len(inside))[0])

    highest = floor(kept)
    while len(kept) > 1:
        floors = [floor([other for other in kept if other != one]) for one in kept]
        if max(floors) < highest - SLACK:
            break
        one = kept.pop(int(np.argmax(floors)))
        dropped.append(one)
        highest = max(highest, *floors)
    return dropped


@pytest.mark.parametrize("seed", range(30))
def test_dropped_clauses_agree_with_counting_by_hand(seed):
    random = np.random.default_rng(seed)
    holds = random.random((random.integers(1, 7), 200)) < 0.7
    is_positive = (holds[0] & (random.random(200) < 0.7)) | (random.random(200) < 0.1)
    least = is_positive[holds.all(axis=0)].mean() * 0.9
    assert droppable(holds, is_positive, least) == by_hand(holds, is_positive, least)


@pytest.mark.parametrize("seed", range(6))
def test_all_rows_of_a_leaf_meet_its_short_condition(seed):
    model, table, y = random_tree(seed)
    reading, matrix = read_model(model, 32), model.columns_.matrix(table, "test")
    found = reading.short_conditions(matrix, y == 1)
    met = members(found, matrix, reading.names)
    leaves = model.apply(table)
    for condition, rows in zip(found, met, strict=True):
        assert rows[np.isin(leaves, condition.leaves)].all()
    listed = sorted(leaf for condition in found for leaf in condition.leaves)
    assert listed == reading.positive_leaves.tolist()
    assert max(len(condition.clauses) for condition in found) <= len(table.columns)
