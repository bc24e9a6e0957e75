"""XGBoost's JSON has changed: weights of dropped trees stood elsewhere before 3.4."""

import json

import numpy as np
import pytest
import xgboost

from tests.table_factory import Table
from thresher.converters.xgboost import read_xgboost

X, Y = Table(rows=300, columns=4, share=0.4).numpy()


class Stored:
    """A booster that says what it is in JSON, and nothing else."""

    def __init__(self, document):
        self.document = document

    def save_raw(self, _form):
        return json.dumps(self.document).encode()


@pytest.fixture(scope="module")
def dropped():
    model = xgboost.XGBClassifier(booster="dart", rate_drop=0.5, n_estimators=8, max_depth=2)
    return json.loads(bytes(model.fit(X, Y).get_booster().save_raw("json")))


def in_form(document, is_new):
    """Return the document as XGBoost writes it since 3.4, or as it did before."""
    document = json.loads(json.dumps(document))
    part = document["learner"]["gradient_booster"]
    inner = part["gbtree"]["model"] if part["name"] == "dart" else part["model"]
    weights = part.pop("weight_drop", None) or inner.pop("weight_drop")
    assert min(weights) < 1.0
    document["learner"]["gradient_booster"] = (
        {"name": "gbtree", "model": inner | {"weight_drop": weights}}
        if is_new
        else {"name": "dart", "gbtree": {"model": inner}, "weight_drop": weights}
    )
    return document


def test_both_forms_say_the_same(dropped):
    old, new = (read_xgboost(Stored(in_form(dropped, is_new))) for is_new in (False, True))
    np.testing.assert_array_equal(old.trees.value, new.trees.value)
    plain = in_form(dropped, True)
    del plain["learner"]["gradient_booster"]["model"]["weight_drop"]
    assert not np.array_equal(read_xgboost(Stored(plain)).trees.value, new.trees.value)
