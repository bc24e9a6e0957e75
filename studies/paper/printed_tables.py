"""What the paper prints of its study: the two tables of results and what its text says of them.

Hong, Ghosh, Srinivasan: Dealing with Class Imbalance using Thresholding (2016), section 5.1.
"""

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from thresher.datasets.catalog import catalog
from thresher.study.methods import CONTROL
from thresher.study.results import Ranking, Scores, rank


@dataclass(frozen=True)
class PaperTable:
    """A table of results as printed, with data sets under their names in our catalogue.

    Attributes
    ----------
    heading : the measure as the paper calls it.
    scores : printed with two decimals.
    ranks : as printed; they come from more decimals than the scores.
    kept : the methods that the text calls equivalent to ARDT.
    wins : the number of data sets on which, by the text, ARDT outperforms all other methods.
    """

    heading: str
    scores: Scores
    ranks: NDArray[np.float64]
    kept: tuple[str, ...]
    wins: int

    @cached_property
    def ranking(self) -> Ranking:
        """The statistics of the printed ranks."""
        return rank(self.scores, CONTROL, self.ranks)


_SAYS = {"f1": ("FSCORE", ("HDDT",), 9), "accuracy": ("ACC", ("HDDT", "DKMDT"), 8)}


@cache
def paper_table(measure: str) -> PaperTable:
    """Return one of the paper's two tables of results.

    Parameters
    ----------
    measure : {"f1", "accuracy"}

    Examples
    --------
    >>> table = paper_table("f1")
    >>> table.scores.of("Thyroid1", "ARDT")
    0.93
    >>> {name: round(rank, 2) for name, rank in table.ranking.average.items()}["ARDT"]
    2.08
    """
    if measure not in _SAYS:
        raise ValueError(f"The paper prints {' and '.join(_SAYS)}, not {measure!r}.")
    rows = _rows(measure)  # one row a cell, in the order of the printed table
    datasets = tuple(dict.fromkeys(row["dataset"] for row in rows))
    methods = tuple(dict.fromkeys(row["method"] for row in rows))
    shape = (len(datasets), len(methods))
    values, ranks = (
        np.array([float(row[name]) for row in rows]).reshape(shape) for name in ("value", "rank")
    )
    heading, kept, wins = _SAYS[measure]
    return PaperTable(heading, Scores(_here(datasets), methods, values), ranks, kept, wins)


def _here(datasets: Iterable[str]) -> tuple[str, ...]:
    """Return the names in our catalogue of data sets under which the paper prints results."""
    names = {info.paper_name: name for name, info in catalog().items()}
    return tuple(names[dataset] for dataset in datasets)


def _rows(name: str) -> list[dict[str, str]]:
    """Read a table of the paper."""
    file = Path(__file__).parent / "printed" / f"paper_{name}.csv"
    return list(csv.DictReader(file.read_text(encoding="utf-8").splitlines()))


def printed_shares() -> dict[str, float]:
    """Return the share of positives of each data set as the paper's list prints it.

    >>> printed_shares()["Letter-A"]
    0.04
    """
    return {row["dataset"]: float(row["share"]) for row in _rows("datasets")}


def paper_datasets() -> tuple[str, ...]:
    """Names of the paper's data sets, in its order.

    >>> len(paper_datasets())
    18
    """
    return paper_table("f1").scores.datasets


def paper_methods() -> tuple[str, ...]:
    """Names of the paper's methods, in its order.

    >>> len(paper_methods())
    13
    """
    return paper_table("f1").scores.methods
