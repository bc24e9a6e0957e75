"""Cuts of rows and groups in files: they come back, decide alike, and are checked."""

import numpy as np
import pandas as pd
import pytest

from tests.model_file.test_bounds import with_field
from thresher import ImbalancedForestClassifier, from_json, load_model, save_model, to_json
from thresher.errors import DamagedModelError
from thresher.model_file.file import StoredModel, from_bytes, to_bytes


@pytest.fixture(scope="module")
def table():
    random = np.random.default_rng(0)
    X = pd.DataFrame({"a": random.normal(size=400), "line": random.choice(["x", "y", "z"], 400)})
    y = (X["a"] + (X["line"] == "x") + random.normal(size=400) > 2).astype(int)
    return X, y, random.uniform(1.0, 20.0, 400)


def models(table):
    X, y, costs = table
    shared = {"n_bootstrap": 0, "random_state": 0}
    by_cost = ImbalancedForestClassifier(6, rule="budget", per_1000=100, **shared)
    by_group = ImbalancedForestClassifier(6, rule="f1", threshold_by="line", **shared)
    return [(by_cost.fit(X, y, cost_fn=costs), {"cost_fn": costs}), (by_group.fit(X, y), {})]


def test_cuts_come_back(table, tmp_path):
    X, *_ = table
    for model, costs in models(table):
        save_model(model, tmp_path / "model.thresher")
        for again in (load_model(tmp_path / "model.thresher"), from_json(to_json(model))):
            assert again.row_cuts_ == model.row_cuts_
            np.testing.assert_array_equal(again.predict(X, **costs), model.predict(X, **costs))
            again.adjust_prior(0.3)
        moved = load_model(tmp_path / "model.thresher").adjust_prior(0.3)
        assert again.row_cuts_ == moved.row_cuts_ != model.row_cuts_


@pytest.mark.parametrize(
    ("place", "field", "value"),
    [
        (0, "fn", -1.0),
        (0, "least_saving", "a"),
        (0, "fn_column", 3),
        (0, "by", "moon"),
        (1, "groups", ["x", "x", "y"]),
        (1, "groups", ["z", "y", "x"]),
        (1, "groups", ["x", 1.0, "y"]),
        (1, "cuts", [0.1, 0.2]),
        (1, "cuts", [0.1, 0.2, None]),
        (1, "column", 3),
    ],
)
def test_unsound_cuts_are_refused(table, place, field, value):
    model, _ = models(table)[place]

    def change(data):
        data["cuts"][field] = value

    changed = with_field(to_bytes(StoredModel(model, None)), change)
    with pytest.raises(DamagedModelError) as refused:
        from_bytes(changed, "it")
    assert "\n" not in str(refused.value)
