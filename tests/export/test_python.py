"""The Python module: nothing but Python, any depth, any name."""

import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from tests.export.engines import plain_columns
from tests.export.made_trees import chain
from tests.export.test_exports import EXPORTED, check
from tests.zoo import draw_with_rows
from thresher import ImbalancedTreeClassifier, LeastSquaresClassifier
from thresher.export import to_python


@pytest.mark.parametrize("kind", EXPORTED)
def test_it_runs_in_an_interpreter_without_packages(kind, tmp_path):
    model, rows = draw_with_rows(kind, 0)
    (tmp_path / "model.py").write_text(to_python(model), encoding="utf-8")
    columns = plain_columns(rows)
    records = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); import json, model; "
        "print(json.dumps([model.predict(row) for row in json.load(sys.stdin)]))"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code, str(tmp_path)],
        input=json.dumps(records),
        capture_output=True,
        text=True,
        check=True,
    )
    found = json.loads(done.stdout)
    check([(row["probability"], row["decision"], row["leaf"]) for row in found], model, rows)


def test_a_chain_of_20000_splits():
    model = chain(20_000, to_left=False)
    X = np.array([[-1.0], [0.0], [9999.5], [20_001.0], [np.nan]])
    assert to_python(model, verify=X)


def test_classes_and_names_cannot_break_out(tmp_path):
    """Quotes, line ends and code in names stay texts."""
    evil = '"""\nraise SystemExit("broken out")\n"""'
    X = pd.DataFrame({evil: np.arange(20.0)})
    model = ImbalancedTreeClassifier("gini").fit(X, np.where(X[evil] > 15, evil, "\\"))
    module = {}
    exec(to_python(model, verify=X), module)
    assert module["predict"]({evil: 17.0})["decision"] == evil


def test_what_predict_refuses_is_refused():
    X, y = np.arange(20.0)[:, None], np.arange(20) > 15
    tree, line = {}, {}
    exec(to_python(ImbalancedTreeClassifier("gini").fit(X, y)), tree)
    exec(to_python(LeastSquaresClassifier().fit(X, y)), line)
    for module, value, message in [
        (tree, float("inf"), "is infinite"),
        (line, None, "is missing"),
        (line, float("nan"), "is missing"),
    ]:
        with pytest.raises(ValueError, match=message):
            module["predict"]({"x[0]": value})
    with pytest.raises(KeyError):
        tree["predict"]({})
