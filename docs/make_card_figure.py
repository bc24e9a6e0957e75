"""Draw docs/images/card.svg: a score card on one page. `python docs/make_card_figure.py`."""

import sys
from pathlib import Path

import matplotlib as mpl

from thresher import ImbalancedForestClassifier
from thresher.datasets import make_assembly_line

mpl.use("Agg")

TARGET = Path(__file__).parent / "images" / "card.svg"


def main() -> None:
    """Draw the figure; its path may be given."""
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else TARGET
    # Without a date and with fixed ids the file changes only if the figure does.
    mpl.rcParams["svg.hashsalt"] = "thresher"
    # Texts as texts, which keeps the file small.
    mpl.rcParams["svg.fonttype"] = "none"
    line = make_assembly_line(random_state=0)
    forest = ImbalancedForestClassifier(100, random_state=0).fit(line.X[:3000], line.y[:3000])
    metadata = {"Date": None} if target.suffix == ".svg" else None
    forest.to_scorecard().plot().savefig(target, metadata=metadata, dpi=110)


if __name__ == "__main__":
    main()
