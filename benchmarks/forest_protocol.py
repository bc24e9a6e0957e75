"""The protocol of the forest's evaluation: folds, measures, a cache of results, a table of means.

The paper's: stratified 10-fold cross-validation, each measure taken in each fold and averaged over
the folds, then over the data sets. F1 is 0 where it is undefined; a fold without positives (one of
Glass-tableware's, which has 9) has no BCR and no average precision.
"""

import csv
import os
import sys
import warnings
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import (
    average_precision_score,
    balanced_accuracy_score,
    brier_score_loss,
    f1_score,
)
from sklearn.model_selection import StratifiedKFold
from threadpoolctl import threadpool_limits

from thresher.datasets import list_datasets, load_dataset

DATASETS = list_datasets("paper")
FOLDS = 10
BINS = 10
"""Bins of equal width of the calibration error."""

MEASURES = {
    "f1": "F1",
    "bcr": "BCR",
    "average_precision": "average precision",
    "brier": "Brier score",
    "calibration": "calibration error",
}
"""The columns of the table and their headings; the last two are better where they are smaller."""


class Prediction(NamedTuple):
    """What a contender says of the held-out rows."""

    probability: NDArray[np.float64]
    is_positive: NDArray[np.bool_]

    @classmethod
    def at(cls, probability: NDArray[np.float64], threshold: float) -> "Prediction":
        """Decide by a threshold."""
        return cls(probability, probability > threshold)

    @classmethod
    def of(cls, model: Any, X: NDArray[Any]) -> "Prediction":
        """Take the probabilities and the decisions of a fitted classifier of 0 and 1."""
        return cls(model.predict_proba(X)[:, 1], model.predict(X) == 1)


@dataclass(frozen=True)
class Family:
    """Contenders that share the work of fitting.

    Attributes
    ----------
    names : the contenders, in the order of the predictions.
    predict : function of (X, y, rows to predict, seed).
    """

    names: tuple[str, ...]
    predict: Callable[..., Iterable[Prediction]]


# ------------------------------------------------------------------------------------- one fold


@dataclass(frozen=True)
class Key:
    """Which result it is."""

    contender: str
    seed: int
    dataset: str
    fold: int


@dataclass(frozen=True)
class Outcome:
    """The measures of one contender in one fold.

    `gaps` are sums over the rows of each bin of probability: probability minus label. They add up
    over folds, so that the calibration error is that of all rows of a data set.
    """

    rows: int
    f1: float
    bcr: float
    average_precision: float
    brier: float
    gaps: tuple[float, ...]


def measure(y: NDArray[np.int64], prediction: Prediction) -> Outcome:
    """Compare predictions with labels 0 and 1."""
    probability, is_positive = prediction
    has_positives = bool(y.any())
    return Outcome(
        len(y),
        float(f1_score(y, is_positive, zero_division=0)),
        float(balanced_accuracy_score(y, is_positive)) if has_positives else np.nan,
        float(average_precision_score(y, probability)) if has_positives else np.nan,
        float(brier_score_loss(y, probability, pos_label=1)),
        gaps(y, probability),
    )


def gaps(y: NDArray[np.int64], probability: NDArray[np.float64]) -> tuple[float, ...]:
    """Return the sum of probability minus label in each bin."""
    bins = np.minimum((probability * BINS).astype(int), BINS - 1)
    return tuple(np.bincount(bins, probability - y, minlength=BINS).tolist())


@cache
def data(name: str) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Load a data set once."""
    return load_dataset(name)


def run_fold(family: Family, dataset: str, seed: int, fold: int) -> dict[Key, Outcome]:
    """Fit the contenders of a family without one fold, and measure them on it."""
    X, y = data(dataset)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The least populated class in y has only 9 members")
        splitter = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
        train, test = list(splitter.split(X, y))[fold]
    predictions = family.predict(X[train], y[train], X[test], seed)
    return {
        Key(name, seed, dataset, fold): measure(y[test], prediction)
        for name, prediction in zip(family.names, predictions, strict=True)
    }


# ------------------------------------------------------------------------------------ the cache


class Cache:
    """Results by key, in a CSV file if there is one; a row is appended as soon as it is known.

    The key does not tell versions: use a new file after a change of the code.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.outcomes: dict[Key, Outcome] = {}
        if path is not None and path.exists():
            # A run that was stopped amid a row leaves a part of it.
            os.truncate(path, path.read_bytes().rfind(b"\n") + 1)
            with path.open(newline="") as file:
                self.outcomes = dict(_read(row) for row in csv.DictReader(file))

    def has(self, family: Family, seed: int, dataset: str, fold: int) -> bool:
        """Whether every contender of a family has this result."""
        return all(Key(name, seed, dataset, fold) in self.outcomes for name in family.names)

    def add(self, outcomes: dict[Key, Outcome]) -> None:
        """Keep results and write them down."""
        self.outcomes |= outcomes
        if self.path is None:
            return
        with self.path.open("a", newline="") as file:
            writer = csv.DictWriter(file, _COLUMNS)
            if file.tell() == 0:
                writer.writeheader()
            writer.writerows(_write(key, outcome) for key, outcome in outcomes.items())


_NUMBERS = ("rows", "f1", "bcr", "average_precision", "brier")
_GAPS = tuple(f"gap_{place}" for place in range(BINS))
_COLUMNS = (*(field.name for field in fields(Key)), *_NUMBERS, *_GAPS)


def _read(row: dict[str, str]) -> tuple[Key, Outcome]:
    key = Key(row["contender"], int(row["seed"]), row["dataset"], int(row["fold"]))
    rows, *numbers = (row[name] for name in _NUMBERS)
    return key, Outcome(int(rows), *map(float, numbers), tuple(float(row[name]) for name in _GAPS))


def _write(key: Key, outcome: Outcome) -> dict[str, Any]:
    values = asdict(key) | asdict(outcome)
    return values | dict(zip(_GAPS, values.pop("gaps"), strict=True))


# ------------------------------------------------------------------------------------ the table


def table(
    outcomes: dict[Key, Outcome], names: Iterable[str], datasets: Iterable[str], seeds: int
) -> str:
    """Return the means over the data sets in Markdown, with the standard deviation over seeds.

    A contender that lacks results is named as such and has no row.
    """
    datasets, lines, lacking = list(datasets), [], []
    for name in names:
        try:
            by_seed = [summary(outcomes, name, datasets, seed) for seed in range(seeds)]
        except KeyError:
            lacking.append(name)
        else:
            lines.append(f"| {name} | {' | '.join(_cells(by_seed))} |")
    spread = f" ± standard deviation between {seeds} seeds" if seeds > 1 else ", one seed"
    text = "\n".join(
        [
            f"Means over {len(datasets)} data sets{spread}.",
            "",
            f"| contender | {' | '.join(MEASURES.values())} |",
            f"| --- |{' --- |' * len(MEASURES)}",
            *lines,
        ]
    )
    return f"{text}\n\nNot complete: {'; '.join(lacking)}." if lacking else text


def _cells(by_seed: list[dict[str, float]]) -> Iterator[str]:
    for measure_name in MEASURES:
        values = [means[measure_name] for means in by_seed]
        deviation = f" ± {np.std(values, ddof=1):.4f}" if len(values) > 1 else ""
        yield f"{np.mean(values):.4f}{deviation}"


def summary(
    outcomes: dict[Key, Outcome], name: str, datasets: list[str], seed: int
) -> dict[str, float]:
    """Return the means of one seed over the data sets; a KeyError where one is missing."""
    by_dataset = [
        _of_dataset([outcomes[Key(name, seed, dataset, fold)] for fold in range(FOLDS)])
        for dataset in datasets
    ]
    return {column: float(np.mean([each[column] for each in by_dataset])) for column in MEASURES}


def _of_dataset(folds: list[Outcome]) -> dict[str, float]:
    means = {
        column: float(np.nanmean([getattr(fold, column) for fold in folds]))
        for column in MEASURES
        if column != "calibration"
    }
    gap = np.sum([fold.gaps for fold in folds], axis=0)
    return means | {"calibration": float(np.abs(gap).sum() / sum(fold.rows for fold in folds))}


# -------------------------------------------------------------------------------- the programme


def main(families: list[Family], description: str | None) -> None:
    """Run what the cache lacks, one thread, and print the table."""
    options = _options(families, description)
    cache = Cache(options.cache)
    with threadpool_limits(1):
        for family in families:
            if not options.only or set(options.only) & set(family.names):
                _run(family, options, cache)
    names = [name for family in families for name in family.names]
    text = table(cache.outcomes, names, options.datasets, options.seeds)
    print(text)
    if options.out is not None:
        options.out.write_text(f"{text}\n")


def _run(family: Family, options: Namespace, cache: Cache) -> None:
    for seed in range(options.seeds):
        for dataset in options.datasets:
            folds = [fold for fold in range(FOLDS) if not cache.has(family, seed, dataset, fold)]
            if folds:
                _say(f"{' / '.join(family.names)}: {dataset}, seed {seed}")
            for fold in folds:
                cache.add(run_fold(family, dataset, seed, fold))


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _options(families: list[Family], description: str | None) -> Namespace:
    names = [name for family in families for name in family.names]
    parser = ArgumentParser(description=description)
    parser.add_argument("--seeds", type=int, default=3, help="seeds 0, 1, ... of folds and models")
    parser.add_argument("--datasets", nargs="+", default=DATASETS, metavar="NAME")
    parser.add_argument(
        "--only",
        nargs="+",
        choices=names,
        metavar="NAME",
        help=f"run these, and what shares their fits: {'; '.join(names)}",
    )
    parser.add_argument("--cache", type=Path, help="CSV file that keeps the results of folds")
    parser.add_argument("--out", type=Path, help="write the table here too")
    return parser.parse_args()
