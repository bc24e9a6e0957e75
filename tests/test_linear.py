import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.linear_model import LinearRegression

from thresher import LeastSquaresClassifier

X, NOISE = np.split(np.random.default_rng(0).normal(size=(200, 4)), [3], axis=1)
Y = (X @ [1.0, 0.5, 0.0] + NOISE[:, 0] > 1.8).astype(int)
NAMED = pd.DataFrame(X, columns=["speed", "force", "heat"])

# ------------------------------------------------------------------------------------ the line


def normal_equations(X, y, weights):
    """Return slopes and intercept by solving X'WX b = X'Wy."""
    design = np.column_stack([X, np.ones(len(X))])
    *coef, intercept = np.linalg.solve((design.T * weights) @ design, (design.T * weights) @ y)
    return coef, intercept


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("class_weight", [None, "balanced", {0: 0.5, 1: 7}])
def test_the_line_solves_the_normal_equations(weighted, class_weight):
    weights = np.random.default_rng(1).random(200) if weighted else np.ones(200)
    mu = weights @ Y / weights.sum()
    by_class = {None: {}, "balanced": {0: 1 / (2 * (1 - mu)), 1: 1 / (2 * mu)}}
    factor = by_class.get(class_weight) if not isinstance(class_weight, dict) else class_weight
    row_weights = weights * [factor.get(label, 1.0) for label in Y.tolist()]
    model = LeastSquaresClassifier(class_weight=class_weight)
    model.fit(X, Y, weights if weighted else None)
    coef, intercept = normal_equations(X, Y, row_weights)
    np.testing.assert_allclose(model.coef_, coef, atol=1e-12)
    assert model.intercept_ == pytest.approx(intercept, abs=1e-12)
    np.testing.assert_allclose(model.predict_score(X), X @ coef + intercept, atol=1e-12)


def test_tiny_and_huge_weights_give_the_same_line():
    expected = LeastSquaresClassifier().fit(X, Y).coef_
    for weight in (1e-300, 1e300):
        model = LeastSquaresClassifier().fit(X, Y, np.full(200, weight))
        np.testing.assert_allclose(model.coef_, expected, rtol=1e-12)


def test_constant_columns_have_no_slope_and_dependent_ones_do_no_harm():
    constants = np.full((200, 3), [0.0, 0.1, 1e9])
    levels = np.eye(4)[
        np.random.default_rng(1).integers(4, size=200)
    ]  # these sum to 1, as the intercept does
    odd = np.column_stack([X, constants, levels, X[:, 0] * 2 - 1, np.zeros((200, 250))])
    model = LeastSquaresClassifier().fit(odd, Y)
    assert model.coef_[3:6].tolist() == [0.0, 0.0, 0.0]
    assert not model.coef_[-250:].any()
    assert np.abs(model.coef_).max() < 10
    expected = LinearRegression().fit(np.column_stack([X, levels[:, :3]]), Y)
    np.testing.assert_allclose(
        model.predict_score(odd),
        expected.predict(np.column_stack([X, levels[:, :3]])),
        atol=1e-12,
    )


def test_columns_that_are_dependent_but_for_rounding_do_no_harm():
    base = X[:, :2] + 1e5
    table = np.column_stack([base, base.sum(axis=1), base[:, 0] / 3, base[:, 1] * 0.1 + 7])
    model = LeastSquaresClassifier().fit(table, Y)
    expected = LeastSquaresClassifier().fit(X[:, :2], Y).predict_score(X[:, :2])
    np.testing.assert_allclose(model.predict_score(table), expected, atol=1e-7)


def test_more_columns_than_rows_fit_the_labels_exactly():
    wide = np.random.default_rng(1).normal(size=(30, 276))
    labels = np.arange(30) % 5 == 0
    scores = LeastSquaresClassifier().fit(wide, labels).predict_score(wide)
    np.testing.assert_allclose(scores, labels, atol=1e-10)


@pytest.mark.parametrize("unit", [1e-12, 1e12, 1e-150, 1e150])
def test_the_unit_of_a_column_does_not_matter(unit):
    units = np.array([unit, 1.0, 1.0])
    expected = LeastSquaresClassifier().fit(X, Y).predict_score(X)
    model = LeastSquaresClassifier().fit(X * units, Y)
    np.testing.assert_allclose(model.predict_score(X * units), expected, rtol=1e-9, atol=1e-9)


def test_float32_is_computed_in_float64():
    narrow = X.astype(np.float32)
    model = LeastSquaresClassifier().fit(narrow, Y)
    wide = LeastSquaresClassifier().fit(narrow.astype(np.float64), Y)
    assert model.coef_.dtype == np.float64
    np.testing.assert_array_equal(model.predict_score(narrow), wide.predict_score(narrow))


# ------------------------------------------------------------------------------- the decision


def test_probabilities_are_the_clipped_score():
    model = LeastSquaresClassifier().fit(X, Y)
    far = np.vstack([X, 100 * X])
    scores = model.predict_score(far)
    assert scores.min() < 0
    assert scores.max() > 1
    np.testing.assert_array_equal(model.predict_proba(far)[:, 1], np.clip(scores, 0, 1))
    np.testing.assert_allclose(model.predict_proba(far).sum(axis=1), 1.0, rtol=1e-15)


@pytest.mark.parametrize("threshold", [0, 0.2, 0.5, 1, "prior"])
@pytest.mark.parametrize("pos_label", ["ok", "scrap"])
def test_positive_if_and_only_if_the_score_is_above_the_threshold(threshold, pos_label):
    labels = np.where(Y == 1, "scrap", "ok")
    model = LeastSquaresClassifier(threshold=threshold, pos_label=pos_label).fit(X, labels)
    share = (labels == pos_label).mean()
    assert model.pos_label_ == pos_label
    assert model.threshold_ == pytest.approx(share if threshold == "prior" else threshold)
    above = model.predict_score(X) - model.threshold_
    np.testing.assert_array_equal(model.predict(X) == pos_label, above > 0)
    # scikit-learn: above 0 is classes_[1], which is "scrap".
    np.testing.assert_array_equal(
        model.decision_function(X), above if pos_label == "scrap" else -above
    )


def test_a_score_at_the_threshold_is_not_positive():
    table, labels = [[0.0], [1.0], [0.0], [1.0]], [0, 1, 0, 1]  # scores are 0 and 1
    for pos_label in (0, 1):
        model = LeastSquaresClassifier(threshold=0, pos_label=pos_label).fit(table, labels)
        model.coef_, model.intercept_ = np.zeros(1), 0.0
        assert model.predict([[0.5]]) == [1 - pos_label]
        assert model.decision_function([[0.5]]) == [0.0]


def test_the_mirrored_problem_has_mirrored_scores():
    straight = LeastSquaresClassifier(pos_label=1).fit(X, Y)
    mirrored = LeastSquaresClassifier(pos_label=0).fit(X, Y)
    np.testing.assert_allclose(mirrored.predict_score(X), 1 - straight.predict_score(X))
    np.testing.assert_allclose(mirrored.predict_proba(X), straight.predict_proba(X), atol=1e-12)


def test_prior_counts_sample_weight_and_not_class_weight():
    weights = np.where(Y == 1, 3.0, 1.0)
    model = LeastSquaresClassifier(threshold="prior", class_weight="balanced", pos_label=1)
    model.fit(X, Y, weights)
    assert model.threshold_ == pytest.approx(3 * Y.sum() / (3 * Y.sum() + (1 - Y).sum()))


# -------------------------------------------------------------------------------- data frames


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, pa.Table.from_pandas])
def test_columns_of_a_data_frame_are_matched_by_name(kind):
    model = LeastSquaresClassifier().fit(kind(NAMED), pd.Series(Y))
    assert model.feature_names_in_.tolist() == ["speed", "force", "heat"]
    assert model.n_features_in_ == 3
    turned = kind(NAMED[["heat", "speed", "force"]])
    np.testing.assert_array_equal(model.predict_score(turned), model.predict_score(kind(NAMED)))
    np.testing.assert_allclose(model.coef_, LeastSquaresClassifier().fit(X, Y).coef_)


def test_a_second_fit_forgets_the_names_of_the_first():
    model = LeastSquaresClassifier().fit(NAMED, Y).fit(X, Y)
    assert not hasattr(model, "feature_names_in_")


# ---------------------------------------------------------------------------------- bad input


def with_value(value):
    changed = X.copy()
    changed[7, 2] = value
    return changed


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"threshold": 1.1}, ValueError, "threshold must be at least 0 and at most 1, got 1.1"),
        ({"threshold": -0.1}, ValueError, "threshold must be at least 0 and at most 1, got -0.1"),
        ({"threshold": np.nan}, ValueError, "threshold must be at least 0 and at most 1, got nan"),
        ({"threshold": "mean"}, ValueError, "threshold must be a number or 'prior', got 'mean'"),
        ({"threshold": None}, TypeError, "threshold must be a number, got None"),
        ({"pos_label": "bad"}, ValueError, r"pos_label='bad' is not a class of y: \[0, 1\]"),
    ],
)  # fmt: skip
def test_parameters(parameters, error, message):
    with pytest.raises(error, match=message):
        LeastSquaresClassifier(**parameters).fit(X, Y)


@pytest.mark.parametrize(
    ("table", "error", "message"),
    [
        (with_value(np.nan), ValueError, "X contains NaN: column 2, row 7.*SimpleImputer"),
        (NAMED.mask(with_value(0) == 0), ValueError, "X contains NaN: column 'heat', row 7"),
        (pl.DataFrame({"a": [1.0, None] * 100}), ValueError, "X contains NaN: column 'a', row 1"),
        (with_value(np.inf), ValueError, "X contains infinity: column 2, row 7"),
        (NAMED.assign(line="a"), ValueError, "Column 'line' holds categories.*OneHotEncoder"),
        (NAMED.astype({"heat": "category"}), ValueError, "Column 'heat' holds.*categories"),
        (np.full((200, 2), "a", dtype=object), ValueError, "Column 0 holds text, such as 'a'"),
        (X * [1, 1e-310, 1], ValueError, "Column 1 is too wide or too narrow.*rescale it"),
        (X / np.abs(X).max(axis=0) * [1, 1, 1.7e308], ValueError, "Column 2 is too wide"),
    ],
)  # fmt: skip
def test_tables(table, error, message):
    with pytest.raises(error, match=message):
        LeastSquaresClassifier().fit(table, Y)


@pytest.mark.parametrize("method", ["predict", "predict_score", "predict_proba"])
@pytest.mark.parametrize(
    ("table", "message"),
    [
        (with_value(np.nan), "X contains NaN: column 2, row 7"),
        (with_value(-np.inf), "X contains infinity: column 2, row 7.*replace it by a finite"),
        (X[:, :2], "X has 2 features, but LeastSquaresClassifier is expecting 3 features"),
    ],
)
def test_tables_to_predict(method, table, message):
    model = LeastSquaresClassifier().fit(X, Y)
    with pytest.raises(ValueError, match=message):
        getattr(model, method)(table)
