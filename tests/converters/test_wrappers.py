"""What stands around the trees: classes, names, levels, early stopping, the positive class."""

import lightgbm
import numpy as np
import pandas as pd
import polars as pl
import pytest
import xgboost
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

from tests.model_file.copies import copied
from thresher import convert
from thresher.export import to_onnx, to_python, to_sql

RANDOM = np.random.default_rng(0)
N = 600
LEVELS = ["north", "south", "east", "west", "a b"]
FRAME = pd.DataFrame(
    {
        "speed": RANDOM.normal(size=N),
        "line": pd.Categorical(RANDOM.choice(LEVELS, N), categories=LEVELS[::-1]),
        "load": np.where(RANDOM.random(N) < 0.1, np.nan, RANDOM.normal(size=N)),
        "shift": pd.Categorical(RANDOM.choice([30, 10, 20], N), categories=[30, 10, 20]),
    }
)
FRAME.loc[::17, "line"] = np.nan
WEST = FRAME["line"].isin(["west", "a b"]).to_numpy() * 1.0
SCORE = FRAME["speed"] + 2.0 * WEST + (FRAME["shift"] == 10) * FRAME["load"].fillna(1.0)
Y = np.where(SCORE + RANDOM.normal(size=N) > 2.0, "scrap", "ok")
IS_SCRAP = (Y == "scrap").astype(int)


def lightgbm_model(**more):
    return lightgbm.LGBMClassifier(
        n_jobs=1, n_estimators=30, min_child_samples=5, min_data_per_group=2, verbose=-1, **more
    )


def xgboost_model(**more):
    return xgboost.XGBClassifier(
        n_estimators=30, enable_categorical=True, max_cat_to_onehot=1, **more
    )


def unknown_levels(frame):
    """Return the frame with levels in another order, one of which no model has seen."""
    line = frame["line"].astype(object).where(frame["speed"] > -1.0, "new")
    return frame.assign(line=pd.Categorical(line, categories=["new", *LEVELS]))


@pytest.mark.parametrize("make", [lightgbm_model, xgboost_model])
def test_levels_of_data_frames(make):
    original = make().fit(FRAME, IS_SCRAP)
    model = convert(original)
    assert model.columns_.names == tuple(FRAME.columns)
    assert model.columns_.levels == (None, tuple(sorted(LEVELS)), None, (10.0, 20.0, 30.0))
    assert (model.trees_.level_set >= 0).any()
    expected = original.predict_proba(FRAME)[:, 1]
    for frame in (FRAME, FRAME[FRAME.columns[::-1]], pl.from_pandas(FRAME)):
        found = model.predict_proba(frame)[:, 1].astype(expected.dtype)
        assert (np.abs(found - expected) <= np.spacing(expected)).all()
    assert "SELECT" in to_sql(model, "parts", "duckdb", verify=FRAME)
    assert "def predict" in to_python(model, verify=FRAME)
    assert to_onnx(model, verify=FRAME).graph.node
    again = copied(model)
    assert again.predict_proba(FRAME).tobytes() == model.predict_proba(FRAME).tobytes()


def test_unknown_levels_go_where_lightgbm_sends_them():
    original, frame = lightgbm_model().fit(FRAME, Y), unknown_levels(FRAME)
    expected = original.predict_proba(frame)[:, 1]
    found = convert(original).predict_proba(frame)[:, 1]
    assert (np.abs(found - expected) <= np.spacing(expected)).all()


def test_more_levels_than_trees_here_have():
    levels = [f"part {number:03}" for number in range(400)]
    codes = RANDOM.integers(0, 400, 3000)
    frame = pd.DataFrame({"part": pd.Categorical.from_codes(codes, levels), "x": codes * 0.0})
    y = (codes % 7 == 0).astype(int)
    original = lightgbm_model(max_cat_threshold=400, cat_smooth=0.0).fit(frame, y)
    model = convert(original)
    expected = original.predict_proba(frame)[:, 1]
    for one in (model, copied(model)):
        assert (np.abs(one.predict_proba(frame)[:, 1] - expected) <= np.spacing(expected)).all()
    with pytest.raises(ValueError, match="Column 'part' has 400 levels"):
        model.to_tree(8, X=frame, y=y)


@pytest.mark.parametrize("make", [lightgbm_model, xgboost_model])
def test_trees_behind_the_best_iteration_are_left_out(make):
    X, y = FRAME[["speed", "load"]].to_numpy(), IS_SCRAP
    train, test, y_train, y_test = train_test_split(X, y, random_state=0)
    if make is lightgbm_model:
        stop = lightgbm.early_stopping(3, verbose=False)
        original = make(learning_rate=0.5)
        data = {"eval_X": test, "eval_y": y_test, "callbacks": [stop]}
        original.fit(train, y_train, **data)
        best = original.best_iteration_
    else:
        original = make(learning_rate=0.9, early_stopping_rounds=3)
        original.fit(train, y_train, eval_set=[(test, y_test)], verbose=False)
        best = original.best_iteration + 1
    model = convert(original)
    assert len(model.trees_) == best < 30
    expected = original.predict_proba(X)[:, 1]
    found = model.predict_proba(X)[:, 1].astype(expected.dtype)
    assert (np.abs(found - expected) <= np.spacing(expected)).all()
    assert (model.predict(X) == original.predict(X)).all()


def test_an_xgboost_booster_alone_uses_all_trees():
    X = FRAME[["speed", "load"]].to_numpy()
    data = xgboost.DMatrix(X, IS_SCRAP)
    options = {"objective": "binary:logistic", "eta": 0.9}
    valid = xgboost.DMatrix(X[::2], 1 - IS_SCRAP[::2])
    booster = xgboost.train(
        options, data, 20, evals=[(valid, "v")], early_stopping_rounds=2, verbose_eval=False
    )
    model = convert(booster)
    assert len(model.trees_) == booster.num_boosted_rounds() > booster.best_iteration + 1
    raw = booster.predict(data, output_margin=True)
    np.testing.assert_array_equal(model.predict_score(X), raw)


def test_classes_and_names():
    model = convert(lightgbm_model().fit(FRAME, Y))
    assert model.classes_.tolist() == ["ok", "scrap"]
    assert (model.pos_label_, model.positive_index_, model.threshold_) == ("scrap", 1, 0.5)
    assert model.feature_names_in_.tolist() == list(FRAME.columns)
    assert model.n_features_in_ == 4
    spaces = FRAME[["speed", "load"]].rename(columns={"speed": "the speed"})
    original = lightgbm_model().fit(spaces, Y)
    with pytest.raises(ValueError, match=r"'the_speed' not found; .* give names= to convert"):
        convert(original).predict(spaces)
    with pytest.raises(ValueError, match=r"'the_speed' not found\.$"):
        convert(original).predict(FRAME[["speed", "load"]])
    renamed = convert(original, names=list(spaces.columns))
    assert (renamed.predict(spaces) == original.predict(spaces)).all()
    with pytest.raises(ValueError, match="names must be 2 different texts"):
        convert(original, names=["a"])


def test_the_other_class_decides_alike_at_ties():
    X = np.repeat([[0.0], [1.0], [2.0]], 20, axis=0)
    y = np.array(["a", "b"] * 10 + ["a"] * 20 + ["b"] * 20)
    for original in (DecisionTreeClassifier(), RandomForestClassifier(7, bootstrap=False)):
        original.fit(X, y)
        expected = original.predict(X)
        assert set(expected[:20]) == {"a"}
        for label in "ab":
            model = convert(original, pos_label=label)
            assert model.pos_label_ == label
            assert (model.predict(X) == expected).all()
            assert ((model.decision_function(X) > 0) <= (expected == "b")).all()
