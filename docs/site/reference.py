"""The API reference: pages for every public name, written from `__all__` as the site is made."""

import ast
import inspect
import re
from functools import cache
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # tests read the names where Sphinx is not installed
    from sphinx.application import Sphinx

# Every module whose names are public, in the order of the reference.
MODULES = (
    "thresher",
    "thresher.plant",
    "thresher.action",
    "thresher.tables",
    "thresher.export",
    "thresher.report",
    "thresher.scale",
    "thresher.mlflow",
    "thresher.datasets",
    "thresher.study",
    "thresher.criteria",
    "thresher.errors",
)

DOCS = Path(__file__).parents[1]
FOLDER = DOCS / "reference"

CLASS = "   :members:\n   :inherited-members:\n"

SECTION = re.compile(r"^(Parameters|Returns|Yields)\n-{3,}$", re.MULTILINE)


def public_names(module: str) -> list[str]:
    """Return what a module offers: its `__all__`, otherwise the classes that it defines."""
    home = import_module(module)
    names = getattr(home, "__all__", None)
    if names is None:
        names = [name for name, value in vars(home).items() if _is_defined_in(module, value)]
    return [name for name in names if not name.startswith("__")]


def pages() -> dict[str, str]:
    """Return the reference by file name: for each class and function, and each module."""
    found = {"index.rst": _index()}
    for module in MODULES:
        names = {name: getattr(import_module(module), name) for name in public_names(module)}
        found[f"{module}.rst"] = _module_page(module, names)
        for name, value in names.items():
            if _has_page(value):
                found[f"{module}.{name}.rst"] = _titled(name) + _directive(module, name, value)
    return found


def is_for_users(name: str, method: Any) -> bool:
    """Tell whether a method is published; the others are steps of our own that may change.

    It is if its docstring has a section of parameters or returns, if scikit-learn's estimators have
    a method of that name, or if a page of the guide or an example names it as code.
    """
    words = inspect.getdoc(method) or ""
    return bool(SECTION.search(words)) or name in _known_methods() or _is_in_guide(name)


def write_pages(_app: "Sphinx") -> None:
    """Write the pages that have changed, and remove those of names that are gone."""
    FOLDER.mkdir(exist_ok=True)
    wanted = pages()
    for path in FOLDER.glob("*.rst"):
        if path.name not in wanted:
            path.unlink()
    for name, text in wanted.items():
        _write_if_changed(FOLDER / name, text)


def setup(app: "Sphinx") -> dict[str, Any]:
    """Tell Sphinx what to call, and when."""
    app.connect("builder-inited", write_pages, priority=100)
    app.connect("autodoc-skip-member", _skip)
    app.connect("autodoc-process-docstring", _say_of_data)
    return {"parallel_read_safe": True}


def _is_defined_in(module: str, value: Any) -> bool:
    return inspect.isclass(value) and value.__module__ == module


def _has_page(value: Any) -> bool:
    return callable(value) and not _is_error(value)


def _is_error(value: Any) -> bool:
    return inspect.isclass(value) and issubclass(value, BaseException)


def _index() -> str:
    intro = "Every public name. What is not listed here may change from version to version.\n\n"
    entries = "".join(f"   {module}\n" for module in MODULES)
    tree = f".. toctree::\n   :hidden:\n\n{entries}\n"
    return _titled("Reference") + intro + tree + "\n".join(map(_index_part, MODULES))


def _index_part(module: str) -> str:
    title = f":doc:`{module} <{module}>`"
    words = _first_sentence(inspect.getdoc(import_module(module)) or "")
    rows = "".join(
        f"   * - :py:obj:`{name} <{module}.{name}>`\n     - {_summary(module, name)}\n"
        for name in sorted(public_names(module), key=str.lower)
    )
    table = f".. list-table::\n   :widths: 35 65\n\n{rows}"
    return f"{title}\n{'-' * len(title)}\n\n{words}\n\n{table}"


def _summary(module: str, name: str) -> str:
    value = getattr(import_module(module), name)
    return _first_sentence(inspect.getdoc(value) if callable(value) else _said_of(module, name))


def _first_sentence(words: str | None) -> str:
    return " ".join((words or "").partition("\n\n")[0].split())


def _said_of(module: str, name: str) -> str:
    """Return the words below the assignment of a name, wherever in the folder it stands."""
    for path in sorted(Path(inspect.getfile(import_module(module))).parent.rglob("*.py")):
        for line, below in pairwise(ast.parse(path.read_text(encoding="utf-8")).body):
            if _assigns(line, name) and isinstance(below, ast.Expr):
                return str(ast.literal_eval(below.value))
    raise ValueError(f"{module}.{name} has no words below its assignment")


def _assigns(line: ast.stmt, name: str) -> bool:
    targets = [line.target] if isinstance(line, ast.AnnAssign) else getattr(line, "targets", [])
    return any(isinstance(target, ast.Name) and target.id == name for target in targets)


def _module_page(module: str, names: dict[str, Any]) -> str:
    text = _titled(module) + f"{inspect.getdoc(import_module(module))}\n\n"
    paged = [name for name, value in names.items() if _has_page(value)]
    if paged:
        shown = "".join(f"   ~{module}.{name}\n" for name in paged)
        pages = "".join(f"   {module}.{name}\n" for name in paged)
        text += f".. autosummary::\n\n{shown}\n.. toctree::\n   :hidden:\n\n{pages}\n"
    rest = (name for name in names if name not in paged)
    return text + "\n".join(_directive(module, name, names[name]) for name in rest)


def _directive(module: str, name: str, value: Any) -> str:
    if _is_error(value):
        return f".. autoexception:: {module}.{name}\n"
    if inspect.isclass(value):
        return f".. autoclass:: {module}.{name}\n{CLASS}"
    kind = "autofunction" if callable(value) else "autodata"
    options = "" if callable(value) else "   :no-value:\n"
    return f".. {kind}:: {module}.{name}\n{options}"


def _skip(
    _app: "Sphinx", _what: str, name: str, value: Any, skip: bool, _options: Any
) -> bool | None:
    # What the base classes of others bring is documented there.
    home = getattr(value, "__module__", None) or ""
    foreign = home.startswith("sklearn") or name.endswith("_request")
    inside = inspect.isroutine(value) and not name.startswith("_") and not is_for_users(name, value)
    return True if foreign or inside else None


def _say_of_data(
    _app: "Sphinx", what: str, name: str, _value: Any, _options: Any, lines: list[str]
) -> None:
    # Sphinx would take the words of the type, such as those of every tuple.
    if what == "data":
        lines[:] = [_said_of(*name.rsplit(".", 1))]


@cache
def _known_methods() -> frozenset[str]:
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler
    from sklearn.tree import DecisionTreeClassifier

    owners = (DecisionTreeClassifier, LogisticRegression, StandardScaler)
    return frozenset(name for owner in owners for name in dir(owner))


@cache
def _is_in_guide(name: str) -> bool:
    return re.search(rf"[.`]{name}\b", _guide()) is not None


@cache
def _guide() -> str:
    pages = (*DOCS.glob("*.md"), *DOCS.parent.glob("examples/*/*.py"))
    return "\n".join(page.read_text(encoding="utf-8") for page in sorted(pages))


def _titled(title: str) -> str:
    return f"{title}\n{'=' * len(title)}\n\n"


def _write_if_changed(path: Path, text: str) -> None:
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
