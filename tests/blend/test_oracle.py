"""The blend by hand: scikit-learn's and LightGBM's own models, Platt's curve by a minimiser."""

import lightgbm
import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit, logit
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC

from tests.blend.tables import levels, numbers
from thresher import ImbalancedBlendClassifier, ImbalancedForestClassifier
from thresher.blend.folds import deal_folds
from thresher.blend.kernel_machine import fit_kernel_machine
from thresher.blend.preparation import level_counts
from thresher.tree.sample import Rows, read_rows

SEED = 11


def svm():
    return make_pipeline(
        SimpleImputer(strategy="median"),
        StandardScaler(),
        SVC(C=3, gamma="scale", class_weight="balanced"),
    )


def logistic():
    return make_pipeline(
        SimpleImputer(strategy="median"), StandardScaler(), LogisticRegression(C=1, max_iter=1000)
    )


def boosted(held):
    return lightgbm.LGBMClassifier(
        n_estimators=150,
        learning_rate=0.05,
        num_leaves=8,
        min_child_samples=5,
        colsample_bytree=0.5,
        subsample=0.8,
        subsample_freq=1,
        random_state=SEED + held,
        n_jobs=1,
        deterministic=True,
        force_row_wise=True,
        verbosity=-1,
    )


def committee(fold, X, y, make, score, X_new):
    """Unseen scores of the rows, and the mean of all models for new ones."""
    unseen, new = np.empty(len(y)), []
    for held in range(fold.max() + 1):
        model = make(held).fit(X[fold != held], y[fold != held])
        unseen[fold == held] = score(model, X[fold == held])
        new.append(score(model, X_new))
    return unseen, np.mean(new, axis=0)


def of_svm(model, X):
    return expit(2 * model.decision_function(X))


def of_probability(model, X):
    return model.predict_proba(X)[:, 1]


def platt(scores, y):
    """The curve of the recipe: Platt's targets, log loss, penalty (a - 1)^2 / 2."""
    z = logit(np.clip(scores, 1e-5, 1 - 1e-5))
    mean, spread = z.mean(), z.std()
    n_positive, n_negative = y.sum(), len(y) - y.sum()
    target = np.where(y == 1, (n_positive + 1) / (n_positive + 2), 1 / (n_negative + 2))

    def loss(at):
        line = at[0] * (z - mean) / spread + at[1]
        return np.sum(np.logaddexp(0, line) - target * line) + (at[0] - 1) ** 2 / 2

    a, b = minimize(loss, [1.0, 0.0], method="BFGS").x
    return lambda new: a * (logit(np.clip(new, 1e-5, 1 - 1e-5)) - mean) / spread + b


def members_by_hand(X, y, X_new):
    forests = [
        ImbalancedForestClassifier(random_state=SEED).fit(X, y),
        ImbalancedForestClassifier(100, splitter="random", random_state=SEED + 1).fit(X, y),
    ]
    found = [(f.oob_decision_function_[:, 1], f.predict_proba(X_new)[:, 1]) for f in forests]
    fold = deal_folds(Rows(X, y.astype(np.uint8), None), 5, SEED)
    for make, score in (
        (boosted, of_probability),
        (lambda held: svm(), of_svm),
        (lambda held: logistic(), of_probability),
    ):
        found.append(committee(fold, X, y, make, score, X_new))
    return found


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_the_blend_is_the_recipe():
    X, y = numbers()
    X_new = numbers(300, seed=1).X
    blend = ImbalancedBlendClassifier(random_state=SEED).fit(X, y)
    unseen, new = [], []
    for of_rows, of_new in members_by_hand(X, y, X_new):
        curve = platt(of_rows, y)
        unseen.append(curve(of_rows))
        new.append(curve(of_new))
    np.testing.assert_allclose(
        blend.oob_decision_function_[:, 1], expit(np.mean(unseen, axis=0)), atol=2e-6
    )
    np.testing.assert_allclose(
        blend.predict_proba(X_new)[:, 1], expit(np.mean(new, axis=0)), atol=2e-6
    )
    best = max(
        (2 * y[blend.oob_decision_function_[:, 1] > cut].sum())
        / (y.sum() + (blend.oob_decision_function_[:, 1] > cut).sum())
        for cut in blend.oob_decision_function_[:, 1]
    )
    decided = blend.oob_decision_function_[:, 1] > blend.threshold_
    assert 2 * y[decided].sum() / (y.sum() + decided.sum()) == pytest.approx(best)


def test_levels_are_one_hot_for_machines():
    problem = levels()
    blend = ImbalancedBlendClassifier(("logistic",))
    sample = read_rows(blend, problem.X, problem.y, None)
    rows = sample.to_grow
    machine = fit_kernel_machine(rows, level_counts(sample.columns, 7))
    scaled = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
    known = OneHotEncoder(categories=[[0.0, 1.0, 2.0, 3.0]], handle_unknown="ignore")
    expected = make_pipeline(
        ColumnTransformer([("numbers", scaled, slice(0, 6)), ("levels", known, [6])]),
        SVC(C=3, gamma="scale", class_weight="balanced"),
    ).fit(rows.matrix, rows.is_positive)
    np.testing.assert_allclose(
        machine.distances(rows.matrix), expected.decision_function(rows.matrix), atol=1e-9
    )
