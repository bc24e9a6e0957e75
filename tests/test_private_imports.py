"""Private modules of scikit-learn change without notice; none may be imported."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = sorted(
    path for folder in ("src", "tests", "benchmarks") for path in (ROOT / folder).rglob("*.py")
)


def imported_names(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def private_imports(code):
    paths = [name.split(".") for name in imported_names(ast.parse(code))]
    return [
        ".".join(path)
        for path in paths
        if path[0] == "sklearn" and any(re.match(r"_[^_]", part) for part in path)
    ]


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_source_imports_no_private_module_of_scikit_learn(path):
    assert private_imports(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "code",
    [
        "import sklearn.tree._tree",
        "from sklearn.tree._tree import Tree",
        "from sklearn.utils import _param_validation",
        "def f():\n    from sklearn.utils._tags import Tags",
    ],
)
def test_private_import_is_found(code):
    assert len(private_imports(code)) == 1
