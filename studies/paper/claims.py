"""The paper's claims about its study, judged by its own printed tables and by ours."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from studies.paper.printed_tables import PaperTable, paper_table
from thresher.study import Ranking, Scores, StudyError, StudyResult
from thresher.study.methods import CONTROL
from thresher.study.results import p_text, rank
from thresher.text_table import TextTable

CORRECTIONS = ("CS", "US", "OS")
CORRECTED = ("LinR", "LogR")

TOLERANCE = {"f1": 0.02, "accuracy": 0.005}
"""How far ARDT's mean may be from the printed one to count as reproduced."""

PRINTED_ZERO = 0.005
"""A printed 0.00 is below this."""


@dataclass(frozen=True)
class Beside:
    """One measure: our scores and the printed ones of the same data sets and methods."""

    ours: Ranking
    paper: PaperTable

    @property
    def here(self) -> Scores:
        """Our scores."""
        return self.ours.scores

    @property
    def printed(self) -> Scores:
        """The paper's scores of the data sets and methods that we have."""
        return self.paper.scores.restricted(self.here.datasets, self.here.methods)

    def means(self, method: str) -> tuple[float, float]:
        """Return the means of a method over the data sets: printed, here."""
        return float(self.printed.column(method).mean()), float(self.here.column(method).mean())

    def gap(self, method: str) -> float:
        """Return the mean absolute difference of a method over the data sets."""
        return float(np.abs(self.here.column(method) - self.printed.column(method)).mean())


def beside_paper(study: StudyResult, measure: str) -> Beside:
    """Return what is known of a measure both here and in the paper.

    Raises
    ------
    StudyError
        If there is no data set and method that both have.
    """
    paper = paper_table(measure)
    scores = study.scores(measure)
    datasets = [name for name in paper.scores.datasets if name in scores.datasets]
    methods = [name for name in paper.scores.methods if name in scores.methods]
    part = scores.restricted(datasets, methods).complete()
    if not part.values.size:
        raise StudyError("The study has no complete result of a data set and method of the paper.")
    return Beside(rank(part, CONTROL), paper)


class PaperClaim(NamedTuple):
    """A sentence of the paper; what its printed tables say of it, and what ours do.

    A verdict is None where there is nothing to judge by.
    """

    text: str
    printed: str
    printed_holds: bool | None
    here: str
    here_holds: bool | None


def judge(f1: Beside, accuracy: Beside) -> list[PaperClaim]:
    """Judge the claims that the study's data sets and methods allow."""
    claims: list[PaperClaim] = []
    for beside, name in ((f1, "f1"), (accuracy, "accuracy")):
        claims += _of_control(beside, TOLERANCE[name])
        claims += _of_tests(beside)
    return [*claims, *_of_corrections(f1, accuracy), *_of_zeros(f1)]


def claims_table(claims: list[PaperClaim]) -> TextTable:
    """Return the claims with both verdicts."""
    rows = [
        [
            claim.text,
            f"{_verdict(claim.printed_holds)}{claim.printed}",
            f"{_verdict(claim.here_holds)}{claim.here}",
        ]
        for claim in claims
    ]
    return TextTable("The paper's claims", ("the paper says", "its printed tables", "here"), rows)


def _verdict(holds: bool | None) -> str:
    return "" if holds is None else "yes: " if holds else "no: "


def _of_control(beside: Beside, tolerance: float) -> Iterator[PaperClaim]:
    """Judge what is said of ARDT alone: its mean, its rank, its first places."""
    if CONTROL not in beside.here.methods:
        return
    heading = beside.paper.heading
    printed, here = beside.means(CONTROL)
    text = f"mean {heading} of {CONTROL} (here within {tolerance:g})"
    yield PaperClaim(text, f"{printed:.3f}", None, f"{here:.3f}", abs(here - printed) <= tolerance)
    yield PaperClaim(
        f"{CONTROL} ranks best in {heading}",
        *_first_place(beside.paper.ranking),
        *_first_place(beside.ours),
    )
    yield PaperClaim(
        f"{CONTROL} outperforms all others on {beside.paper.wins} data sets in {heading}",
        *_wins(beside.paper.ranking, beside.paper.wins),
        *_wins(beside.ours, beside.paper.wins),
    )


def place_of(method: str, ranking: Ranking) -> int:
    """Return the place of a method by average rank, from 1; equal ones share the better."""
    return 1 + sum(rank < ranking.average[method] for rank in ranking.average.values())


def _first_place(ranking: Ranking) -> tuple[str, bool]:
    first = ranking.by_rank[0]
    own = f"{CONTROL} {ranking.average[CONTROL]:.2f}"
    if place_of(CONTROL, ranking) == 1:
        return own, True
    return (
        f"{own} (place {place_of(CONTROL, ranking)}), {first} {ranking.average[first]:.2f}",
        False,
    )


def _wins(ranking: Ranking, claimed: int) -> tuple[str, bool]:
    best = ranking.ranks == ranking.ranks.min(axis=1, keepdims=True)
    is_best = best[:, ranking.scores.methods.index(CONTROL)]
    alone, shared = int((is_best & (best.sum(axis=1) == 1)).sum()), int(is_best.sum())
    return f"{alone} alone, {shared} with ties", shared >= claimed


def _of_tests(beside: Beside) -> Iterator[PaperClaim]:
    """Judge Friedman's test and the group that Holm's procedure keeps."""
    heading, named = beside.paper.heading, beside.paper.kept
    if beside.ours.friedman is not None:
        text = f"the methods differ in {heading} (Friedman)"
        yield PaperClaim(text, *_rejection(beside.paper.ranking), *_rejection(beside.ours))
    if beside.ours.differences and set(named) <= set(beside.here.methods):
        yield PaperClaim(
            f"equivalent to {CONTROL} in {heading} by Holm's procedure: {' and '.join(named)}",
            *_group(beside.paper.ranking, named),
            *_group(beside.ours, named),
        )


def _rejection(ranking: Ranking) -> tuple[str, bool]:
    assert ranking.friedman is not None
    return f"p {p_text(ranking.friedman.f_p)}", ranking.friedman.rejects


def _group(ranking: Ranking, named: tuple[str, ...]) -> tuple[str, bool]:
    kept = [method for method in ranking.kept if method != CONTROL]
    return ", ".join(kept) or "none", set(kept) == set(named)


def _of_corrections(f1: Beside, accuracy: Beside) -> Iterator[PaperClaim]:
    """Judge what weights and sampling do to the linear models, by the means."""
    pairs = [
        (base, f"{base}+{correction}")
        for base in CORRECTED
        for correction in CORRECTIONS
        if {base, f"{base}+{correction}"} <= set(f1.here.methods)
    ]
    if not pairs:
        return
    for beside, text, sign in (
        (f1, "CS, US and OS raise the FSCORE of LinR and LogR", 1),
        (accuracy, "CS, US and OS lower their ACC", -1),
    ):
        risen = np.array(
            [
                np.sign(np.subtract(beside.means(changed), beside.means(base))) == sign
                for base, changed in pairs
            ]
        )
        verdicts = [
            (f"{count} of {len(pairs)}", count == len(pairs)) for count in risen.sum(axis=0)
        ]
        yield PaperClaim(text, *verdicts[0], *verdicts[1])


def _of_zeros(f1: Beside) -> Iterator[PaperClaim]:
    """Judge that DKMDT is not reliable in FSCORE."""
    if "DKMDT" in f1.here.methods:
        counts = [
            int((table.column("DKMDT") < PRINTED_ZERO).sum()) for table in (f1.printed, f1.here)
        ]
        text = "DKMDT fails in FSCORE (data sets with 0.00)"
        yield PaperClaim(text, f"{counts[0]}", counts[0] > 0, f"{counts[1]}", counts[1] > 0)
