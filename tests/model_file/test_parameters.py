"""Parameters in files: each is of a kind that it can be, or the file is refused when it is read."""

import json

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from tests.model_file.test_bounds import with_field
from tests.table_factory import Table
from thresher import (
    AlphaTreesClassifier,
    ImbalancedForestClassifier,
    ImbalancedTreeClassifier,
    LeastSquaresClassifier,
    ThresholdClassifier,
    load_model,
    save_model,
)
from thresher.errors import DamagedModelError, ModelFileError
from thresher.model_file.file import StoredModel, from_bytes, to_bytes
from thresher.model_file.nodes import narrow

X, Y = Table(rows=200, columns=2, labels=(False, True)).numpy()
ODD = [
    {"array": [], "dtype": "<f8"},
    {"array": [1.5, 2.5], "dtype": "<f8"},
    [[1], [2]],
    {"dict": [["a", [1]]]},
    {"tuple": [{"tuple": []}]},
    "x" * 1000,
]

INNER = {
    "tree": ImbalancedTreeClassifier(max_depth=2),
    "forest": ImbalancedForestClassifier(3, max_depth=2, n_bootstrap=0, random_state=0),
    "alpha_trees": AlphaTreesClassifier((0.5, 2.0), max_depth=2),
    "least_squares": LeastSquaresClassifier(),
    "logistic": LogisticRegression(solver="newton-cholesky"),
}
NUMBERS = {
    "alphas": [1],
    "categorical_features": [0, 1, 2],
    "class_weight": [],
    "pos_label": [5],
    "threshold_by": [5],
}
"""Odd values that are no odd ones for these parameters, by place."""


def fitted(name, *, around):
    model = ThresholdClassifier(INNER[name], "f1", cv=2, n_bootstrap=0) if around else INNER[name]
    return model.fit(X, Y)


@pytest.mark.parametrize(
    ("name", "around"),
    [(name, around) for name in INNER for around in (False, True) if around or name != "logistic"],
)
def test_a_parameter_of_another_kind_is_refused_when_it_is_read(name, around):
    """Those of the model, of the estimator given to fit, and of the fitted one."""
    content = to_bytes(StoredModel(fitted(name, around=around), None))
    holders = [("estimator",), ("fitted",), ()] if around else [()]
    tried = 0
    for way in holders:
        estimator = INNER[name] if way or not around else ThresholdClassifier(INNER[name])
        for parameter in set(estimator.get_params(deep=False)) - {"estimator"}:
            for place, value in enumerate(ODD):
                if place in NUMBERS.get(parameter, []):
                    continue
                changed = with_field(content, _setting(way, parameter, value))
                with pytest.raises(DamagedModelError) as refused:
                    from_bytes(changed, "it")
                assert "\n" not in str(refused.value)
                tried += 1
    assert tried > 10


def _setting(way, parameter, value):
    def change(model):
        for key in way:
            model = model[key]
        model["parameters"][parameter] = json.loads(json.dumps(value))

    return change


@pytest.mark.parametrize(
    "cv", [3, 0.4, None, [(np.arange(100), np.arange(100, 200)), ([*range(100)], [150, 160])]]
)
def test_splits_are_kept(cv):
    model = ThresholdClassifier(LeastSquaresClassifier(), "f1", cv=2, n_bootstrap=0).fit(X, Y)
    model.set_params(cv=cv)
    again = from_bytes(to_bytes(StoredModel(model, None)), "it").model.cv
    assert repr(again) == repr(cv)


@pytest.mark.parametrize("value", [[2], [-3], ["a"], [True], {"array": [5], "dtype": "<i8"}])
def test_category_columns_that_a_model_does_not_have_are_refused(value):
    """A report fits the model again on some of its columns, and would look for them there."""
    content = to_bytes(StoredModel(fitted("tree", around=False), None))
    changed = with_field(content, _setting((), "categorical_features", value))
    with pytest.raises(DamagedModelError, match="names a column that it does not have"):
        from_bytes(changed, "it")


def test_a_parameter_may_be_infinite():
    model = ThresholdClassifier(LogisticRegression(C=np.inf), cv=2).fit(X, Y)
    content = to_bytes(StoredModel(model, None))
    assert np.isinf(from_bytes(content, "it").model.estimator.C)

    def change(data):
        data["fitted"]["parameters"]["C"] = {"float": "-7"}

    with pytest.raises(DamagedModelError, match="unknown number"):
        from_bytes(with_field(content, change), "it")


def test_a_file_larger_than_the_memory_is_told(monkeypatch, tmp_path):
    path = tmp_path / "large.thresher"
    save_model(ImbalancedTreeClassifier(max_depth=2).fit(X, Y), path)

    def no_memory(*_):
        raise MemoryError

    monkeypatch.setattr("thresher.model_file.file._bytes_of", no_memory)
    with pytest.raises(ModelFileError, match="larger than the memory"):
        load_model(path)


def test_integers_beyond_four_bytes_are_kept():
    values = np.array([0, 2**40])
    assert narrow(values).dtype == np.int64
    assert narrow(values).tolist() == values.tolist()
