"""The Python module: nothing but Python, any depth, any name."""

import ast
import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from tests.export.engines import plain_columns
from tests.export.made_trees import chain
from tests.export.scored_models import KINDS, make_model
from tests.export.test_exports import check
from tests.export.test_sql import Contrary
from thresher import ImbalancedTreeClassifier, LeastSquaresClassifier, export_python


@pytest.mark.parametrize("seed", range(len(KINDS)))
def test_it_runs_in_an_interpreter_without_packages(seed, tmp_path):
    model, rows = make_model(seed)
    (tmp_path / "model.py").write_text(export_python(model), encoding="utf-8")
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


def test_it_imports_nothing_but_math():
    model, _ = make_model(3)
    imported = [
        alias.name
        for node in ast.walk(ast.parse(export_python(model)))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    ]
    assert imported == ["math"]


def test_a_chain_of_20000_splits():
    model = chain(20_000, to_left=False)
    X = np.array([[-1.0], [0.0], [9999.5], [20_001.0], [np.nan]])
    assert export_python(model, verify=X)


def test_classes_and_names_cannot_break_out(tmp_path):
    """Quotes, line ends and code in names stay texts."""
    evil = '"""\nraise SystemExit("broken out")\n"""'
    X = pd.DataFrame({evil: np.arange(20.0)})
    model = ImbalancedTreeClassifier("gini").fit(X, np.where(X[evil] > 15, evil, "\\"))
    module = {}
    exec(export_python(model, verify=X), module)
    assert module["predict"]({evil: 17.0})["decision"] == evil


def test_what_predict_refuses_is_refused():
    X, y = np.arange(20.0)[:, None], np.arange(20) > 15
    tree, line = {}, {}
    exec(export_python(ImbalancedTreeClassifier("gini").fit(X, y)), tree)
    exec(export_python(LeastSquaresClassifier().fit(X, y)), line)
    for module, value, message in [
        (tree, float("inf"), "is infinite"),
        (line, None, "is missing"),
        (line, float("nan"), "is missing"),
    ]:
        with pytest.raises(ValueError, match=message):
            module["predict"]({"x[0]": value})
    with pytest.raises(KeyError):
        tree["predict"]({})


def test_a_difference_is_refused():
    X, y = np.arange(20.0)[:, None], np.arange(20) > 15
    with pytest.raises(ValueError, match="The Python module does not agree with the model on 20"):
        export_python(Contrary("gini").fit(X, y), verify=X)
