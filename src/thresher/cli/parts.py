"""What `thresher train` is asked for, and the table as it is learnt from."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.judging.recipe import TREES, Recipe
from thresher.judging.suspects import find_suspects
from thresher.tables.errors import BadDataError, said
from thresher.tables.source import Source
from thresher.tables.stations import read_stations
from thresher.tables.table import Table, texts_of
from thresher.tables.target import Labels, check_class, read_labels
from thresher.tables.times import read_times


@dataclass(frozen=True)
class Request:
    """The options of the command."""

    source: Source
    target: str
    out: Path
    model: str = "tree"
    rule: str | None = None
    beta: float = 1.0
    floor: float | None = None
    per_1000: float | None = None
    cost_fp: float | None = None
    cost_fn: float | None = None
    min_precision: float | None = None
    min_recall: float | None = None
    positive: str | None = None
    ids: Sequence[str] = ()
    time: str | None = None
    group: str | None = None
    ignore: Sequence[str] = ()
    stations: str | None = None
    folds: int = 5
    trees: int = TREES
    no_report: bool = False
    title: str = "Which parts will be scrapped?"
    unit: str = "parts"
    event: str | None = None
    seed: int = 0
    jobs: int = 1
    as_json: bool = False
    description: str | None = None
    stream: bool | None = None

    def recipe(self) -> Recipe:
        """Return how the model is to be made."""
        usual = "f1" if self.cost_fp is None or self.cost_fn is None else "cost"
        return Recipe(
            self.model,
            self.rule or usual,
            self.cost_fp,
            self.cost_fn,
            self.beta,
            self.floor,
            self.per_1000,
            self.trees,
            self.seed,
            self.jobs,
        )

    @property
    def aside(self) -> list[str]:
        """The columns that are not learnt from."""
        special = [self.target, *self.ids, self.time, self.group, *self.ignore]
        return [name for name in special if name is not None]


@dataclass(frozen=True)
class Parts:
    """The table as it is learnt from, in the order of time where there is one."""

    features: Table
    labels: Labels
    positive: str
    times: NDArray[Any] | None
    groups: NDArray[Any] | None
    stations: dict[str, str] | None
    remarks: list[str]

    @property
    def is_positive(self) -> NDArray[np.bool_]:
        """Whether each row is of the positive class."""
        return np.asarray(self.labels == self.positive)


def read_parts(request: Request) -> Parts:
    """Read the table and tell apart what is learnt from and what is not."""
    texts = [name for name in request.aside if name not in request.ignore]
    table = request.source.read(texts=texts)
    table.need(request.aside)
    for note in table.notes:
        said(note)
    labels = read_labels(table, request.target)
    positive = _positive(request, labels)
    times = None if request.time is None else read_times(table, request.time)
    if times is not None:
        order = np.argsort(times, kind="stable")
        table, times, labels = table.take(order), times[order], labels[order]
    features, remarks = _features(request, table, labels == positive)
    groups = None
    if request.group is not None:
        groups = np.array([text or "" for text in texts_of(table.columns[request.group])])
    stations = None
    if request.stations is not None:
        stations = read_stations(request.stations, features.columns, table.columns)
    return Parts(features, labels, positive, times, groups, stations, remarks)


def _features(
    request: Request, table: Table, is_positive: NDArray[np.bool_]
) -> tuple[Table, list[str]]:
    """Return the columns to learn from, and remarks about some that are better left out."""
    features, remarks = table.without(request.aside), []
    if features.columns:
        suspects = find_suspects(features, is_positive)
        features, remarks = features.without(suspects.unusable), suspects.sentences
    if not features.columns:
        aside = ", ".join(request.aside)
        raise BadDataError(f"{table.source} has no column to learn from beside {aside}.")
    return features, remarks


def _positive(request: Request, labels: Labels) -> str:
    """Return the class to find: as given, or the rarer one, the later one of two equal ones."""
    if request.positive is not None:
        check_class(request.positive, labels, "--positive")
        return request.positive
    classes, counts = np.unique(labels, return_counts=True)
    return str(classes[0] if counts[0] < counts[1] else classes[1])
