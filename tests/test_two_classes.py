"""Classes by other names."""

import numpy as np
import pytest

from tests.table_factory import Table
from thresher import (
    ImbalancedForestClassifier,
    ImbalancedTreeClassifier,
    save_model,
)

X, Y = Table(rows=300).numpy()
NAMES = {0: "good", 1: "bad"}  # in the other order
TEXTS = np.array([NAMES[label] for label in Y.tolist()])


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


def test_the_tree_that_a_forest_keeps_is_renamed_with_it():
    forest = ImbalancedForestClassifier(8, random_state=0, n_bootstrap=0).fit(X, Y)
    forest.imitation_ = forest.to_tree(4, cv=None)
    decided = forest.imitation_.predict(X).tolist()
    tree = forest.rename_classes(NAMES).imitation_
    assert tree.predict(X).tolist() == [NAMES[label] for label in decided]
