"""Where bins end, against the definition written down in NumPy."""

import numpy as np
import pytest

from thresher import ImbalancedTreeClassifier

COLUMNS = {
    "doubles": lambda random, n: random.normal(size=n),
    "floats": lambda random, n: random.normal(size=n).astype(np.float32).astype(float),
    "ties": lambda random, n: np.round(random.normal(size=n) * random.choice([2, 40, 500])) + 0.0,
    "many scales": lambda random, n: np.exp(8 * random.normal(size=n)),
}


def quantiles(values, weight, count):
    """Return the values at which the cumulative weight passes i / count, i = 1 .. count - 1."""
    distinct, place = np.unique(values, return_inverse=True)
    seen = np.cumsum(np.bincount(place, weights=weight))
    wanted = seen[-1] * np.arange(1, count)
    return distinct[np.searchsorted(seen * count, wanted)]


def edges(values, positive, weight, bins):
    distinct = np.unique(values)
    taken = distinct
    if len(distinct) > bins:
        of_positive = (bins - 1) // 2
        parts = [(positive, of_positive + 1), (~positive, bins - of_positive)]
        taken = np.unique(np.concatenate([quantiles(values[c], weight[c], k) for c, k in parts]))
    taken = taken[taken < distinct[-1]]
    after = distinct[np.searchsorted(distinct, taken, side="right")]
    middle = taken / 2 + after / 2
    return np.where((taken <= middle) & (middle < after), middle, taken)


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("n_rows", [5, 190, 900, 9000])
@pytest.mark.parametrize("bins", [3, 16, 255])
@pytest.mark.parametrize("weighted", [False, True])
def test_every_cut_is_an_edge(column, n_rows, bins, weighted):
    random = np.random.default_rng(n_rows + bins)
    values = COLUMNS[column](random, n_rows)
    positive = random.random(n_rows) < 0.2
    positive[:2] = [False, True]
    weight = random.integers(1, 9, n_rows) / 4 if weighted else None
    tree = ImbalancedTreeClassifier("gini", max_bins=bins, min_samples_leaf=1, pruning=None)
    tree.set_params(pos_label=True).fit(values[:, None], positive, weight)
    cuts = tree.tree_.cut[tree.tree_.feature >= 0]
    expected = edges(values, positive, np.ones(n_rows) if weight is None else weight, bins)
    assert set(cuts) <= set(expected)
    assert n_rows < 100 or len(set(cuts)) > min(len(expected), 40) / 2  # something to compare
