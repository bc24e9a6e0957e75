"""The leaf size that a forest chooses, against forests of each size grown by themselves."""

import numpy as np
import pytest
from sklearn.metrics import average_precision_score

from tests.model_file.copies import copied
from tests.table_factory import Table
from thresher import ImbalancedForestClassifier
from thresher.forest.leaf_size import leaf_sizes


def noisy_rows(n=1500):
    return Table(rows=n, columns=10, noise=3.0).numpy()


def forest(**more):
    return ImbalancedForestClassifier(60, random_state=3, n_bootstrap=0, **more)


def test_the_chosen_size_has_the_best_votes():
    X, y = noisy_rows()
    chosen = forest(min_samples_leaf="auto").fit(X, y)
    tried = chosen.leaf_sizes_
    assert list(tried.size) == leaf_sizes(y.sum())
    n_trees = 2 * 60 // len(tried.size)
    for size, precision in zip(tried.size, tried.precision, strict=True):
        alone = ImbalancedForestClassifier(
            n_trees, random_state=3, n_bootstrap=0, min_samples_leaf=size
        ).fit(X, y)
        votes = alone.oob_decision_function_[:, 1]
        voted = ~np.isnan(votes)
        assert precision == pytest.approx(average_precision_score(y[voted], votes[voted]))
    assert chosen.min_samples_leaf_ == tried.size[int(np.argmax(tried.precision))]
    assert chosen.min_samples_leaf_ > 2  # noise


def test_the_forest_is_that_of_the_chosen_size():
    X, y = noisy_rows()
    chosen = forest(min_samples_leaf="auto").fit(X, y)
    named = forest(min_samples_leaf=chosen.min_samples_leaf_).fit(X, y)
    assert chosen.forest_.nodes.tobytes() == named.forest_.nodes.tobytes()
    np.testing.assert_array_equal(chosen.oob_decision_function_, named.oob_decision_function_)
    assert chosen.threshold_ == named.threshold_
    np.testing.assert_array_equal(chosen.feature_importances_, named.feature_importances_)


def test_more_trees_keep_the_size():
    X, y = noisy_rows()
    grown = forest(min_samples_leaf="auto", warm_start=True).fit(X, y)
    size = grown.min_samples_leaf_
    grown.set_params(n_estimators=90).fit(X, y)
    alone = forest(min_samples_leaf=size).set_params(n_estimators=90).fit(X, y)
    assert grown.min_samples_leaf_ == size
    assert grown.forest_.nodes.tobytes() == alone.forest_.nodes.tobytes()


def test_a_file_keeps_the_size():
    X, y = noisy_rows(400)
    chosen = forest(min_samples_leaf="auto").fit(X, y)
    back = copied(chosen)
    assert back.min_samples_leaf == "auto"
    assert back.min_samples_leaf_ == chosen.min_samples_leaf_
    assert back.estimators_[0].min_samples_leaf == chosen.min_samples_leaf_
    np.testing.assert_array_equal(back.predict_proba(X), chosen.predict_proba(X))


def test_other_words_and_forests_without_votes_are_refused():
    X, y = noisy_rows(200)
    with pytest.raises(ValueError, match="min_samples_leaf must be an integer or 'auto'"):
        forest(min_samples_leaf="large").fit(X, y)
    with pytest.raises(ValueError, match="min_samples_leaf='auto' needs out-of-bag votes"):
        forest(min_samples_leaf="auto", bootstrap=False, rule=None).fit(X, y)
