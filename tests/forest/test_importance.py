"""Permutation importances: what the out-of-bag votes lose, told column by column."""

import numpy as np
import pytest
from sklearn.metrics import average_precision_score

from tests.forest.bags import times_drawn
from tests.forest.tables import mixed, rare
from thresher import ImbalancedForestClassifier

X, Y, WEIGHTS = mixed(200)


def forest_of(n_estimators=100, **parameters):
    return ImbalancedForestClassifier(
        n_estimators,
        importance="permutation",
        n_bootstrap=0,
        pos_label=1,
        **{"random_state": 0, **parameters},
    )


def average_precision(forest, tables, unseen, weights):
    """Return that of votes for rows as each tree finds them in its table."""
    votes = np.array(
        [
            member.predict_proba(table)[:, 1]
            for member, table in zip(forest.estimators_, tables, strict=True)
        ]
    )
    mean = (votes * unseen).sum(axis=0) / unseen.sum(axis=0)
    return average_precision_score(Y, mean.round(12), sample_weight=weights)


def shuffled_outside(unseen, column, random):
    """Return the table in which the values of a column change places among the rows not seen."""
    table, rows = X.copy(), np.flatnonzero(unseen)
    table[rows, column] = X[random.permutation(rows), column]
    return table


@pytest.mark.parametrize("weighted", [False, True])
def test_importances_are_what_a_slow_computation_finds(weighted):
    """The draws differ, so the truth is where several slow computations lie."""
    weights = WEIGHTS if weighted else None
    forest = forest_of(60, categorical_features=[2]).fit(X, Y, weights)
    unseen = times_drawn(forest, X, Y) == 0
    assert unseen.any(axis=0).all()
    whole = average_precision(forest, [X] * 60, unseen, weights)
    random = np.random.default_rng(0)
    for column, importance in enumerate(forest.feature_importances_):
        slow = [
            whole
            - average_precision(
                forest, [shuffled_outside(rows, column, random) for rows in unseen], unseen, weights
            )
            for _ in range(8)
        ]
        assert abs(importance - np.mean(slow)) < 4 * np.std(slow, ddof=1) + 1e-9, column


def test_informative_columns_matter_and_noise_does_not():
    table, y = rare(3000)
    for seed in (0, 1):
        importance = forest_of(random_state=seed, bootstrap="balanced").fit(table, y)
        importance = importance.feature_importances_
        assert importance[:2].min() > 0.2
        assert np.abs(importance[2:]).max() < 0.03


def test_a_column_that_cannot_be_used_has_no_importance_at_all():
    table = X.copy()
    table[:, 4] = 3.25
    assert forest_of().fit(table, Y).feature_importances_[4] == 0.0
    nothing = forest_of(min_gain=9.0).fit(X, Y).feature_importances_
    assert nothing.tolist() == [0.0] * 5


def test_importances_change_neither_trees_nor_threshold():
    with_permutation = forest_of().fit(X, Y)
    without = forest_of().set_params(importance="impurity").fit(X, Y)
    assert with_permutation.threshold_ == without.threshold_
    np.testing.assert_array_equal(with_permutation.forest_.nodes, without.forest_.nodes)
    assert without.feature_importances_.sum() == pytest.approx(1)
    np.testing.assert_array_equal(X, mixed(200)[0])


def test_importances_asked_for_after_the_fit_need_another():
    forest = forest_of(10).set_params(importance="impurity").fit(X, Y)
    forest.set_params(importance="permutation")
    with pytest.raises(AttributeError, match="importance='permutation' takes effect in fit; fit"):
        _ = forest.feature_importances_
    assert forest.fit(X, Y).feature_importances_.shape == (5,)
