"""Conditions of classifiers that are no trees of this library, through one that imitates them."""

import json
from collections import Counter

import numpy as np
import pytest
from scipy.stats import binom
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC
from xgboost import XGBClassifier

from studies.conditions.study import boosted, imitation_claims_on_noise, recovered_through
from thresher import ImbalancedForestClassifier, ThresholdClassifier, find_conditions
from thresher.datasets import make_assembly_line
from thresher.threshold.imitated import ImitatedClassifier
from thresher.threshold.unseen import Problem, out_of_fold

ONCE = {"refit": "imitation", "n_bootstrap": 2, "cv": 3, "output": "table"}


@pytest.fixture(scope="module")
def line():
    return make_assembly_line(2000, random_state=0)


@pytest.fixture(scope="module")
def pipeline(line):
    return boosted(line, line.y, trees=30)


@pytest.fixture(scope="module")
def found(line, pipeline):
    return find_conditions(pipeline, line.X, line.y, **ONCE)


def test_a_pipeline_is_read_in_its_original_columns(line, found):
    asked = {column for condition in found.conditions for column in condition.columns}
    assert asked <= set(line.X.columns)
    assert {"supplier", "shift"} <= asked
    assert found.is_confirmed.sum() >= 3


def test_the_table_says_how_it_was_imitated(found):
    imitation = found.imitation
    assert imitation.fidelity > 0.97
    assert imitation.agreement_f1 > 0.8
    assert imitation.refit == "imitation"
    words = found.to_text().splitlines()[0]
    assert "Pipeline (LGBMClassifier)" in words
    assert "the best F1 on unseen scores" in words
    assert "fitted again on folds alone" in words
    assert json.loads(found.to_json())["imitation"] == imitation._asdict()
    assert found.permutations == 0


def test_the_threshold_is_the_best_f1_on_unseen_scores(line, pipeline, found):
    imitated = ImitatedClassifier.of(pipeline, line.X, line.y)
    splits = imitated.estimator.cv.split(line.X, line.y)
    unseen = out_of_fold(Problem(pipeline, line.X, line.y, np.array([0, 1]), 1), splits)
    scores = np.empty(len(line.y))
    scores[unseen.rows] = unseen.scores
    np.testing.assert_array_equal(imitated.unseen_, scores)
    f1 = [_f1(scores > cut, line.y) for cut in np.unique(scores)]
    assert _f1(scores > imitated.threshold_, line.y) == max(f1)
    assert found.imitation.threshold == imitated.threshold_
    np.testing.assert_array_equal(imitated.decisions(), scores > imitated.threshold_)


def _f1(is_alert, y):
    return 2.0 * (is_alert & (y == 1)).sum() / (is_alert.sum() + y.sum())


def test_the_model_itself_is_imitated_not_another_fit(line, pipeline):
    imitated = ImitatedClassifier.of(pipeline, line.X, line.y)
    assert imitated.estimator_.estimator_ is pipeline


def test_a_threshold_of_its_own_is_kept(line):
    X = line.X.select_dtypes(float).fillna(0.0)
    inner = XGBClassifier(n_estimators=20, max_depth=3, n_jobs=1, random_state=0)
    model = ThresholdClassifier(inner, "budget", per_1000=30, n_bootstrap=0).fit(X, line.y)
    found = find_conditions(model, X, line.y, **ONCE)
    assert found.imitation.threshold == model.threshold_
    assert not found.imitation.chosen
    assert "its own" in found.to_text()


@pytest.mark.parametrize("kind", ["array", "polars", "pyarrow"])
def test_tables_of_all_kinds_give_the_same(line, kind):
    numbers = line.X.select_dtypes(float).fillna(0.0)
    model = LogisticRegression(C=100.0, max_iter=2000)
    X = numbers.to_numpy() if kind == "array" else _as_frame(numbers, kind)
    tables = [
        find_conditions(model.fit(given, line.y), given, line.y, **ONCE | {"cv": None})
        for given in (numbers, X)
    ]
    first, second = (
        [clause.as_data() for one in t.conditions for clause in one.clauses] for t in tables
    )
    names = {f"x[{place}]": name for place, name in enumerate(numbers.columns)}
    for clause in second:
        clause["column"] = names.get(clause["column"], clause["column"])
    assert first == second


def _as_frame(numbers, kind):
    columns = {name: numbers[name].to_numpy() for name in numbers.columns}
    if kind == "polars":
        return pytest.importorskip("polars").DataFrame(columns)
    return pytest.importorskip("pyarrow").table(columns)


def test_a_decision_function_is_enough(line):
    X = line.X.select_dtypes(float).fillna(0.0)
    found = find_conditions(LinearSVC().fit(X, line.y), X, line.y, **ONCE | {"cv": None})
    assert found.imitation.model == "LinearSVC"


def test_a_forest_inside_a_threshold_classifier_is_read(line):
    model = ThresholdClassifier(ImbalancedForestClassifier(20, random_state=0), "f1", n_bootstrap=0)
    found = find_conditions(model.fit(line.X, line.y), line.X, line.y, **ONCE | {"cv": None})
    assert len(found) >= 3


def test_prefit_models_are_tested_by_hold_out_rows_alone(line, pipeline):
    model = ThresholdClassifier(pipeline, "f1", cv="prefit", n_bootstrap=0).fit(line.X, line.y)
    held = make_assembly_line(2000, random_state=1)
    found = find_conditions(model, line.X, line.y, X_test=held.X, y_test=held.y, output="table")
    assert found.imitation.refit is None
    assert found.evidence == "hold-out"
    assert found.is_confirmed.any()
    with pytest.raises(ValueError, match="cv='prefit' cannot be fitted again"):
        find_conditions(model, line.X, line.y, n_permutations=9)


def test_refitting_the_model_says_so(line, pipeline):
    part = line.X[:600], line.y[:600]
    found = find_conditions(
        pipeline.fit(*part), *part, n_permutations=3, n_bootstrap=1, cv=2, output="table"
    )
    assert found.imitation.refit == "model"
    assert found.permutations == 3
    assert "fitted again to test" in found.to_text()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"refit": "both"}, "is unknown, choose from"),
        ({"refit": "imitation"}, "is for classifiers of other"),
    ],
)
def test_bad_refits_are_refused(line, options, message):
    model = ImbalancedForestClassifier(5, random_state=0).fit(line.X, line.y)
    with pytest.raises(ValueError, match=message):
        find_conditions(model, line.X, line.y, **options)


def test_an_unfitted_classifier_is_refused(line):
    with pytest.raises(ValueError, match="LogisticRegression is not fitted"):
        find_conditions(LogisticRegression(), line.X, line.y)


class ChangesItsParameter(LogisticRegression):
    def __init__(self, names=()):
        super().__init__(max_iter=5000)
        self.names = list(names)


def test_a_classifier_that_cannot_be_copied_is_told(line):
    X = line.X[["flow", "leak_rate"]].fillna(3.0)[:300]
    model = ChangesItsParameter(["a"]).fit(X, line.y[:300])
    with pytest.raises(ValueError, match=r"cannot copy this ChangesItsParameter .*cv='prefit'"):
        find_conditions(model, X, line.y[:300], **ONCE)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["pipeline", "LightGBM"])
def test_planted_conditions_are_recovered_on_twenty_lines(kind):
    total = sum((recovered_through(kind, seed) for seed in range(20)), Counter())
    for what in ("conditions", "columns", "cuts"):
        assert total[f"right {what}"] >= 0.9 * total[f"claimed {what}"]
        assert total[f"found {what}"] >= 0.9 * total[f"planted {what}"]


def test_noise_is_hardly_ever_confirmed():
    claims = sum(imitation_claims_on_noise(seed, "imitation") for seed in range(3))
    assert claims <= binom.ppf(0.999, 3, 0.05)


@pytest.mark.slow
@pytest.mark.parametrize("refit", ["imitation", "model"])
def test_claims_on_noise_at_length(refit):
    assert sum(imitation_claims_on_noise(seed, refit) for seed in range(200)) <= 16
