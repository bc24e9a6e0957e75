"""How pictures of the gallery look: set before each example, so that examples need not say it."""

from typing import Any

import matplotlib as mpl

# Colours that differ for colour-blind readers too (Okabe and Ito).
COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")


def apply(_conf: dict[str, Any], _example: str) -> None:
    """Set fonts, colours and spines."""
    mpl.rcParams.update(
        {
            "axes.prop_cycle": mpl.cycler(color=COLORS),
            "axes.spines.top": False,
            "axes.spines.right": False,
            "figure.figsize": (7, 4),
            "figure.dpi": 110,
            "font.size": 10.5,
            "legend.frameon": False,
            "savefig.bbox": "tight",  # a title above a tree is part of the picture
        }
    )
