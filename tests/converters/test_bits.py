"""Models that were taken over say what the originals say, to the last bit of their sums."""

import numpy as np
import pytest

from tests.converters.originals import LIBRARIES, draw, raw_and_probability
from tests.converters.random_tables import close_to_cuts
from thresher import convert


def check(library, seed):
    original, problem = draw(library, seed)
    model = convert(original)
    trees, asked = model.trees_, problem.asked
    cuts = ~trees.is_leaf & (trees.level_set < 0)
    close_to_cuts(np.random.default_rng(seed), asked, trees.cut[cuts], trees.feature[cuts])
    raw, probability = raw_and_probability(original, problem)
    kind = raw.dtype.type
    assert kind is (np.float32 if library == "xgboost" else np.float64)
    np.testing.assert_array_equal(model.predict_score(asked), raw)
    found = model.predict_proba(asked)
    assert (np.abs(found[:, 1].astype(kind) - probability) <= np.spacing(probability)).all()
    np.testing.assert_array_equal(found[:, 0], 1.0 - found[:, 1])
    np.testing.assert_array_equal(model.predict(asked), (found[:, 1] > 0.5).astype(int))
    same = convert(original, n_jobs=2).predict_score(np.asfortranarray(asked))
    np.testing.assert_array_equal(same, raw)


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("seed", range(30))
def test_random_models(library, seed):
    check(library, seed)


@pytest.mark.slow
@pytest.mark.parametrize("library", LIBRARIES)
def test_many_random_models(library):
    for seed in range(1_000, 1_400):
        check(library, seed)
