"""The pages of the guide and the tools of the site, for their tests."""

import importlib.util
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
EXAMPLES = sorted((ROOT / "examples").glob("*/*.py"))


def tool(path: str) -> ModuleType:
    """Import a file below docs/ that belongs to no package."""
    spec = importlib.util.spec_from_file_location(Path(path).stem, DOCS / path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
