"""What holds for every kind of fitted model: tests/zoo.py has one of each."""

import pickle
import random
import warnings

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression

import thresher
from tests.model_file.damage import damaged, harm
from tests.zoo import ZOO
from thresher.errors import ModelFileError
from thresher.export import to_onnx, to_python, to_sql
from thresher.model_file.file import StoredModel, from_bytes, to_bytes
from thresher.threshold.rules import RULE_NAMES

every_kind = pytest.mark.parametrize("specimen", ZOO.values(), ids=ZOO)


def content_of(model):
    return to_bytes(StoredModel(model, None))


def answers(specimen, model):
    """Return all that a model says of the rows of the table."""
    X = specimen.rows.X
    said = [model.predict_proba(X), model.predict(X, **specimen.costs)]
    return [*said, model.decide(X)] if specimen.cutoffs == "two" else said


def test_every_public_estimator_rule_and_form_of_cutoffs_is_there():
    models = [specimen.model for specimen in ZOO.values()]
    public = {getattr(thresher, name) for name in thresher.__all__ if name[0].isupper()}
    made = {type(model) for model in models} | {type(getattr(m, "pairs", None)) for m in models}
    assert {kind for kind in public if issubclass(kind, BaseEstimator)} <= made
    assert {getattr(model, "rule", None) for model in models} >= set(RULE_NAMES)
    assert {specimen.cutoffs for specimen in ZOO.values()} == {"one", "two", "groups", "rows"}


@every_kind
def test_the_same_rows_give_the_same_bytes(specimen):
    assert content_of(specimen.fitted_anew()) == content_of(specimen.model)


@every_kind
def test_files_and_pickles_come_back_with_the_same_answers(specimen):
    content = content_of(specimen.model)
    loaded = from_bytes(content, "it").model
    assert content_of(loaded) == content
    for again in (loaded, pickle.loads(pickle.dumps(specimen.model))):
        for found, expected in zip(
            answers(specimen, again), answers(specimen, specimen.model), strict=True
        ):
            np.testing.assert_array_equal(found, expected)


@every_kind
def test_what_is_said_of_a_row_does_not_hang_on_the_rows_beside_it(specimen):
    rows, model = specimen.rows, specimen.model
    some = np.random.default_rng(0).permutation(len(rows.X))[:40]
    costs = {name: values[some] for name, values in specimen.costs.items()}
    alone = model.predict(rows.X.iloc[some], **costs)
    np.testing.assert_array_equal(alone, model.predict(rows.X, **specimen.costs)[some])


@every_kind
def test_classes_with_other_names_are_decided_alike(specimen):
    X, costs, model = specimen.rows.X, specimen.costs, specimen.model
    names = {"ok": "good", "scrap": "bad"}  # in the other order
    renamed = from_bytes(content_of(model), "it").model
    if isinstance(getattr(model, "estimator_", None), LogisticRegression):
        with pytest.raises(TypeError, match="LogisticRegression cannot rename its classes"):
            renamed.rename_classes(names)
        names = {name: name for name in names}
    else:
        assert renamed.rename_classes(names) is renamed
    assert renamed.classes_.tolist() == sorted(names.values())
    assert renamed.pos_label_ == names["scrap"]
    wanted = [names[label] for label in model.predict(X, **costs).tolist()]
    for one in (renamed, from_bytes(content_of(renamed), "it").model):
        assert one.predict(X, **costs).tolist() == wanted
        found = one.predict_proba(X)[:, one.positive_index_]
        np.testing.assert_array_equal(found, model.predict_proba(X)[:, model.positive_index_])


@every_kind
def test_exports_agree_on_every_row(specimen):
    X, model = specimen.rows.X, specimen.model
    verify = {"verify": X} if specimen.cutoffs != "rows" else {}
    if "python" in specimen.exports:
        assert to_python(model, **verify)
    if "sql" in specimen.exports:
        assert to_sql(model, "parts", "sqlite", **verify)
    if "onnx" in specimen.exports:
        assert to_onnx(model, dtype="float64", **verify)


@every_kind
def test_a_damaged_file_is_refused_in_one_sentence_or_does_no_harm(specimen):
    dice, content, refused, loaded = random.Random(0), content_of(specimen.model), 0, 0
    for _ in range(40):
        way, changed = damaged(dice, content)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                again = from_bytes(changed, "it").model
        except ModelFileError as error:
            refused += "\n" not in str(error)
        else:
            assert harm(again, specimen.rows.X) is None, way
            loaded += 1
    assert refused == 40 - loaded > 20
