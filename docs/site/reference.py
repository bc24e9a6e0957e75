"""The API reference: pages for every public name, written from `__all__` as the site is made."""

import inspect
from importlib import import_module
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
    "thresher.report",
    "thresher.scale",
    "thresher.mlflow",
    "thresher.datasets",
    "thresher.benchmark",
    "thresher.benchmark.paper",
    "thresher.criteria",
    "thresher.errors",
)

FOLDER = Path(__file__).parents[1] / "reference"

CLASS = "   :members:\n   :inherited-members:\n"


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
    return {"parallel_read_safe": True}


def _is_defined_in(module: str, value: Any) -> bool:
    return inspect.isclass(value) and value.__module__ == module


def _has_page(value: Any) -> bool:
    return callable(value) and not _is_error(value)


def _is_error(value: Any) -> bool:
    return inspect.isclass(value) and issubclass(value, BaseException)


def _index() -> str:
    entries = "".join(f"   {module}\n" for module in MODULES)
    intro = "Every public name. What is not listed here may change from version to version.\n\n"
    return _titled("Reference") + intro + ".. toctree::\n   :maxdepth: 2\n\n" + entries


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
    # What scikit-learn's base classes bring is documented there.
    foreign = (getattr(value, "__module__", None) or "").startswith("sklearn")
    return True if foreign or name.endswith("_request") else None


def _titled(title: str) -> str:
    return f"{title}\n{'=' * len(title)}\n\n"


def _write_if_changed(path: Path, text: str) -> None:
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
