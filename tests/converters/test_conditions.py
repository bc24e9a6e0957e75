"""Conditions of models that were taken over: through a tree that imitates them."""

import numpy as np
import pytest
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier

from thresher import ThresholdClassifier, convert, find_conditions
from thresher.datasets import make_assembly_line

LINE = make_assembly_line(random_state=0)
NUMBERS = LINE.X.select_dtypes("number").fillna(-1.0)
ORIGINAL = GradientBoostingClassifier(random_state=0).fit(NUMBERS, LINE.y)


def test_the_tree_decides_as_the_model():
    model = convert(ORIGINAL)
    tree = model.to_tree(32, X=NUMBERS, y=LINE.y)
    assert tree.get_n_leaves() <= 32
    assert np.mean(tree.predict(NUMBERS) == ORIGINAL.predict(NUMBERS)) > 0.98
    assert tree.tree_.rows[0].tolist() == np.unique(LINE.y, return_counts=True)[1].tolist()


def test_conditions_have_training_counts_and_those_of_hold_out_rows():
    first, second = NUMBERS[:4000], NUMBERS[4000:]
    original = GradientBoostingClassifier(random_state=0).fit(first, LINE.y[:4000])
    found = find_conditions(
        convert(original), first, LINE.y[:4000], X_test=second, y_test=LINE.y[4000:]
    )
    assert len(found) > 1
    assert found["rate"].iloc[0] > 5 * np.mean(LINE.y)
    assert found["holdout_parts"].sum() > 0
    assert found["stability"].isna().all()


def test_a_threshold_around_it_is_followed():
    model = convert(RandomForestClassifier(20, random_state=0).fit(NUMBERS, LINE.y))
    around = ThresholdClassifier(model, rule="f1", cv="prefit").fit(NUMBERS, LINE.y)
    around.threshold_ = 0.05
    caught = [
        find_conditions(one, NUMBERS, LINE.y, shorten=False)["parts"].sum()
        for one in (model, around)
    ]
    assert caught[0] < caught[1]


def test_what_is_missing_is_said():
    model = convert(ORIGINAL)
    with pytest.raises(ValueError, match="give X and y, the rows that the original was fitted on"):
        find_conditions(model)
    with pytest.raises(ValueError, match="cannot be fitted again, so n_permutations"):
        find_conditions(model, NUMBERS, LINE.y, n_permutations=9)
    with pytest.raises(TypeError, match="fit the original and take it over again"):
        model.fit(NUMBERS, LINE.y)
