"""The packed arrays: what was checked once stays as it is."""

import copy
import pickle

import numpy as np
import pytest

from tests.forest.tables import mixed
from thresher import ImbalancedForestClassifier, _core
from thresher.forest.structure import Forest, pack

X, Y, WEIGHTS = mixed(500)
FOREST = ImbalancedForestClassifier(3, random_state=0).fit(X, Y).forest_


@pytest.mark.parametrize(
    "forest",
    [FOREST, pickle.loads(pickle.dumps(FOREST)), copy.deepcopy(FOREST), FOREST.extended(FOREST)],
    ids=["grown", "pickled", "copied", "extended"],
)
def test_arrays_cannot_be_written_to(forest):
    for name in ("begin", "nodes", "rows", "levels_left", "levels_seen"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(forest, name)[:] = 0


def test_the_core_takes_no_array_that_is_not_aligned():
    nodes = FOREST.nodes.view(np.uint8).reshape(-1, 16)
    shifted = np.empty(nodes.nbytes + 1, dtype=np.uint8)[1:].reshape(nodes.shape)
    shifted[:] = nodes
    with pytest.raises(ValueError, match="not aligned"):
        _core.Forest(shifted, FOREST.begin, FOREST.levels_left)


@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["plain", "weighted"])
def test_trees_apart_packed_again_and_put_together_are_the_forest(weights):
    model = ImbalancedForestClassifier(7, random_state=0, categorical_features=[2])
    model.fit(X, Y, weights)
    forest = model.forest_
    assert len(forest.levels_left)
    apart = [range(1), range(1, 4), range(4, 7)]
    packed = [
        pack(model.estimators_.tree(place), weighted=weights is not None) for place in range(7)
    ]
    for again in (
        Forest.together([forest.part(trees) for trees in apart]),
        Forest.together(packed),
        forest.part(apart[0]).extended(forest.part(range(1, 7))),
    ):
        for name in ("begin", "nodes", "rows", "weight", "levels_left", "levels_seen"):
            found, expected = getattr(again, name), getattr(forest, name)
            np.testing.assert_array_equal(found, expected)
            assert found is expected is None or found.dtype == expected.dtype
