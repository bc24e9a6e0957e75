"""Rows of floats walk down nodes of half the size, to the same leaves as these rows in double."""

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.table_factory import Table
from thresher import ImbalancedForestClassifier


def fitted(n_columns: int, seed: int = 0) -> ImbalancedForestClassifier:
    """Return a forest whose cuts are no floats."""
    X, y = Table(seed, columns=n_columns, noise=1.0).numpy()
    return ImbalancedForestClassifier(20, rule=None, random_state=seed).fit(X, y)


def rows_at_cuts(forest: ImbalancedForestClassifier) -> NDArray[np.float32]:
    """Return rows whose values are the floats next to cuts, on both sides, and extreme ones."""
    random = np.random.default_rng(1)
    cuts = forest.forest_.nodes["cut"][~forest.forest_.is_leaf].astype(np.float32)
    largest = np.finfo(np.float32).max
    beside = [np.nextafter(cuts, np.float32(end)) for end in (-largest, largest)]
    values = np.concatenate([cuts, *beside, np.array([-largest, largest, 0.0], dtype=np.float32)])
    return random.choice(values, size=(3000, forest.n_features_in_))


@pytest.mark.parametrize("n_columns", [3, 255, 256, 257, 300])
@pytest.mark.parametrize("with_gaps", [False, True])
def test_floats_vote_as_doubles(n_columns: int, with_gaps: bool) -> None:
    forest = fitted(n_columns)
    rows = rows_at_cuts(forest)
    if with_gaps:
        rows[::7, 0] = np.nan
    voters, values = forest.forest_.voters, forest.node_values()
    for part in (rows, np.asfortranarray(rows), rows[:1], rows[:513]):
        np.testing.assert_array_equal(
            voters.mean(part, values, 1), voters.mean(part.astype(np.float64), values, 1)
        )


def test_cuts_beyond_floats() -> None:
    random = np.random.default_rng(0)
    X = np.full((60, 1), 1e300)
    X[:30] = -1e300
    X[:10] = 0.0
    y = np.arange(60) % 30 < 10
    y[:10] = random.random(10) < 0.5
    forest = ImbalancedForestClassifier(
        30, rule=None, bootstrap=False, min_samples_leaf=1, random_state=0
    ).fit(X, y)
    largest = np.finfo(np.float32).max
    rows = np.array([[-largest], [-1.0], [0.0], [1.0], [largest]], dtype=np.float32)
    voters, values = forest.forest_.voters, forest.node_values()
    np.testing.assert_array_equal(
        voters.mean(rows, values, 1), voters.mean(rows.astype(np.float64), values, 1)
    )
