"""On the pooled out-of-fold metric never worse than TunedThresholdClassifierCV, same folds."""

import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import (
    balanced_accuracy_score,
    f1_score,
    fbeta_score,
    make_scorer,
    matthews_corrcoef,
)
from sklearn.model_selection import (
    StratifiedKFold,
    TunedThresholdClassifierCV,
    cross_val_predict,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from thresher import ThresholdClassifier
from thresher.datasets import load_dataset


def f2_score(y, decision):
    return fbeta_score(y, decision, beta=2.0)


METRICS = {
    "f1": ({}, f1_score),
    "fbeta": ({"beta": 2.0}, f2_score),
    "bcr": ({}, balanced_accuracy_score),
    "mcc": ({}, matthews_corrcoef),
}
TABLES = {
    "Yeast-me1": lambda: load_dataset("Yeast-me1"),
    "Pageblocks0": lambda: load_dataset("Pageblocks0"),
    "made": lambda: make_classification(
        800, n_informative=4, weights=[0.92], flip_y=0.05, random_state=3
    ),
}
ESTIMATORS = {
    "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
    "tree": DecisionTreeClassifier(min_samples_leaf=10, random_state=0),
}


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("rule", METRICS)
def test_never_worse_than_scikit_learn(rule, table, estimator):
    X, y = TABLES[table]()
    parameters, metric = METRICS[rule]
    model, cv = ESTIMATORS[estimator], StratifiedKFold(5, shuffle=True, random_state=0)
    ours = ThresholdClassifier(model, rule, cv=cv, n_bootstrap=0, **parameters).fit(X, y)
    theirs = TunedThresholdClassifierCV(model, scoring=make_scorer(metric), cv=cv).fit(X, y)
    p = cross_val_predict(model, X, y, cv=cv, method="predict_proba")[:, 1]
    our_value = metric(y, p > ours.threshold_)
    # scikit-learn decides by >=.
    their_value = metric(y, p >= theirs.best_threshold_)
    assert our_value >= their_value - 1e-12
