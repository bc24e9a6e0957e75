"""Contributions as an object of the package shap, which draws them; the only file that names it."""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from thresher.column import Matrix
from thresher.errors import MissingPackageError
from thresher.explain.weighed import Floats
from thresher.matrix import Columns

PACKAGE = "shap"


def shap_explanation(contributions: Floats, matrix: Matrix, columns: Columns) -> Any:
    """Return a `shap.Explanation`: values, base values, the rows, and names of columns."""
    if find_spec(PACKAGE) is None:
        raise MissingPackageError(
            f"explanation needs the package {PACKAGE}; install thresher[explain], or take "
            "contributions, which need nothing."
        )
    shap = import_module(PACKAGE)
    return shap.Explanation(
        values=contributions[:, :-1],
        base_values=contributions[:, -1],
        data=np.asarray(matrix),
        display_data=_displayed(matrix, columns),
        feature_names=list(columns.wide_names),
    )


def _displayed(matrix: Matrix, columns: Columns) -> Any:
    """Return the rows with levels in the place of their codes, or nothing where there are none."""
    if not columns.is_category.any():
        return None
    shown = np.asarray(matrix).astype(object)
    for place, levels in enumerate(columns.wide_levels):
        if levels is not None:
            texts = [str(getattr(level, "value", level)) for level in levels]
            codes = matrix[:, place]
            shown[:, place] = ["" if code != code else texts[int(code)] for code in codes]
    return shown
