"""The defects by name: each changes a draft, most of them in one respect."""

from collections.abc import Callable
from types import MappingProxyType

from tests.tables.dirty import cell_defects, file_defects, number_defects, workbook_defects
from tests.tables.dirty.draft import Draft

Defect = Callable[[Draft], None]


def _public(*modules: object) -> dict[str, Defect]:
    """Return the functions that a module defines itself, in its order."""
    return {
        name: value
        for module in modules
        for name, value in vars(module).items()
        if callable(value)
        and getattr(value, "__module__", "") == module.__name__
        and not name.startswith("_")
    }


WORKBOOK_DEFECTS = MappingProxyType(_public(workbook_defects))
"""Those of Excel files: each of them makes the table a workbook."""

DEFECTS = MappingProxyType(
    {**_public(number_defects, cell_defects, file_defects), **WORKBOOK_DEFECTS}
)
"""All of them."""
