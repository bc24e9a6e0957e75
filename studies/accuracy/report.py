"""What the runs of the accuracy study say: means, differences with their tests, claims.

A score is the mean over folds and seeds on one set. Tests are Wilcoxon's signed-rank tests, by set
and on the means of families; the interval is the central 95 % of bootstrap samples of families.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.study import StudyResult
from thresher.study.results import wilcoxon
from thresher.text_table import Cell, Row, TextTable

RIVALS = ("LightGBM", "XGBoost", "CatBoost")
MARGIN = 0.01
LEVEL = 0.05
BOOTSTRAPS = 10_000
PAIRS = (
    *(("auto", rival) for rival in RIVALS),
    *(("forest", rival) for rival in RIVALS),
    ("auto", "forest"),
    ("leaf auto", "forest"),
    ("boosted", "LightGBM"),
    ("auto tree", "tree"),
)
"""What is compared with what, where both were run."""

Vector = NDArray[np.float64]


class Gap(NamedTuple):
    """How far a contender is above another one."""

    by_set: float
    wins: int
    ties: int
    losses: int
    p_by_set: float
    by_family: float
    low: float
    high: float
    p_by_family: float


@dataclass(frozen=True)
class Group:
    """The runs of one part of the study, and the family of each of its sets."""

    title: str
    study: StudyResult
    families: Mapping[str, str]

    @cached_property
    def complete(self) -> list[str]:
        """The contenders that have an outcome for every run."""
        lacking = {run.method for run in self.study.runs if run.status != "done"}
        return [name for name in self.study.methods if name not in lacking]

    def scores(self, contender: str, metric: str = "f1") -> Vector:
        """Return a number for each set."""
        return self.study.scores(metric).column(contender)

    def of_families(self, by_set: Vector) -> Vector:
        """Return the mean of each family."""
        return family_means(by_set, [self.families[name] for name in self.study.datasets])

    def gap(self, first: str, second: str, metric: str = "f1") -> Gap:
        """Compare two contenders."""
        families = [self.families[name] for name in self.study.datasets]
        return gap_between(self.scores(first, metric), self.scores(second, metric), families)


def family_means(by_set: Vector, families: Sequence[str]) -> Vector:
    """Return the mean over the sets of each family."""
    names = np.array(families)
    return np.array([by_set[names == family].mean() for family in np.unique(names)])


def gap_between(ours: Vector, theirs: Vector, families: Sequence[str]) -> Gap:
    """Compare two contenders by their scores on each set."""
    sets = wilcoxon(np.column_stack([ours, theirs]), 0)[0]
    means = np.column_stack([family_means(one, families) for one in (ours, theirs)])
    differences = means[:, 0] - means[:, 1]
    return Gap(
        float(np.mean(ours - theirs)),
        *(sets.wins, sets.ties, sets.losses, sets.p),
        float(differences.mean()),
        *interval(differences),
        wilcoxon(means, 0)[0].p,
    )


def interval(differences: Vector) -> tuple[float, float]:
    """Return the central 95 % of the means of bootstrap samples."""
    draws = np.random.default_rng(0).integers(len(differences), size=(BOOTSTRAPS, len(differences)))
    low, high = np.quantile(differences[draws].mean(axis=1), [0.025, 0.975])
    return float(low), float(high)


# ------------------------------------------------------------------------------------------ tables


def report(groups: Iterable[Group]) -> str:
    """Return all tables in Markdown."""
    parts = []
    for group in groups:
        parts += [f"## {group.title}", *(table.as_markdown() for table in tables_of(group))]
    return "\n\n".join(parts) + "\n"


def tables_of(group: Group) -> Iterator[TextTable]:
    yield means_table(group)
    if gaps_of(group):
        yield gap_table(group)
    claims = list(claims_of(group))
    if claims:
        yield TextTable("Claims", ("claim", "found", "holds"), claims)
    if group.complete:
        yield set_table(group)
    failed = list(failures_of(group))
    if failed:
        columns = ("set", "contender", "status", "runs", "why the first")
        yield TextTable("Runs without an outcome", columns, failed)


def means_table(group: Group) -> TextTable:
    names = sorted(group.complete, key=lambda name: -float(np.mean(group.scores(name))))
    rows: list[Row] = [
        [
            name,
            float(np.mean(group.scores(name))),
            float(np.mean(group.of_families(group.scores(name)))),
            float(np.mean(group.scores(name, "average_precision"))),
            Cell(float(np.mean(group.scores(name, "fit_time"))), 2),
        ]
        for name in names
    ]
    columns = ("contender", "F1", "F1, mean of families", "average precision", "CPU of a fit [s]")
    study = group.study
    counts = f"{len(study.datasets)} sets of {len(set(group.families.values()))} families"
    seeds = 1 + max(run.repeat for run in study.runs)
    notes = [f"{counts}, {study.folds} folds, {seeds} seeds; CPU with the choice of the threshold."]
    lacking = [name for name in study.methods if name not in group.complete]
    if lacking:
        notes.append(f"Not complete, hence without a row: {', '.join(lacking)}.")
    return TextTable("Means", columns, rows, notes)


def gaps_of(group: Group) -> list[tuple[str, str]]:
    return [pair for pair in PAIRS if set(pair) <= set(group.complete)]


def gap_table(group: Group) -> TextTable:
    rows: list[Row] = []
    for first, second in gaps_of(group):
        gap = group.gap(first, second)
        rows.append(
            [
                f"{first} - {second}",
                Cell(gap.by_set, 4),
                f"{gap.wins}/{gap.ties}/{gap.losses}",
                Cell(gap.p_by_set, 4),
                Cell(gap.by_family, 4),
                f"{gap.low:.4f} to {gap.high:.4f}",
                Cell(gap.p_by_family, 4),
                Cell(group.gap(first, second, "average_precision").by_set, 4),
            ]
        )
    columns = (
        *("pair", "F1", "better/equal/worse", "p by set"),
        *("F1 by family", "95 %", "p by family", "average precision"),
    )
    return TextTable("Differences", columns, rows)


def set_table(group: Group) -> TextTable:
    by_contender = [group.scores(name).tolist() for name in group.complete]
    rows: list[Row] = [
        [name, group.families[name], *(Cell(value, 3, value == max(values)) for value in values)]
        for name, *values in zip(group.study.datasets, *by_contender, strict=True)
    ]
    return TextTable("F1 by set", ("set", "family", *group.complete), rows)


def failures_of(group: Group) -> Iterator[Row]:
    found: dict[tuple[str, str, str], list[str]] = {}
    for run in group.study.runs:
        if run.status not in ("done", "pending"):
            found.setdefault((run.dataset, run.method, run.status), []).append(run.error or "")
    for key, errors in found.items():
        yield [*key, len(errors), errors[0][:160]]


# ------------------------------------------------------------------------------------------ claims


def claims_of(group: Group) -> Iterator[Row]:
    """Yield each claim of the plan that this group can judge: what, the figures, whether."""
    there = set(group.complete)
    if {"auto", *RIVALS} <= there:
        means = {name: float(np.mean(group.scores(name))) for name in RIVALS}
        best = max(means, key=lambda name: means[name])
        yield _not_below(group, "auto", best)
    for first in ("auto", "leaf auto"):
        if {first, "forest"} <= there:
            yield _above(group, first, "forest", MARGIN if first == "auto" else 0.0)
    yield from _of_manufacturing(group)


def _not_below(group: Group, first: str, second: str) -> Row:
    gap = group.gap(first, second).by_set
    claim = f"{first} is at most {MARGIN:g} below the best rival, {second}"
    return [claim, f"{gap:+.4f}", gap >= -MARGIN]


def _above(group: Group, first: str, second: str, margin: float) -> Row:
    gap = group.gap(first, second)
    how = f" by {margin:g} or more" if margin else ""
    found = f"{gap.by_set:+.4f}, p = {gap.p_by_set:.4f} by set, {gap.p_by_family:.4f} by family"
    holds = gap.by_set >= margin and gap.by_set > 0 and gap.p_by_set < LEVEL
    return [f"{first} is above {second}{how}, p < {LEVEL:g}", found, holds]


def _of_manufacturing(group: Group) -> Iterator[Row]:
    sets = group.study.datasets
    if "ai4i2020" in sets:
        place = sets.index("ai4i2020")
        for name, least in {"auto": 0.86, "auto tree": 0.85}.items():
            if name in group.complete:
                value = float(group.scores(name)[place])
                yield [f"AI4I: F1 of {name} is {least:g} or more", f"{value:.4f}", value >= least]
    steel = [place for place, name in enumerate(sets) if name.startswith("steel")]
    if len(steel) == 4 and {"auto", "LightGBM"} <= set(group.complete):
        gap = float(np.mean((group.scores("auto") - group.scores("LightGBM"))[steel]))
        claim = f"steel plates: auto is at most {MARGIN:g} below LightGBM"
        yield [claim, f"{gap:+.4f}", gap >= -MARGIN]
