"""The paper's Theorem 1 and the equations after it, for LinR and for logistic regression."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from thresher import LeastSquaresClassifier

laws = settings(max_examples=60, deadline=None)


@st.composite
def tables(draw):
    """Odd columns and a rare class: ties, other units, a constant, a sum of two columns."""
    n_rows = draw(st.integers(8, 80))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = random.integers(-4, 5, (n_rows, 3)) + random.normal(size=(n_rows, 3))
    X[:, 1] = np.rint(X[:, 1])
    if draw(st.booleans()):
        X = np.column_stack([X, np.full(n_rows, 0.1), X[:, 0] + X[:, 1]])
    X = X * draw(st.sampled_from([1e-6, 1.0, 1e6]))
    y = (random.random(n_rows) < draw(st.sampled_from([0.05, 0.2, 0.5]))).astype(int)
    y[:2] = 0, 1
    return X, y


@st.composite
def overlapping_tables(draw):
    """Tables in which no plane separates the classes: each of the first rows has both labels."""
    X, y = draw(tables())
    X = X[:, :3] / np.abs(X[:, :3]).max()
    return np.vstack([X, X[:6]]), np.concatenate([y, 1 - y[:6]])


def least_squares(X, y, weights=None, class_weight=None):
    model = LeastSquaresClassifier(class_weight=class_weight, pos_label=1)
    return model.fit(X, y, weights).predict_score(X)


def logistic(X, y, weights=None, class_weight=None):
    model = LogisticRegression(
        C=np.inf, solver="newton-cholesky", class_weight=class_weight, tol=1e-10
    )
    return model.fit(X, y, weights).predict_proba(X)[:, 1]


cases = pytest.mark.parametrize(
    ("scores_of", "kind"), [(least_squares, tables()), (logistic, overlapping_tables())]
)


@cases
@laws
@given(data=st.data())
def test_predictions_sum_to_the_labels(scores_of, kind, data):
    X, y = data.draw(kind)
    assert scores_of(X, y).sum() == pytest.approx(y.sum(), abs=1e-6)


@cases
@laws
@given(data=st.data())
def test_weighted_predictions_sum_to_the_weighted_labels(scores_of, kind, data):
    X, y = data.draw(kind)
    weights = np.random.default_rng(len(y)).random(len(y)) + 0.1
    assert weights @ scores_of(X, y, weights) == pytest.approx(weights @ y, abs=1e-6)


@cases
@laws
@given(data=st.data())
def test_class_means_average_to_the_share_of_positives(scores_of, kind, data):
    X, y = data.draw(kind)
    scores, mu = scores_of(X, y), y.mean()
    of_positives, of_negatives = scores[y == 1].mean(), scores[y == 0].mean()
    assert mu * of_positives + (1 - mu) * of_negatives == pytest.approx(mu, abs=1e-6)
    # Hence alpha* = mu lies between the two means.
    assert of_negatives - 1e-6 <= mu <= of_positives + 1e-6


@cases
@laws
@given(data=st.data(), costs=st.tuples(st.floats(0.1, 10), st.floats(0.1, 10)))
def test_with_costs_the_weighted_predictions_sum_to_the_weighted_labels(
    scores_of, kind, data, costs
):
    X, y = data.draw(kind)
    scores = scores_of(X, y, class_weight=dict(enumerate(costs)))
    total = costs[1] * scores[y == 1].sum() + costs[0] * scores[y == 0].sum()
    assert total == pytest.approx(costs[1] * y.sum(), abs=1e-6)


@cases
@laws
@given(data=st.data())
def test_with_balancing_costs_predictions_sum_as_on_balanced_data(scores_of, kind, data):
    X, y = data.draw(kind)
    scores, mu, n = scores_of(X, y, class_weight="balanced"), y.mean(), len(y)
    c1, c0 = 1 / (2 * mu), 1 / (2 * (1 - mu))
    assert c1 * scores[y == 1].sum() + c0 * scores[y == 0].sum() == pytest.approx(n / 2, abs=1e-6)
    assert (scores[y == 1].mean() + scores[y == 0].mean()) / 2 == pytest.approx(0.5, abs=1e-6)


@laws
@given(tables())
def test_balancing_costs_equal_repeating_rows_until_the_classes_are_balanced(table):
    X, y = table
    times = np.where(y == 1, (y == 0).sum(), (y == 1).sum())
    repeated = LeastSquaresClassifier(pos_label=1).fit(np.repeat(X, times, 0), np.repeat(y, times))
    weighted = least_squares(X, y, class_weight="balanced")
    np.testing.assert_allclose(repeated.predict_score(X), weighted, atol=1e-7)


@laws
@given(tables(), st.integers(0, 2**32 - 1))
def test_weights_equal_repeated_rows(table, seed):
    X, y = table
    times = np.random.default_rng(seed).integers(0, 4, len(y))
    times[:2] = 1, 2  # a row of each class
    repeated = LeastSquaresClassifier(threshold="prior", pos_label=1)
    repeated.fit(np.repeat(X, times, 0), np.repeat(y, times))
    weighted = LeastSquaresClassifier(threshold="prior", pos_label=1).fit(X, y, times)
    assert repeated.threshold_ == pytest.approx(weighted.threshold_)
    np.testing.assert_allclose(repeated.predict_score(X), weighted.predict_score(X), atol=1e-6)


@laws
@given(tables(), st.floats(-100, 100), st.sampled_from([-3.0, 1e-9, 1e9]))
def test_units_and_origins_of_columns_do_not_matter(table, shift, unit):
    X, y = table
    moved = (X + shift * np.abs(X).max()) * unit
    np.testing.assert_allclose(least_squares(moved, y), least_squares(X, y), atol=1e-6)
