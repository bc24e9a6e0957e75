"""Private modules of scikit-learn change without notice; none may be imported."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCES = sorted(
    path
    for folder in ("src", "tests", "benchmarks", "studies")
    for path in (ROOT / folder).rglob("*.py")
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


def test_no_source_imports_a_private_module_of_scikit_learn():
    found = {path: private_imports(path.read_text(encoding="utf-8")) for path in SOURCES}
    assert {path: names for path, names in found.items() if names} == {}
