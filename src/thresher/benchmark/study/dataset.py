"""Data sets of a study: tables by name, their two classes, and how rows are dealt to folds."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

from thresher.benchmark.errors import StudyError
from thresher.benchmark.study.content import data_digest
from thresher.validation import check_integer, read_target


@dataclass(frozen=True)
class Folds:
    """How rows are dealt to folds: repeat r shuffles with the seed `random_state` + r."""

    count: int
    repeats: int
    random_state: int

    def check(self) -> None:
        """Raise unless the numbers can be used."""
        check_integer("folds", self.count, low=2)
        check_integer("repeats", self.repeats, low=1)
        check_integer("random_state", self.random_state, low=0, high=2**31)

    def seed(self, repeat: int) -> int:
        """Return the seed of a repeat, of its folds and of the methods alike."""
        return self.random_state + repeat

    def splits(
        self, is_positive: NDArray[np.int64], repeat: int
    ) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """Return the rows to train and to test on, fold by fold."""
        folds = StratifiedKFold(self.count, shuffle=True, random_state=self.seed(repeat))
        with warnings.catch_warnings():
            # Folds without positives have been refused or accepted before.
            warnings.filterwarnings("ignore", "The least populated class", UserWarning)
            return list(folds.split(is_positive, is_positive))


@dataclass(frozen=True)
class Dataset:
    """A table as it came, and its target as 1 for the rarer class, 0 for the other."""

    name: str
    X: Any
    is_positive: NDArray[np.int64]
    folds: Folds
    digest: str
    _splits: dict[int, Any] = field(default_factory=dict, compare=False, repr=False)

    def rows(self, repeat: int, fold: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return the rows to train and to test on."""
        if repeat not in self._splits:
            self._splits[repeat] = self.folds.splits(self.is_positive, repeat)
        train, test = self._splits[repeat][fold]
        return train, test


def read_datasets(datasets: Any, folds: Folds) -> dict[str, Dataset]:
    """Read names of bundled data sets, (name, X, y) tuples, or a mapping of names to (X, y)."""
    if isinstance(datasets, str):
        datasets = [datasets]
    if isinstance(datasets, Mapping):
        datasets = [(name, *_pair(name, table)) for name, table in datasets.items()]
    found: dict[str, Dataset] = {}
    for item in datasets:
        dataset = _read_dataset(item, folds)
        if dataset.name in found:
            raise StudyError(f"datasets names {dataset.name!r} twice; name each data set once.")
        found[dataset.name] = dataset
    if not found:
        raise StudyError("datasets is empty; name at least one.")
    return found


def _pair(name: Any, table: Any) -> tuple[Any, Any]:
    if not isinstance(table, tuple | list) or len(table) != 2:
        raise StudyError(f"Data set {name!r} must be a pair (X, y), got {type(table).__name__}.")
    X, y = table
    return X, y


def _read_dataset(item: Any, folds: Folds) -> Dataset:
    if isinstance(item, str):
        from thresher.datasets import load_dataset

        item = (item, *load_dataset(item))
    if not isinstance(item, tuple | list) or len(item) != 3:
        raise StudyError(
            f"A data set must be a name or a tuple (name, X, y), got {type(item).__name__}."
        )
    name, X, y = str(item[0]), item[1], item[2]
    try:
        target = read_target(y, X.shape[0] if hasattr(X, "shape") else len(X))
        content = data_digest(X, target.is_positive)
    except (TypeError, ValueError) as error:
        raise StudyError(f"Data set {name!r} cannot be used: {error}") from error
    return Dataset(name, X, target.is_positive.astype(np.int64), folds, content)


def check_classes(dataset: Dataset, *, may_be_empty: bool = False) -> None:
    """Raise unless every fold can be trained and tested on rows of both classes."""
    folds, positives = dataset.folds.count, int(dataset.is_positive.sum())
    few = min(positives, len(dataset.is_positive) - positives)
    many = len(dataset.is_positive) - few
    rows = "row" if few == 1 else "rows"
    if few < 2 or many < folds:
        raise StudyError(
            f"Data set {dataset.name!r} has {few} {rows} of its rare class and {many} of the "
            f"other; {folds} folds need at least 2 and {folds}: take fewer folds or more data."
        )
    if few < folds and not may_be_empty:
        raise StudyError(
            f"Data set {dataset.name!r} has {few} {rows} of its rare class, so that some of "
            f"{folds} folds would have none: take folds={few} or fewer, or empty_folds='keep' "
            "(such a fold counts as F1 = 0)."
        )
