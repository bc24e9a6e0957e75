"""Blends and boosted trees in files and as JSON: the same scores, and damage is told."""

import numpy as np
import pytest

from tests.blend.tables import levels
from thresher import (
    ImbalancedBlendClassifier,
    find_conditions,
)
from thresher.blend.boosted import BoostedTreesClassifier
from thresher.errors import DamagedModelError
from thresher.model_file.models import describe_model, restore_model
from thresher.pairs.features import PairFeatures

MODELS = {
    "blend": lambda: ImbalancedBlendClassifier(n_estimators=4, n_bootstrap=5, random_state=3),
    "boosted": lambda: BoostedTreesClassifier(8, n_bootstrap=5, random_state=3),
    "derived": lambda: ImbalancedBlendClassifier(
        n_estimators=20, cv=2, random_state=3, pairs=PairFeatures(pairs=[(0, "product", 1)])
    ),
}


@pytest.fixture(scope="module", params=MODELS)
def model(request):
    X, y = levels(200)
    return MODELS[request.param]().fit(X, y)


def test_conditions_are_read_through_a_tree(model):
    X, y = levels(200)
    found = find_conditions(model, X, y, cv=2, n_permutations=2, n_bootstrap=2, max_leaf_nodes=6)
    tree = model.to_tree(6)
    alerts = tree.tree_.is_leaf & (tree.tree_.probability > tree.threshold_)
    assert 0 < len(found) <= alerts.sum()
    assert (found["rate"] > (y == "scrap").mean()).all()


def paths(data, so_far=()):
    """Every number, text, list and array of a description, by its path."""
    if isinstance(data, dict):
        for name, value in data.items():
            yield from paths(value, (*so_far, name))
    elif isinstance(data, list):
        for place, value in enumerate(data):
            yield from paths(value, (*so_far, place))
    if so_far:
        yield so_far


def changed(data, path, value):
    if not path:
        return value
    copy = data.copy()
    copy[path[0]] = changed(data[path[0]], path[1:], value)
    return copy


def test_what_lacks_or_is_odd_is_told_and_never_scores(model):
    """Each field in turn is removed, emptied or made wild: an error of its own kind, or a model."""
    description, matrix = describe_model(model), model.columns_.matrix(levels(30).X, "model")
    told = 0
    for path in list(paths(description)):
        for wild in (None, -1, [], {}, "odd", np.array([np.nan]), np.array([[1e308]])):
            try:
                found = restore_model(changed(description, path, wild))
            except DamagedModelError:
                told += 1
                continue
            scores = found.matrix_scores(matrix)
            assert np.isfinite(scores).all(), path
            assert (scores >= 0).all(), path
            assert (scores <= 1).all(), path
    assert told > 200
