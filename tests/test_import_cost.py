"""Importing the package and asking for help must not pay for what they do not use."""

import json
import subprocess
import sys

import pytest

HEAVY = {
    "numpy",
    "scipy",
    "sklearn",
    "pandas",
    "polars",
    "pyarrow",
    "narwhals",
    "rich",
    "matplotlib",
}


def modules_after(statement):
    code = f"{statement}\nimport json, sys\nprint(json.dumps(sorted(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(json.loads(run.stdout))


@pytest.mark.parametrize(
    "statement", ["import thresher", "import thresher.cli.main", "import thresher.tables.workbook"]
)
def test_import_loads_nothing_heavy(statement):
    assert modules_after(statement) & HEAVY == set()


def test_formulas_do_not_load_scikit_learn():
    assert "sklearn" not in modules_after("from thresher.criteria import find_alpha")


def test_every_public_name_can_be_loaded():
    loaded = modules_after("import thresher\n[getattr(thresher, name) for name in dir(thresher)]")
    assert {"thresher.linear", "thresher.tree.classifier"} <= loaded


def test_unknown_name_is_an_attribute_error():
    import thresher

    with pytest.raises(AttributeError, match="no attribute 'Thresher'"):
        thresher.Thresher  # noqa: B018 - the access is what is tested
