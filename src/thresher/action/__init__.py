"""From conditions to actions: which setting to hold where, and what that would bring.

A module `thresher.actions` would hide the function of that name.
"""

from typing import TYPE_CHECKING

from thresher.lazy import importer

if TYPE_CHECKING:
    from thresher.action.experiment import parts_needed
    from thresher.action.smallest_change import WhatIf
    from thresher.action.table import ActionTable

__all__ = ["ActionTable", "WhatIf", "parts_needed"]

_HOME = {
    "ActionTable": "thresher.action.table",
    "WhatIf": "thresher.action.smallest_change",
    "parts_needed": "thresher.action.experiment",
}

__getattr__ = importer(__name__, _HOME)
