"""What is to be run, as data: one `Run` for each fold of each method on each data set."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from thresher.benchmark.study.contender import Contender, read_methods
from thresher.benchmark.study.content import digest, versions
from thresher.benchmark.study.dataset import Dataset, Folds, check_classes, read_datasets
from thresher.validation import check_choice

EMPTY_FOLDS = ("raise", "keep")


class Run(NamedTuple):
    """One fold of one method on one data set; `key` names all that its outcome depends on."""

    dataset: str
    method: str
    repeat: int
    fold: int
    key: str


@dataclass(frozen=True)
class Plan:
    """All runs of a study, in the order of data sets, repeats, methods and folds."""

    datasets: dict[str, Dataset]
    methods: dict[str, Contender]
    folds: Folds
    runs: tuple[Run, ...]
    settings: dict[str, Any]

    @cached_property
    def digest(self) -> str:
        """The content of the study, which tells it from others in one store."""
        return study_digest(self.runs)


def study_digest(runs: Sequence[Run]) -> str:
    """Return the SHA-256 of a list of runs."""
    return digest([list(run) for run in runs])


def make_plan(datasets: Any, methods: Any, folds: Folds, *, empty_folds: str = "raise") -> Plan:
    """Read data sets and methods, check that they can be studied, and list the runs."""
    folds.check()
    check_choice("empty_folds", empty_folds, EMPTY_FOLDS)
    known = read_methods(methods)
    tables = read_datasets(datasets, folds)
    for dataset in tables.values():
        check_classes(dataset, may_be_empty=empty_folds == "keep")
    by_repeat = [
        {name: method.describe(folds.seed(repeat)) for name, method in known.items()}
        for repeat in range(folds.repeats)
    ]
    settings = {
        "folds": folds.count,
        "repeats": folds.repeats,
        "random_state": folds.random_state,
        "datasets": {name: dataset.digest for name, dataset in tables.items()},
        "methods": by_repeat[0],
        "versions": versions(),
    }
    keys = [{name: digest(found) for name, found in found.items()} for found in by_repeat]
    runs = tuple(_runs(tables, keys, folds, digest(settings["versions"])))
    return Plan(tables, known, folds, runs, settings)


def _runs(
    datasets: Mapping[str, Dataset], keys: Sequence[Mapping[str, str]], folds: Folds, common: str
) -> Iterator[Run]:
    for dataset in datasets.values():
        for repeat, of_methods in enumerate(keys):
            for method, method_key in of_methods.items():
                for fold in range(folds.count):
                    place = [folds.count, folds.seed(repeat), fold]
                    key = digest([dataset.digest, method_key, *place, common])
                    yield Run(dataset.name, method, repeat, fold, key)
