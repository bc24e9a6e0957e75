"""ONNX graphs: inputs and outputs, missing values, depth, 32 bits, refusals."""

import subprocess
import sys

import numpy as np
import onnx
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier

from tests.export.engines import in_onnxruntime
from tests.export.made_trees import chain
from tests.table_factory import Table
from thresher import ImbalancedForestClassifier, ImbalancedTreeClassifier
from thresher.export import to_onnx
from thresher.export.onnx.trees import DEEPEST, _rounded_down


def shapes(values):
    return {
        value.name: [dim.dim_param or dim.dim_value for dim in value.type.tensor_type.shape.dim]
        for value in values
    }


def test_inputs_and_outputs():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "line": pd.Categorical(rng.choice(["a", "b"], 60)),
            "torque": rng.normal(size=60),
            "tool": pd.Categorical(rng.choice([1.0, 2.0], 60)),
            "flow": rng.normal(size=60),
        }
    )
    y = np.where(X["torque"] + (X["line"] == "b") > 1.0, "scrap", "ok")
    model = ImbalancedTreeClassifier("gini").fit(X, y)
    exported = to_onnx(model, verify=X)
    onnx.checker.check_model(exported, full_check=True)
    assert shapes(exported.graph.input) == {"X": ["n", 2], "line": ["n", 1], "tool": ["n", 1]}
    assert shapes(exported.graph.output) == {"label": ["n"], "probabilities": ["n", 2]}
    # A text that is no level is a missing value.
    inputs = {
        "X": X[["torque", "flow"]].to_numpy(np.float32),
        "line": np.full((60, 1), "unknown", dtype=object),
        "tool": X[["tool"]].to_numpy(np.float32),
    }
    labels, _ = in_onnxruntime(exported, inputs)
    assert labels.tolist() == model.predict(X.assign(line=None)).tolist()


SIDE_THAT_IS_LOST = 0
"""Of the two labels below: where missing values go left, to the smaller values."""


@pytest.mark.parametrize("missing_label", [0, 1])
def test_missing_values_go_to_the_learnt_side_where_others_lose_them(missing_label):
    """skl2onnx writes scikit-learn's tree without its side for NaN; this one is kept."""
    import skl2onnx

    values = np.arange(40.0)
    X = np.append(values, [np.nan] * 10).astype(np.float32)[:, None]
    y = np.append(values > 29, [missing_label] * 10).astype(int)
    missing = np.array([[np.nan], [3.0], [35.0]], dtype=np.float32)
    expected = [missing_label, 0, 1]
    theirs = DecisionTreeClassifier(random_state=0).fit(X, y)
    assert theirs.predict(missing).tolist() == expected
    ours = ImbalancedTreeClassifier("gini").fit(X, y)
    assert ours.predict(missing).tolist() == expected
    labels, _ = in_onnxruntime(to_onnx(ours, verify=missing), {"X": missing})
    assert labels.tolist() == expected
    written = skl2onnx.to_onnx(theirs, X[:1], options={"zipmap": False})
    lost, _ = in_onnxruntime(written, {"X": missing})
    if skl2onnx.__version__ <= "1.20.0":  # a later one may have learnt it
        assert (lost.tolist() == expected) == (missing_label != SIDE_THAT_IS_LOST)


@pytest.mark.parametrize("to_left", [True, False])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_tree_deeper_than_runtimes_can_recurse(to_left, dtype):
    depth = 20_000
    model = chain(depth, to_left=to_left)
    assert depth > 10 * DEEPEST
    values = np.array([-1, 0, 0.5, 1, 511, 512, 513, 1024, 9999.5, depth - 1, depth, depth + 1])
    rows = np.append(values, np.nan)[:, None].astype(dtype)
    labels, probabilities = in_onnxruntime(to_onnx(model, dtype=dtype), {"X": rows})
    assert labels.tolist() == model.predict(rows).tolist()
    assert probabilities.tolist() == model.predict_proba(rows).tolist()


@given(st.floats(allow_nan=False, allow_infinity=False), st.floats(width=32, allow_nan=False))
def test_a_cut_in_32_bits_passes_the_same_numbers_of_32_bits(cut, value):
    rounded = _rounded_down(cut)
    assert rounded.dtype == np.float32
    with np.errstate(over="ignore"):
        near = np.float32(cut)
        below, above = (np.nextafter(near, np.float32(end)) for end in (-np.inf, np.inf))
    for one in (value, float(near), float(below), float(above)):
        if np.isfinite(one):
            assert (one <= float(rounded)) == (one <= cut)


def test_the_reference_of_onnx_agrees():
    """The second implementation of the standard, for want of onnxruntime."""
    from onnx.reference import ReferenceEvaluator

    X, y = Table(rows=200, missing=0.1).numpy()
    model = ImbalancedForestClassifier(10, random_state=0, n_bootstrap=0).fit(X, y)
    labels, probabilities = ReferenceEvaluator(to_onnx(model, dtype="float64")).run(None, {"X": X})
    assert labels.tolist() == model.predict(X).tolist()
    np.testing.assert_allclose(probabilities, model.predict_proba(X), rtol=0, atol=1e-12)


# --------------------------------------------------------------------------------------- refusals


def test_names_and_dtypes_that_cannot_be():
    X = pd.DataFrame({"label": pd.Categorical(["a", "b"] * 10), "x": np.arange(20.0)})
    model = ImbalancedTreeClassifier("gini").fit(X, np.arange(20) > 15)
    with pytest.raises(ValueError, match="category column 'label' cannot be an input"):
        to_onnx(model)
    with pytest.raises(ValueError, match="dtype='float16' is unknown"):
        to_onnx(model, dtype="float16")
    broken = X.set_axis(pd.Index(["li\ud800ne", "x"], dtype=object), axis=1)
    with pytest.raises(ValueError, match=r"li\\ud800ne' is no valid Unicode"):
        to_onnx(ImbalancedTreeClassifier("gini").fit(broken, np.arange(20) % 2))


def test_without_onnx_one_sentence_names_the_extra():
    code = """
import sys
sys.modules["onnx"] = None
import numpy as np
from thresher import ImbalancedTreeClassifier
from thresher.export import to_onnx, to_python
model = ImbalancedTreeClassifier("gini").fit(np.arange(20.0)[:, None], np.arange(20) > 15)
to_python(model)
try:
    to_onnx(model)
except ImportError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "to_onnx needs onnx; pip install 'thresher[onnx]'."
