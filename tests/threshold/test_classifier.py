"""ThresholdClassifier around estimators, tables, labels, weights and splitters of all kinds."""

import pickle
from importlib.util import find_spec

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import csr_matrix
from sklearn import config_context
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    RepeatedStratifiedKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
    TimeSeriesSplit,
    cross_val_predict,
)
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from tests.requirements import require
from thresher import ImbalancedTreeClassifier, ThresholdClassifier
from thresher.datasets import load_dataset

X, Y = load_dataset("Yeast-me1")
COLUMNS = [
    "threshold",
    "tp",
    "fp",
    "tn",
    "fn",
    "precision",
    "recall",
    "f1",
    "bcr",
    "gmean",
    "mcc",
    "expected_cost",
    "alerts_per_1000",
]


def model_of(estimator=None, rule="f1", **parameters):
    estimator = LogisticRegression(C=100) if estimator is None else estimator
    return ThresholdClassifier(estimator, rule, **{"n_bootstrap": 0, **parameters})


def best_f1(y, scores, weights=None):
    """Return the largest F1 over all thresholds; scikit-learn's function would be slow."""
    weights = np.ones(len(y)) if weights is None else weights
    alert = scores[:, None] > np.unique(np.append(scores, -1.0))[None, :]
    tp, alerts = (weights * y) @ alert, weights @ alert
    return (2 * tp / (alerts + (weights * y).sum())).max()


def out_of_fold(estimator, cv=5, **parameters):
    return cross_val_predict(estimator, X, Y, cv=cv, method="predict_proba", **parameters)[:, 1]


# ------------------------------------------------------------------------------------ decisions


def test_threshold_is_the_best_on_out_of_fold_probabilities():
    p = out_of_fold(LogisticRegression(C=100))
    best = best_f1(Y, p)
    assert f1_score(Y, p > model_of().fit(X, Y).threshold_) == pytest.approx(best, abs=1e-12)


def test_prior_is_the_share_of_positives():
    for cv in (5, 0.3, TimeSeriesSplit(2), KFold(3)):
        assert model_of(rule="prior", cv=cv).fit(X, Y).threshold_ == pytest.approx(Y.mean())


def test_predict_compares_the_estimators_probability_with_the_threshold():
    model = model_of().fit(X, Y)
    p = LogisticRegression(C=100).fit(X, Y).predict_proba(X)
    np.testing.assert_array_equal(model.predict_proba(X), p)
    np.testing.assert_array_equal(model.predict(X), (p[:, 1] > model.threshold_).astype(int))
    np.testing.assert_array_equal(model.predict_log_proba(X), np.log(p))


def test_score_on_the_threshold_is_negative_whichever_class_is_positive():
    # Out of fold, k nearest neighbours of one neighbour are 0 or 1.
    for pos_label in (0, 1):
        model = model_of(KNeighborsClassifier(1), "cost", pos_label=pos_label).fit(X, Y)
        model.threshold_ = 1.0
        assert (model.predict(X) == 1 - pos_label).all()
        assert ((model.decision_function(X) > 0) == (model.predict(X) == 1)).all()


def test_decision_function_has_the_sign_of_the_decision():
    for estimator in (LogisticRegression(C=100), LinearSVC()):
        for pos_label in (0, 1):
            model = model_of(estimator, "bcr", pos_label=pos_label).fit(X, Y)
            decision = model.decision_function(X)
            np.testing.assert_array_equal(model.predict(X) == 1, decision > 0)
            assert np.corrcoef(decision, Y)[0, 1] > 0.3


def test_rarer_class_is_positive_unless_told():
    assert model_of().fit(X, Y).pos_label_ == 1
    assert model_of().fit(X, 1 - Y).pos_label_ == 0
    assert model_of(pos_label=0).fit(X, Y).pos_label_ == 0
    flipped = model_of().fit(X, 1 - Y)
    np.testing.assert_array_equal(flipped.predict(X), 1 - model_of().fit(X, Y).predict(X))


def test_budget_is_kept_out_of_fold():
    curve = (model := model_of(rule="budget", per_1000=30).fit(X, Y)).curve_
    chosen = curve[curve["threshold"] <= model.threshold_].iloc[-1]
    assert 20 < chosen["alerts_per_1000"] <= 30
    within = curve[curve["alerts_per_1000"] <= 30]
    assert chosen["tp"] == within["tp"].max()


def test_function_as_rule():
    named = model_of(rule="f1").fit(X, Y)
    own = model_of(rule=lambda tn, fp, fn, tp: 2 * tp / (2 * tp + fp + fn)).fit(X, Y)
    assert own.threshold_ == named.threshold_


# ---------------------------------------------------------------------------------- the splitter


def test_prefit_estimator_is_not_fitted_again():
    estimator = LogisticRegression(C=100).fit(X[::2], Y[::2])
    coefficients = estimator.coef_.copy()
    model = model_of(estimator, cv="prefit").fit(X[1::2], Y[1::2])
    assert model.estimator_ is estimator
    np.testing.assert_array_equal(estimator.coef_, coefficients)
    p = estimator.predict_proba(X[1::2])[:, 1]
    best = best_f1(Y[1::2], p)
    assert f1_score(Y[1::2], model.predict(X[1::2])) == pytest.approx(best)


def test_prefit_needs_a_fitted_estimator_of_these_classes():
    with pytest.raises(NotFittedError):
        model_of(cv="prefit").fit(X, Y)
    estimator = LogisticRegression().fit(X, np.where(Y, "scrap", "ok"))
    with pytest.raises(ValueError, match=r"knows the classes .*'ok'.* but y has"):
        model_of(estimator, cv="prefit").fit(X, Y)


def test_single_split_scores_its_share_of_rows():
    model = model_of(cv=0.3, random_state=0).fit(X, Y)
    ((train, test),) = StratifiedShuffleSplit(1, test_size=0.3, random_state=0).split(X, Y)
    assert model.curve_[["tp", "fp"]].iloc[0].sum() == len(test)
    p = LogisticRegression(C=100).fit(X[train], Y[train]).predict_proba(X[test])[:, 1]
    best = best_f1(Y[test], p)
    assert model.curve_["f1"].max() == pytest.approx(best)


def test_rows_without_a_score_stay_out():
    order = np.random.default_rng(0).permutation(len(Y))
    model = model_of(cv=TimeSeriesSplit(3)).fit(X[order], Y[order])
    held = np.concatenate([test for _, test in TimeSeriesSplit(3).split(X)])
    assert model.curve_[["tp", "fp"]].iloc[0].sum() == len(held) < len(Y)
    assert model.curve_["tp"].iloc[0] == Y[order][held].sum()


def test_rows_held_out_several_times_count_several_times():
    cv = RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0)
    assert model_of(cv=cv).fit(X, Y).curve_["tp"].iloc[0] == 2 * Y.sum()


@pytest.mark.parametrize("routing", [False, True])
def test_groups_reach_the_splitter(routing):
    groups = np.random.default_rng(0).integers(0, 8, len(Y))
    with config_context(enable_metadata_routing=routing):
        model = model_of(cv=GroupKFold(4)).fit(X, Y, groups=groups)
    splits = list(GroupKFold(4).split(X, Y, groups))
    assert model.threshold_ == model_of(cv=splits).fit(X, Y).threshold_
    assert model.threshold_ != model_of(cv=KFold(4)).fit(X, Y).threshold_


def test_splits_may_be_a_generator_or_masks():
    folds = list(StratifiedKFold(5).split(X, Y))
    masks = [
        (np.isin(np.arange(len(Y)), train), np.isin(np.arange(len(Y)), test))
        for train, test in folds
    ]
    expected = model_of(cv=5).fit(X, Y).threshold_
    assert model_of(cv=iter(folds)).fit(X, Y).threshold_ == expected
    assert model_of(cv=masks).fit(X, Y).threshold_ == expected


def test_jobs_do_not_change_the_result():
    assert model_of(n_jobs=2).fit(X, Y).threshold_ == model_of().fit(X, Y).threshold_


# --------------------------------------------------------------------------------------- weights


def test_sample_weight_counts_in_fit_and_search():
    weights = np.random.default_rng(0).integers(0, 3, len(Y)).astype(float)
    model = model_of().fit(X, Y, sample_weight=weights)
    estimator = LogisticRegression(C=100)
    np.testing.assert_allclose(model.estimator_.coef_, estimator.fit(X, Y, weights).coef_)
    p = out_of_fold(estimator, params={"sample_weight": weights})
    best = best_f1(Y, p, weights)
    found = f1_score(Y, p > model.threshold_, sample_weight=weights)
    assert found == pytest.approx(best, abs=1e-12)
    assert model.curve_["tp"].iloc[0] == weights[Y == 1].sum()


def test_sample_weight_follows_metadata_routing():
    weights = np.random.default_rng(0).integers(1, 4, len(Y)).astype(float)
    expected = model_of().fit(X, Y, sample_weight=weights)
    with config_context(enable_metadata_routing=True):
        estimator = make_pipeline(LogisticRegression(C=100).set_fit_request(sample_weight=True))
        routed = model_of(estimator).fit(X, Y, sample_weight=weights)
    assert routed.threshold_ == expected.threshold_
    np.testing.assert_array_equal(routed.predict(X), expected.predict(X))


def test_weights_of_a_pipelines_step_are_split_with_the_rows():
    weights = np.random.default_rng(0).integers(1, 4, len(Y)).astype(float)
    expected = model_of().fit(X, Y, sample_weight=weights)
    model = model_of(make_pipeline(LogisticRegression(C=100)))
    with pytest.warns(UserWarning, match="takes no sample_weight.*step__sample_weight"):
        model.fit(X, Y, sample_weight=weights, logisticregression__sample_weight=weights.tolist())
    assert model.threshold_ == expected.threshold_


# ------------------------------------------------------------------------- estimators and tables


def test_text_labels():
    labels = np.where(Y, "scrap", "ok")
    model = model_of().fit(X, labels)
    assert model.classes_.tolist() == ["ok", "scrap"]
    assert model.pos_label_ == "scrap"
    np.testing.assert_array_equal(model.predict(X) == "scrap", model_of().fit(X, Y).predict(X) == 1)


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_data_frames_in_and_out(kind):
    frame, series = load_dataset("Yeast-me1", as_frame=True)
    table, y = {
        "pandas": lambda: (frame, series),
        "polars": lambda: (pl.from_pandas(frame), pl.Series(series.to_numpy())),
        "pyarrow": lambda: (pa.Table.from_pandas(frame), pa.chunked_array([series.to_numpy()])),
    }[kind]()
    model = model_of(ImbalancedTreeClassifier(), "bcr").fit(table, y)
    assert isinstance(model.curve_, type(table))
    names = model.curve_.column_names if kind == "pyarrow" else list(model.curve_.columns)
    assert names == COLUMNS
    assert model.feature_names_in_.tolist() == list(frame.columns)
    expected = model_of(ImbalancedTreeClassifier(), "bcr").fit(X, Y)
    assert model.threshold_ == expected.threshold_
    np.testing.assert_array_equal(model.predict(table), expected.predict(X))


def test_polars_around_a_pipeline_of_scikit_learn():
    frame, series = load_dataset("Yeast-me1", as_frame=True)
    estimator = make_pipeline(StandardScaler(), LogisticRegression())
    model = model_of(estimator).fit(pl.from_pandas(frame), pl.Series(series.to_numpy()))
    expected = model_of(estimator).fit(frame, series)
    assert model.threshold_ == pytest.approx(expected.threshold_)
    assert isinstance(expected.curve_, pd.DataFrame)
    assert isinstance(model.curve_, pl.DataFrame)


def test_curve_of_arrays_is_of_pandas_or_a_dict(monkeypatch):
    model = model_of().fit(X, Y)
    assert isinstance(model.curve_, pd.DataFrame)
    monkeypatch.setattr("thresher.frames.find_spec", lambda name: None)
    assert list(model.curve_) == COLUMNS
    assert isinstance(model.curve_, dict)


def test_curve_agrees_with_scikit_learn_at_each_threshold():
    model = model_of(cost_fp=2.0, cost_fn=30.0, gain_tp=1.0).fit(X, Y)
    p = out_of_fold(LogisticRegression(C=100))
    curve = model.curve_
    assert len(curve) == len(np.unique(p)) + 1
    assert (np.diff(curve["threshold"]) > 0).all()
    for _, row in curve.iloc[:: len(curve) // 20].iterrows():
        alert = p > row["threshold"]
        tp, fp, fn = (alert & (Y == 1)).sum(), (alert & (Y == 0)).sum(), (~alert & (Y == 1)).sum()
        assert (row["tp"], row["fp"], row["fn"]) == (tp, fp, fn)
        assert row["f1"] == pytest.approx(f1_score(Y, alert))
        assert row["alerts_per_1000"] == pytest.approx(1000 * alert.mean())
        assert row["expected_cost"] == pytest.approx((2 * fp + 30 * fn - tp) / len(Y))


def test_lists_and_sparse_matrices():
    expected = model_of().fit(X, Y)
    assert model_of().fit(X.tolist(), Y.tolist()).threshold_ == expected.threshold_
    sparse = model_of().fit(csr_matrix(X), Y)
    np.testing.assert_array_equal(sparse.predict(csr_matrix(X)), expected.predict(X))


def test_around_lightgbm():
    require(find_spec("lightgbm"), "LightGBM is not installed")
    from lightgbm import LGBMClassifier

    estimator = LGBMClassifier(n_estimators=20, verbose=-1, n_jobs=1)
    frame, series = load_dataset("Yeast-me1", as_frame=True)
    model = model_of(estimator).fit(frame, series)
    p = cross_val_predict(estimator, frame, series, cv=5, method="predict_proba")[:, 1]
    best = best_f1(Y, p)
    assert f1_score(Y, p > model.threshold_) == pytest.approx(best, abs=1e-12)
    assert best > f1_score(Y, p > 0.5)


def test_float32_probabilities_are_compared_as_doubles():
    class Single(LogisticRegression):
        def predict_proba(self, X):
            return super().predict_proba(X).astype(np.float32)

    model = model_of(Single(C=100)).fit(X, Y)
    p = model.predict_proba(X)[:, 1].astype(np.float64)
    np.testing.assert_array_equal(model.predict(X) == 1, p > model.threshold_)


def test_inside_a_grid_search_and_after_pickling():
    search = GridSearchCV(model_of(), {"estimator__C": [1, 100], "rule": ["prior", "f1"]}, cv=3)
    best = search.fit(X, Y).best_estimator_
    again = pickle.loads(pickle.dumps(best))
    np.testing.assert_array_equal(again.predict(X), best.predict(X))
    assert again.curve_.equals(best.curve_)
    assert clone(best).get_params()["rule"] == best.rule


def test_missing_values_where_the_estimator_takes_them():
    holes = np.where(np.random.default_rng(0).random(X.shape) < 0.1, np.nan, X)
    assert model_of(RandomForestClassifier(5, random_state=0)).fit(holes, Y).threshold_ < 1
    assert model_of().__sklearn_tags__().input_tags.allow_nan is False
    assert model_of(ImbalancedTreeClassifier()).__sklearn_tags__().input_tags.allow_nan is True


# --------------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"rule": "f3"}, "rule='f3' is unknown"),
        ({"rule": "budget"}, "needs per_1000"),
        ({"n_bootstrap": -1}, "n_bootstrap must be at least 0"),
        ({"cv": "loo"}, "cv must be a number of folds.*got 'loo'"),
        ({"cv": 1.5}, "cv as a share of the rows must be below 1"),
        ({"cv": 0.0}, "cv must be above 0"),
        ({"pos_label": 7}, "pos_label=7 is not a class of y"),
    ],
)
def test_bad_parameters_are_refused_in_one_sentence(parameters, message):
    with pytest.raises(ValueError, match=message):
        model_of(**parameters).fit(X, Y)


def test_rule_that_cannot_be_met_names_the_best_attainable_value():
    stump = ImbalancedTreeClassifier(max_depth=1, pruning=None)
    best = model_of(stump).fit(X, Y).curve_["precision"].max()
    assert best < 0.5
    with pytest.raises(
        ValueError, match=f"precision of 0.99 .* best attainable value is {best:.6g}"
    ):
        model_of(stump, "recall_at_precision", floor=0.99).fit(X, Y)


def test_correct_prior_is_a_boolean():
    with pytest.raises(TypeError, match="correct_prior must be True or False, got 'yes'"):
        model_of(correct_prior="yes").fit(X, Y)


@pytest.mark.parametrize("parameters", [{"rule": "prior"}, {"rule": "cost"}])
def test_rules_on_probabilities_need_them(parameters):
    with pytest.raises(ValueError, match=r"needs probabilities, but LinearSVC .*Calibrated"):
        model_of(LinearSVC(), **parameters).fit(X, Y)
    with pytest.raises(ValueError, match=r"correct_prior=True needs probabilities"):
        model_of(LinearSVC(), correct_prior=True).fit(X, Y)
    assert not hasattr(model_of(LinearSVC()), "predict_proba")


def test_split_that_trains_on_one_class_is_refused():
    rows = np.argsort(Y, kind="stable")
    with pytest.raises(ValueError, match="rows of one class only to train on"):
        model_of(DummyClassifier(), cv=TimeSeriesSplit(3)).fit(X[rows], Y[rows])


def test_unfitted_model_says_so():
    for call in ("predict", "predict_proba", "decision_function", "estimate_prior"):
        with pytest.raises(NotFittedError):
            getattr(model_of(), call)(X)
    with pytest.raises(NotFittedError):
        model_of().adjust_prior(0.5)
