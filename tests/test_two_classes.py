"""Classes by other names."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from thresher import (
    AlphaTreesClassifier,
    ImbalancedForestClassifier,
    ImbalancedTreeClassifier,
    LeastSquaresClassifier,
    ThresholdClassifier,
    load_model,
    save_model,
)

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(300, 3))
Y = (X[:, 0] + RANDOM.normal(size=300) > 1.6).astype(int)
NAMES = {0: "good", 1: "bad"}  # in the other order
TEXTS = np.array([NAMES[label] for label in Y.tolist()])


def kept_imitation(model):
    model.imitation_ = model.to_tree(4, cv=None)
    return model


MODELS = {
    "tree": ImbalancedTreeClassifier().fit(X, Y),
    "named": ImbalancedTreeClassifier(class_weight={0: 1.0, 1: 2.0}, pos_label=0).fit(X, Y),
    "forest": kept_imitation(ImbalancedForestClassifier(8, random_state=0).fit(X, Y)),
    "alpha_trees": AlphaTreesClassifier((0.5, 1, 2)).fit(X, Y),
    "line": LeastSquaresClassifier(threshold="prior").fit(X, Y),
    "threshold": ThresholdClassifier(ImbalancedTreeClassifier(), "f1").fit(X, Y),
}


@pytest.mark.parametrize("name", MODELS)
def test_decisions_stay_and_their_names_change(name, tmp_path):
    save_model(MODELS[name], tmp_path / "model")
    model = load_model(tmp_path / "model")
    assert model.rename_classes(NAMES) is model
    assert model.classes_.tolist() == ["bad", "good"]
    assert model.pos_label_ == NAMES[MODELS[name].pos_label_]
    assert model.classes_[model.positive_index_] == model.pos_label_
    wanted = [NAMES[label] for label in MODELS[name].predict(X).tolist()]
    assert model.predict(X).tolist() == wanted
    np.testing.assert_array_equal(model.predict_proba(X)[:, ::-1], MODELS[name].predict_proba(X))
    save_model(model, tmp_path / "renamed")
    assert load_model(tmp_path / "renamed").predict(X).tolist() == wanted


def test_a_renamed_tree_is_the_one_that_is_fitted_on_these_names(tmp_path):
    weights = {"good": 1.0, "bad": 2.0}
    fitted = ImbalancedTreeClassifier(class_weight=weights, pos_label="good").fit(X, TEXTS)
    numbers = ImbalancedTreeClassifier(class_weight={0: 1.0, 1: 2.0}, pos_label=0).fit(X, Y)
    for name, model in (("fitted", fitted), ("renamed", numbers.rename_classes(NAMES))):
        save_model(model, tmp_path / name)
    assert (tmp_path / "fitted").read_bytes() == (tmp_path / "renamed").read_bytes()


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ({0: "good"}, "The class 1 has no new name"),
        ({0: "same", 1: "same"}, "Two different names"),
        ({0: "good", 1: 1}, "Two different names of one type"),
    ],
)
def test_names_that_do_not_serve_change_nothing(names, message):
    model = ImbalancedTreeClassifier().fit(X, Y)
    with pytest.raises(ValueError, match=message):
        model.rename_classes(names)
    assert model.classes_.tolist() == [0, 1]


def test_an_estimator_of_another_library_keeps_its_names():
    model = ThresholdClassifier(LogisticRegression(), "f1").fit(X, Y)
    with pytest.raises(TypeError, match="LogisticRegression cannot rename its classes"):
        model.rename_classes(NAMES)
    assert model.classes_.tolist() == [0, 1]
