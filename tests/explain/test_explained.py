"""Contributions of estimators: they sum to scores, and equal what other libraries say."""

import warnings
from importlib import import_module
from importlib.util import find_spec

import lightgbm
import numpy as np
import polars as pl
import pytest
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from tests.converters.originals import LIBRARIES, draw, xgboost_table
from tests.explain.brute_force import shapley_values
from tests.requirements import require
from tests.table_factory import Table
from thresher import (
    AlphaTreesClassifier,
    ImbalancedForestClassifier,
    ImbalancedTreeClassifier,
    PairFeatures,
    ThresholdClassifier,
    convert,
)
from thresher.model_file.models import describe_model, restore_model


def make_rows(n_rows=600, seed=0):
    """Return a table with gaps and a category, classes that depend on it, and weights."""
    random = np.random.default_rng(seed)
    force, speed = random.normal(60.0, 3.0, n_rows), random.normal(size=n_rows)
    line = random.choice(["east", "north", "west"], n_rows)
    score = 1 * (force > 62.0) + (line == "north") * (speed > 0.0)
    y = random.random(n_rows) < np.array([0.02, 0.3, 0.8])[score]
    force[random.random(n_rows) < 0.1] = np.nan
    lines = [None if random.random() < 0.05 else one for one in line]
    table = pl.DataFrame({"force": force, "speed": speed, "line": lines})
    return table, np.where(y, "scrap", "good"), random.random(n_rows) + 0.5


MODELS = {
    "tree": ImbalancedTreeClassifier(class_weight="balanced"),
    "forest": ImbalancedForestClassifier(30, random_state=0, smoothing="laplace"),
    "votes": AlphaTreesClassifier((0.1, 0.5, 1), pruning=None),
    "soft": AlphaTreesClassifier((0.1, 0.5, 1), voting="soft", pos_label="good"),
    "pairs": ImbalancedTreeClassifier(pairs=PairFeatures(pairs=[("force", "product", "speed")])),
}


@pytest.fixture(scope="module", params=MODELS)
def fitted(request):
    table, y, weights = make_rows()
    weights = weights if request.param in ("tree", "forest") else None
    return MODELS[request.param].fit(table, y, sample_weight=weights), table


def test_rows_sum_to_the_probability(fitted):
    model, table = fitted
    found = model.contributions(table)
    assert found.shape == (len(table), model.columns_.width + 1)
    scores = model.predict_proba(table)[:, model.positive_index_]
    np.testing.assert_allclose(found.sum(axis=1), scores, rtol=0, atol=1e-12)


def test_values_are_those_of_the_definition(fitted):
    model, table = fitted
    matrix = model.columns_.matrix(table, "model")
    for row in (0, 7, 13):
        expected = shapley_values(model.weighed_trees(), matrix[row].astype(float))
        found = model.contributions(table[row : row + 1])[0]
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10)


def test_the_base_value_of_a_tree_is_the_mean_of_its_training_rows():
    table, y, weights = make_rows()
    model = ImbalancedTreeClassifier().fit(table, y, sample_weight=weights)
    base = model.contributions(table[:1])[0, -1]
    assert base == pytest.approx(weights[y == "scrap"].sum() / weights.sum(), abs=1e-12)


# ------------------------------------------------------------------------------- other libraries


@pytest.fixture
def shap():
    """Return the package; its import warns of what others will deprecate."""
    require(find_spec("shap") is not None, "the package shap is not installed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return import_module("shap")


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("seed", range(8))
def test_scores_of_models_that_were_taken_over_are_sums(library, seed):
    original, problem = draw(library, seed, most_trees=12)
    model = convert(original, pos_label=seed % 2)
    found = model.contributions(problem.asked).sum(axis=1)
    expected = model.predict_score(problem.asked)
    slope = model.trees_.slope
    if slope is not None:
        expected = (slope if seed % 2 else -slope) * expected
    elif seed % 2 == 0:
        expected = 1.0 - expected
    digits = 1e-5 if library == "xgboost" else 1e-10
    np.testing.assert_allclose(found, expected, rtol=digits, atol=digits)


@pytest.mark.parametrize("seed", range(10))
def test_contributions_are_those_of_lightgbm(seed):
    original, problem = draw("lightgbm", seed, most_trees=12)
    model = convert(original)
    expected = original.predict(problem.asked, pred_contrib=True) * model.trees_.slope
    if model.trees_.is_mean:
        expected = expected / original.num_trees()
    found = model.contributions(problem.asked)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("seed", range(8))
def test_contributions_are_those_of_xgboost(seed):
    original, problem = draw("xgboost", seed, most_trees=12)
    model, rows = convert(original), xgboost_table(problem, problem.asked)
    # XGBoost computes with 32 bits.
    expected = original.predict(rows, pred_contribs=True)
    found = model.contributions(problem.asked)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    "original",
    [
        DecisionTreeClassifier(max_depth=7, random_state=0),
        RandomForestClassifier(10, random_state=0),
        ExtraTreesClassifier(10, random_state=0, min_samples_leaf=3),
        GradientBoostingClassifier(n_estimators=20, random_state=0),
        lightgbm.LGBMClassifier(n_estimators=20, verbose=-1, n_jobs=1),
    ],
    ids=lambda original: type(original).__name__,
)
def test_contributions_are_those_of_shap(original, shap):
    X, y = Table(columns=6, share=0.2).numpy()
    explainer = shap.TreeExplainer(original.fit(X, y))
    base, expected = np.ravel(explainer.expected_value)[-1], explainer(X).values
    if expected.ndim == 3:
        expected = expected[:, :, 1]
    found = convert(original).contributions(X)
    np.testing.assert_allclose(found[:, :-1], expected, rtol=0, atol=1e-10)
    np.testing.assert_allclose(found[:, -1], base, rtol=0, atol=1e-10)


def test_explanation_is_one_of_shap(shap):
    table, y, _ = make_rows()
    model = ImbalancedTreeClassifier().fit(table, y)
    found, expected = model.explanation(table), model.contributions(table)
    assert isinstance(found, shap.Explanation)
    np.testing.assert_array_equal(found.values, expected[:, :-1])
    np.testing.assert_array_equal(found.base_values, expected[:, -1])
    assert found.feature_names == ["force", "speed", "line"]
    lines = ["" if one is None else one for one in table["line"]]
    assert found.display_data[:, 2].tolist() == lines


def test_without_shap_a_sentence_names_the_extra(monkeypatch):
    from thresher.explain import explained

    monkeypatch.setattr(explained, "find_spec", lambda name: None)
    table, y, _ = make_rows()
    model = ImbalancedTreeClassifier().fit(table, y)
    with pytest.raises(ImportError, match=r"install thresher\[explain\]"):
        model.explanation(table)


# ---------------------------------------------------------------------------------------- wrappers


def test_a_threshold_explains_by_its_estimator():
    table, y, _ = make_rows()
    inner = ImbalancedForestClassifier(20, random_state=0)
    model = ThresholdClassifier(inner, rule="f1", cv=2, n_bootstrap=0).fit(table, y)
    np.testing.assert_array_equal(model.contributions(table), model.estimator_.contributions(table))
    assert model.reasons(table[:3], top=1) == model.estimator_.reasons(table[:3], top=1)
    assert not hasattr(ThresholdClassifier(LogisticRegression()), "contributions")


def test_a_threshold_for_the_other_class_is_refused():
    table, y, _ = make_rows()
    inner = ImbalancedTreeClassifier(pos_label="scrap")
    model = ThresholdClassifier(inner, cv=2, n_bootstrap=0, pos_label="good").fit(table, y)
    with pytest.raises(ValueError, match="fit the estimator with pos_label='good'"):
        model.contributions(table)


# ---------------------------------------------------------------------------- importances and files


@pytest.mark.parametrize(
    "model",
    [
        ImbalancedTreeClassifier(importance="shap"),
        ImbalancedForestClassifier(20, importance="shap", random_state=0),
    ],
    ids=["tree", "forest"],
)
def test_importances_are_mean_absolute_contributions(model):
    table, y, weights = make_rows()
    model = model.fit(table, y, sample_weight=weights)
    found = np.abs(model.contributions(table)[:, :-1])
    expected = weights @ found / weights.sum()
    np.testing.assert_allclose(model.feature_importances_, expected, rtol=1e-12)
    other = type(model)().fit(table, y)
    with pytest.raises(NotFittedError, match="takes effect in fit"):
        _ = other.set_params(importance="shap").feature_importances_


def test_a_file_keeps_the_weights_that_contributions_need():
    original, problem = draw("lightgbm", 3, most_trees=5)
    model = convert(original)
    data = describe_model(model)
    again = restore_model(data)
    assert again.contributions(problem.asked).tobytes() == (
        model.contributions(problem.asked).tobytes()
    )
    data["additive"]["weight"] = np.full(len(model.trees_.feature), -1.0)
    with pytest.raises(ValueError, match="weights of nodes are out of range"):
        restore_model(data)


@pytest.mark.parametrize("method", ["contributions", "reasons", "explanation"])
def test_models_that_are_not_fitted_and_rows_that_do_not_fit_are_told(method):
    with pytest.raises(NotFittedError):
        getattr(ImbalancedTreeClassifier(), method)([[1.0]])
    table, y, _ = make_rows()
    model = ImbalancedTreeClassifier().fit(table.drop("line"), y)
    with pytest.raises(ValueError, match="infinity"):
        getattr(model, method)(table.drop("line").with_columns(force=pl.lit(float("inf"))))
    with pytest.raises(ValueError, match="'speed' not found"):
        getattr(model, method)(table.drop("line", "speed"))
