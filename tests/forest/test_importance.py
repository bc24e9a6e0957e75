"""Permutation importances: what the out-of-bag votes lose, told column by column."""

import numpy as np
import pytest
from sklearn.metrics import average_precision_score

from tests.forest.bags import times_drawn
from tests.forest.tables import mixed, rare
from thresher import ImbalancedForestClassifier
from thresher.forest.training_rows import NumberedRows, vote

X, Y = mixed(200)[:2]
WEIGHTS = np.exp(2 * X[:, 4])  # so uneven that an average without them is another


def forest_of(n_estimators=100, **parameters):
    return ImbalancedForestClassifier(
        n_estimators,
        importance="permutation",
        n_bootstrap=0,
        pos_label=1,
        **{"random_state": 0, **parameters},
    )


def average_precision(forest, tables, unseen):
    """Return that of votes for rows as each tree finds them in its table."""
    votes = np.array(
        [
            member.predict_proba(table)[:, 1]
            for member, table in zip(forest.estimators_, tables, strict=True)
        ]
    )
    mean = (votes * unseen).sum(axis=0) / unseen.sum(axis=0)
    return average_precision_score(Y, mean.round(12))


def shuffled_outside(unseen, column, random):
    """Return the table in which the values of a column change places among the rows not seen."""
    table, rows = X.copy(), np.flatnonzero(unseen)
    table[rows, column] = X[random.permutation(rows), column]
    return table


def test_importances_are_what_a_slow_computation_finds():
    """The draws differ, so the truth is where several slow computations lie."""
    forest = forest_of(60, categorical_features=[2]).fit(X, Y)
    unseen = times_drawn(forest, X, Y) == 0
    assert unseen.any(axis=0).all()
    whole = average_precision(forest, [X] * 60, unseen)
    random = np.random.default_rng(0)
    for column, importance in enumerate(forest.feature_importances_):
        falls = []
        for _ in range(8):
            tables = [shuffled_outside(rows, column, random) for rows in unseen]
            falls.append(whole - average_precision(forest, tables, unseen))
        assert abs(importance - np.mean(falls)) < 3 * np.std(falls, ddof=1), column


@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_importances_are_falls_in_weighted_average_precision(weights):
    forest = forest_of(categorical_features=[2]).fit(X, Y, weights)

    def precision(probability):
        return average_precision_score(Y, probability, sample_weight=weights)

    whole = precision(forest.oob_decision_function_[:, 1])
    for column, importance in enumerate(forest.feature_importances_):
        training = NumberedRows(forest.forest_state_.training_rows)
        permuted = vote(forest, training, permuted=column).probability
        assert importance == pytest.approx(whole - precision(permuted), abs=1e-12)


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
