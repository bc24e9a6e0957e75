"""Columns made of two others, as they are learnt from, against whole numbers."""

import numpy as np
import pytest

from thresher import ImbalancedTreeClassifier, PairFeatures
from thresher.pair import Pair

WHOLE = {
    "difference": np.subtract,
    "sum": np.add,
    "distance": lambda left, right: np.abs(left - right),
    "product": np.multiply,
}


@pytest.mark.parametrize("operation", WHOLE)
@pytest.mark.parametrize("decimals", [0, 1, 3])
@pytest.mark.parametrize("largest", [2, 900, 10**6])
def test_decimals_that_are_equal_are_learnt_as_equal(operation, decimals, largest):
    random = np.random.default_rng(decimals)
    whole = random.integers(-largest, largest, size=(5000, 2))
    matrix, pair = whole / 10**decimals, Pair(0, operation, 1)
    found, exact = pair.values_to_learn(matrix), WHOLE[operation](whole[:, 0], whole[:, 1])
    order = np.argsort(exact, kind="stable")
    assert np.array_equal(np.diff(found[order]) > 0.0, np.diff(exact[order]) > 0)
    largest_part = np.maximum(np.abs(matrix).max(axis=1), np.abs(pair.values(matrix)))
    assert (np.abs(found - pair.values(matrix)) <= 1e-13 * largest_part).all()


def test_what_is_no_number_stays_so_and_any_size_has_its_digits():
    matrix = np.array([[np.nan, 1.0], [1e300, 1e300], [1e-300, 3e-300], [0.0, 0.0], [1e22, 1.0]])
    for operation in (*WHOLE, "ratio"):
        pair = Pair(0, operation, 1)
        exact, found = pair.values(matrix), pair.values_to_learn(matrix)
        np.testing.assert_allclose(found, exact, rtol=1e-13, atol=0.0)
    assert np.isnan(Pair(0, "product", 1).values_to_learn(matrix)[:2]).all()


def test_a_cut_of_a_difference_lies_between_decimals():
    """A person who computes the column with one decimal counts the rows of the model."""
    random = np.random.default_rng(0)
    whole = np.column_stack([random.integers(2950, 3050, 4000), random.integers(3050, 3150, 4000)])
    y = (whole[:, 0] - whole[:, 1] > -86) & (random.random(4000) < 0.9)
    pairs = PairFeatures([(0, "difference", 1)], test=False)
    tree = ImbalancedTreeClassifier(max_leaf_nodes=3, pruning=None, pairs=pairs)
    tree.fit(whole / 10.0, y)
    asked = tree.tree_.cut[tree.tree_.feature >= 2]
    assert len(asked) > 0
    by_hand = np.round(10.0 * asked, 6)
    assert (by_hand % 1.0 == 0.5).all(), asked
