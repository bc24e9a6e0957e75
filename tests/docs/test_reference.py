"""The reference has every public name, and everything that pages and examples import."""

import ast
import pkgutil
import re
from importlib import import_module

import pytest

import thresher
from tests.docs.pages import DOCS, EXAMPLES, ROOT, tool

reference = tool("site/reference.py")
NAMES = {module: set(reference.public_names(module)) for module in reference.MODULES}
# Folders whose `__all__` is for the package itself; what is public of them is named elsewhere.
INSIDE = {"thresher.pairs", "thresher.tree"}
# What pages use to make files for their examples, or to run the command line in them.
SETTING_THE_SCENE = {
    "thresher.cli.main",
    "thresher.tables.excel",
    "thresher.tables.workbook",
    "thresher.column",
}
IMPORT = re.compile(r"^(?:>>> )?from (thresher[\w.]*) import ([\w, ]+|\([^)]*\))", re.MULTILINE)


def test_every_folder_that_offers_names_is_there() -> None:
    assert len(NAMES) == len(reference.MODULES)
    folders = [found.name for found in pkgutil.iter_modules(thresher.__path__, "thresher.")]
    offering = {name for name in folders if hasattr(import_module(name), "__all__")}
    assert offering - INSIDE <= set(reference.MODULES)


@pytest.mark.parametrize("module", reference.MODULES)
def test_every_public_name_has_words(module: str) -> None:
    home = import_module(module)
    assert NAMES[module] >= {name for name in getattr(home, "__all__", ()) if name[0] != "_"}
    assert NAMES[module]
    for name in NAMES[module]:
        value = getattr(home, name)
        assert not callable(value) or (value.__doc__ or "").strip(), name


def test_pages_name_every_public_name() -> None:
    pages = reference.pages()
    written = "\n".join(pages.values())
    for module, names in NAMES.items():
        for name in names:
            assert re.search(rf"auto\w+:: {module}\.{name}\n", written), f"{module}.{name}"


def test_the_index_has_a_sentence_for_every_name() -> None:
    index = reference.pages()["index.rst"]
    for module, names in NAMES.items():
        for name in names:
            assert re.search(rf"<{module}\.{name}>`\n     - \S.*\.\n", index), f"{module}.{name}"


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("fit", True),  # tells its parameters
        ("get_depth", True),  # scikit-learn's trees have it
        ("decide", True),  # the guide uses it
        ("decision_function", True),  # scikit-learn's linear models have it
        ("fit_sample", False),
        ("weighed_trees", False),
        ("node_values", False),
        ("checked_rule", False),
    ],
)
def test_methods_of_our_own_steps_are_left_out(name: str, shown: bool) -> None:
    owners = (
        thresher.ImbalancedTreeClassifier,
        thresher.ImbalancedForestClassifier,
        thresher.ThresholdClassifier,
    )
    method = next(getattr(owner, name) for owner in owners if hasattr(owner, name))
    assert reference.is_for_users(name, method) is shown


def test_what_pages_and_examples_import_is_public() -> None:
    texts = [path.read_text(encoding="utf-8") for path in (*DOCS.glob("*.md"), ROOT / "README.md")]
    found = {pair for text in texts for pair in IMPORT.findall(text)}
    assert len(found) > 20
    imported = {(module, name) for module, names in found for name in re.findall(r"\w+", names)}
    for path in EXAMPLES:
        imported |= _imports(path.read_text(encoding="utf-8"))
    hidden = {(module, name) for module, name in imported if name not in NAMES.get(module, ())}
    assert {module for module, _ in hidden} <= SETTING_THE_SCENE


def _imports(source: str) -> set[tuple[str, str]]:
    return {
        (node.module, name.name)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("thresher")
        for name in node.names
        if node.module
    }
