"""Models that were taken over as files and JSON: equal when they come back, or refused."""

import pickle

import numpy as np
import pytest

from tests.converters.originals import LIBRARIES, draw
from tests.model_file.damage import EXTREME, EXTREME_FLOATS
from thresher import ThresholdClassifier, convert, load_model, save_model
from thresher.errors import DamagedModelError
from thresher.export import to_python
from thresher.model_file.models import describe_model, restore_model


def drawn(library, seed):
    original, problem = draw(library, seed, most_trees=12)
    return convert(original, pos_label=seed % 2), problem


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("seed", range(12))
def test_random_models_come_back_bit_for_bit(library, seed, tmp_path):
    model, problem = drawn(library, seed)
    if seed % 3 == 0:
        model = ThresholdClassifier(model, rule="f1", cv="prefit", pos_label=seed % 2)
        model.fit(problem.X, problem.y)
    save_model(model, tmp_path / "model.thresher")
    for again in (
        load_model(tmp_path / "model.thresher"),
        pickle.loads(pickle.dumps(model)),
    ):
        expected = model.predict_proba(problem.asked)
        assert again.predict_proba(problem.asked).tobytes() == expected.tobytes()
        assert (again.predict(problem.asked) == model.predict(problem.asked)).all()
        assert to_python(again) == to_python(model)


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("seed", range(8))
def test_damage_is_told_or_does_no_harm(library, seed):
    """Whatever stands in the arrays: one sentence, or a model that can be asked."""
    model, problem = drawn(library, seed)
    random = np.random.default_rng(seed)
    n_refused = 0
    for _ in range(150):
        data = describe_model(model)
        data["additive"] = damaged(random, dict(data["additive"]))
        try:
            again = restore_model(data)
        except DamagedModelError:
            n_refused += 1
        else:
            probability = again.predict_proba(problem.asked)
            assert ((probability >= 0.0) & (probability <= 1.0)).all()
            to_python(again)
    assert n_refused > 50


def damaged(random, trees):
    name = str(random.choice(list(trees)))
    value = trees[name]
    if not isinstance(value, np.ndarray):
        trees[name] = [None, 0.0, -1.0, 1e300, "x", True][random.integers(6)]
    elif random.random() < 0.3:
        trees[name] = [value[:-1], value[:0], np.repeat(value, 2), value.astype("U1"), None][
            random.integers(5)
        ]
    elif len(value):
        trees[name] = value.copy()
        kinds = EXTREME_FLOATS if value.dtype.kind == "f" else EXTREME
        with np.errstate(all="ignore"):
            some = np.array(random.choice(kinds, 2)).astype(value.dtype)
        trees[name][random.integers(len(value), size=2)] = some
    return trees
