"""What cannot be taken over is refused with one sentence."""

import subprocess
import sys

import lightgbm
import numpy as np
import pandas as pd
import pytest
import xgboost
from sklearn.ensemble import (
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from tests.table_factory import Table
from thresher import ThresholdClassifier, convert

X, Y = Table(rows=200, share=0.3).numpy()
THREE = np.arange(200) % 3


def of_lightgbm(y=Y, **more):
    options = {"objective": "binary", "verbose": -1} | more
    return lightgbm.train(options, lightgbm.Dataset(X, y), 3)


def own_objective(predicted, data):
    return predicted - data.get_label(), np.ones_like(predicted)


def of_xgboost(y=Y, **more):
    options = {"objective": "binary:logistic"} | more
    return xgboost.train(options, xgboost.DMatrix(X, y), 3)


class CatBoostClassifier:
    __module__ = "catboost.core"


REFUSED = {
    "a threshold around trees": (
        ThresholdClassifier(DecisionTreeClassifier()).fit(X, Y),
        r"ThresholdClassifier\(convert\(estimator\), cv='prefit'\)",
    ),
    "private trees": (HistGradientBoostingClassifier().fit(X, Y), "keeps its trees to itself"),
    "no trees": (LogisticRegression().fit(X, Y), "not LogisticRegression of sklearn"),
    "a regressor": (DecisionTreeRegressor().fit(X, Y), "not DecisionTreeRegressor of sklearn"),
    "catboost": (CatBoostClassifier(), "not CatBoostClassifier of catboost"),
    "three classes of trees": (DecisionTreeClassifier().fit(X, THREE), "has 3"),
    "two targets": (RandomForestClassifier(2).fit(X, np.c_[Y, THREE]), "has 2 targets"),
    "one class": (DecisionTreeClassifier().fit(X, np.zeros(200)), "has 1"),
    "an init of its own": (
        GradientBoostingClassifier(init=LogisticRegression()).fit(X, Y),
        "the init of this one is LogisticRegression",
    ),
    "three classes of LightGBM": (
        of_lightgbm(THREE, objective="multiclass", num_class=3),
        "this LightGBM model has more",
    ),
    "regression of LightGBM": (of_lightgbm(objective="regression"), "this one has regression"),
    "LightGBM's own objective": (
        of_lightgbm(objective=own_objective),
        "this one has one of its own",
    ),
    "linear trees": (of_lightgbm(linear_tree=True), "takes no linear trees"),
    "three classes of XGBoost": (
        of_xgboost(THREE, objective="multi:softprob", num_class=3),
        "this XGBoost model has more",
    ),
    "another objective": (of_xgboost(objective="binary:hinge"), "this one has binary:hinge"),
    "gblinear": (of_xgboost(booster="gblinear"), "is gblinear"),
    "levels that XGBoost breaks": (
        xgboost.XGBClassifier(n_estimators=2, enable_categorical=True).fit(
            pd.DataFrame({"line": pd.Categorical(np.where(Y, "süd", "nord"))}), Y
        ),
        "'line' has levels with letters beyond ASCII",
    ),
    "another gap": (
        xgboost.XGBClassifier(n_estimators=2, missing=-1.0).fit(X, Y),
        r"takes -1\.0 for a missing value",
    ),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    model, sentence = REFUSED[name]
    with pytest.raises((TypeError, ValueError), match=sentence) as error:
        convert(model)
    assert str(error.value).count(". ") == 0


@pytest.mark.parametrize(
    "model",
    [
        DecisionTreeClassifier(),
        GradientBoostingClassifier(),
        lightgbm.LGBMClassifier(),
        xgboost.XGBClassifier(),
    ],
)
def test_models_that_are_not_fitted(model):
    with pytest.raises(NotFittedError):
        convert(model)


def test_rows_that_the_original_would_refuse():
    model = convert(GradientBoostingClassifier(n_estimators=2).fit(X, Y))
    rows = X.copy()
    rows[3, 1] = np.nan
    with pytest.raises(ValueError, match="NaN in column 1, row 3"):
        model.predict(rows)
    model = convert(of_lightgbm())
    rows[3] = np.inf
    with pytest.raises(ValueError, match="infinity: column 0, row 3"):
        model.predict(rows)
    with pytest.raises(ValueError, match="pos_label=7 is none of the classes"):
        convert(of_lightgbm(), pos_label=7)


def test_no_library_is_imported_to_convert():
    code = (
        "import sys, thresher.converters.convert; print({'lightgbm', 'xgboost'} & {*sys.modules})"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "set()"
