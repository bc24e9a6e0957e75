"""The steps of `thresher train`, from the table to the folder of results."""

import json
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np
from numpy.typing import NDArray

from thresher.cli.condition_file import as_csv
from thresher.cli.errors import BadDataError, said
from thresher.cli.features import make_features
from thresher.cli.folds import Folds
from thresher.cli.labels import check_class, read_labels
from thresher.cli.model_store import TrainedModel, save
from thresher.cli.options import check_gates
from thresher.cli.output import new_folder
from thresher.cli.recipe import MOST_LEAVES, Recipe
from thresher.cli.scores import Scores, measures
from thresher.cli.source import Source
from thresher.cli.stations import read_stations
from thresher.cli.suspects import find_suspects
from thresher.cli.table import Table, texts_of
from thresher.cli.times import read_times
from thresher.cli.training import Training
from thresher.cli.verdict import verdict_text

if TYPE_CHECKING:
    from thresher.condition.table import ConditionTable

REPEATED_ROWS = 5_000_000
"""Rows that all permutations together may fit; fewer permutations for large tables."""
YES = frozenset({"1", "true", "yes", "y", "t"})


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
    no_report: bool = False
    title: str = "Which parts will be scrapped?"
    unit: str = "parts"
    seed: int = 0
    jobs: int = 1
    as_json: bool = False
    description: str | None = None

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
    labels: list[str]
    positive: str
    times: NDArray[Any] | None
    groups: NDArray[Any] | None
    stations: dict[str, str] | None
    remarks: list[str]

    @property
    def is_positive(self) -> NDArray[np.bool_]:
        """Whether each row is of the positive class."""
        return np.array([label == self.positive for label in self.labels])


@dataclass(frozen=True)
class Outcome:
    """What a training leaves behind; the summary is None without a report."""

    model: TrainedModel
    table: "ConditionTable"
    summary: dict[str, Any] | None
    files: dict[str, str]

    def as_data(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        facts = {name: value for name, value in self.model.facts.items() if name != "scores"}
        return {
            **facts,
            "threshold": float(self.model.estimator.threshold_),
            "positive": str(self.model.estimator.pos_label_),
            "conditions": json.loads(self.table.to_json())["conditions"],
            "verdict": None if self.summary is None else self.summary["verdict"],
            "files": dict(self.files),
        }


def run_training(request: Request) -> None:
    """Do all that `thresher train` does."""
    outcome = train_model(request)
    if request.as_json:
        click.echo(json.dumps(outcome.as_data(), indent=2, ensure_ascii=False))
    else:
        click.echo(verdict_text(outcome.model, outcome.table))


def train_model(request: Request) -> Outcome:
    """Train as asked, and write the folder of results."""
    recipe = request.recipe()
    recipe.checked_rule()
    parts = read_parts(request)
    for remark in parts.remarks:
        said(f"Warning: {remark}")
    with quiet():
        training = _training(request, parts, recipe)
        said(f"Training a {recipe.model} on {_size(parts)}; {training.folds.words} ...")
        found = measures(training.judge(), recipe.costs)
        check_gates(found, vars(request), f"; nothing was written to '{request.out}'")
        chosen = training.choose()
        fitted = training.fit(chosen)
        said("Looking for the conditions behind it ...")
        table = find_conditions(training, fitted, parts.stations)
        model = TrainedModel(fitted, _reader(fitted), _facts(request, parts, training, found))
        model.facts["threshold_interval"] = training.interval(chosen)
        model.facts["scores"] = Scores.of(chosen.scores, chosen.is_positive).as_data()
        model.facts["conditions"] = _short_list(table)
        summary = None if request.no_report else _summary(request, training, fitted, parts, table)
        files = _write(request, model, table, summary)
    return Outcome(model, table, summary, files)


@contextmanager
def quiet() -> Iterator[None]:
    """Keep the library's warnings for programmers away from people at a terminal."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _size(parts: Parts) -> str:
    rows, rare = len(parts.labels), int(parts.is_positive.sum())
    return f"{rows:,} rows, {rare:,} of them {parts.positive!r} ({rare / rows:.1%})"


# ------------------------------------------------------------------------------------------- read


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
        table, times = table.take(order), times[order]
        labels = [labels[row] for row in order.tolist()]
    features = table.without(request.aside)
    suspects = find_suspects(features, np.array([label == positive for label in labels]))
    features = features.without(suspects.unusable)
    if not features.columns:
        raise BadDataError(f"{table.source} has no column to learn from beside {request.aside}.")
    groups = None
    if request.group is not None:
        groups = np.array([text or "" for text in texts_of(table.columns[request.group])])
    stations = None
    if request.stations is not None:
        stations = read_stations(request.stations, features.columns, table.columns)
    return Parts(features, labels, positive, times, groups, stations, suspects.sentences)


def _positive(request: Request, labels: list[str]) -> str:
    """Return the class to find: as given, or the rarer one, the later one of two equal ones."""
    if request.positive is not None:
        check_class(request.positive, labels, "--positive")
        return request.positive
    return min(sorted(set(labels), reverse=True), key=labels.count)


def _training(request: Request, parts: Parts, recipe: Recipe) -> Training:
    folds = Folds(
        parts.is_positive, parts.groups, parts.times is not None, request.folds, request.seed
    )
    folds.check()
    features = make_features(parts.features)
    return Training(recipe, features, np.array(parts.labels), parts.positive, folds)


# ------------------------------------------------------------------------------ conditions, report


def find_conditions(
    training: Training, fitted: Any, stations: dict[str, str] | None
) -> "ConditionTable":
    """Read the conditions of a fitted model, with evidence."""
    from thresher.condition.finding import conditions

    costs, recipe, rows = training.recipe.costs, training.recipe, len(training.labels)
    usual = (99, 50) if recipe.model == "tree" else (39, 10)
    table: ConditionTable = conditions(
        fitted,
        training.features.X,
        training.labels,
        stations=stations,
        cost_fp=None if costs is None else costs.fp,
        cost_fn=None if costs is None else costs.fn,
        cv=training.folds.splits(),
        n_permutations=max(19, min(usual[0], REPEATED_ROWS // rows)),
        n_bootstrap=max(10, min(usual[1], REPEATED_ROWS // (2 * rows))),
        max_leaf_nodes=MOST_LEAVES,
        output="table",
        random_state=recipe.seed,
        n_jobs=recipe.jobs,
    )
    return table


def _reader(fitted: Any) -> Any:
    """Return the tree whose leaves the conditions name."""
    return fitted.to_tree(MOST_LEAVES, cv=None) if hasattr(fitted, "to_tree") else fitted


def _short_list(table: "ConditionTable") -> list[dict[str, Any]]:
    return [
        {"text": text, "leaves": list(condition.leaves), "station": station}
        for text, condition, station in zip(
            table.texts, table.conditions, table.stations, strict=True
        )
    ]


def _facts(
    request: Request, parts: Parts, training: Training, found: dict[str, float]
) -> dict[str, Any]:
    from thresher import __version__

    return {
        "thresher": __version__,
        "target": request.target,
        "rows": len(parts.labels),
        "positives": int(parts.is_positive.sum()),
        "event": event_of(request.target, parts.positive),
        "unit": request.unit,
        "recipe": training.recipe.as_data(),
        "held_out": training.folds.words,
        "judged": found,
        "stations": parts.stations,
    }


def event_of(target: str, positive: str) -> str:
    """Return the word for the positive class.

    >>> event_of("scrap", "1"), event_of("state", "broken")
    ('scrap', 'broken')
    """
    return target if positive.lower() in YES else positive


def _summary(
    request: Request, training: Training, fitted: Any, parts: Parts, table: "ConditionTable"
) -> dict[str, Any]:
    from thresher.report import summarize

    said("Writing the report ...")
    is_dated = parts.times is not None and parts.times.dtype.kind == "M"
    # The curve along the line is drawn for tables that know their columns by name.
    stations = parts.stations if training.features.is_named else None
    return summarize(
        fitted,
        training.features.X,
        training.labels,
        stations=stations,
        times=parts.times if is_dated else None,
        costs=training.recipe.costs,
        cv=training.folds.splits(),
        conditions=table,
        resampling=len(parts.labels) <= 100_000,
        title=request.title,
        description=request.description,
        unit=request.unit,
        event=event_of(request.target, parts.positive),
        notes=parts.remarks,
        max_leaf_nodes=MOST_LEAVES,
        seed=request.seed,
        n_jobs=request.jobs,
    )


# ------------------------------------------------------------------------------------------- write


def _write(
    request: Request, model: TrainedModel, table: "ConditionTable", summary: Any
) -> dict[str, str]:
    """Write all files, and return where they are."""
    with new_folder(request.out) as folder:
        save(model, folder / "model.json")
        (folder / "conditions.csv").write_text(as_csv(table), encoding="utf-8")
        (folder / "conditions.json").write_text(table.to_json() + "\n", encoding="utf-8")
        if summary is not None:
            from thresher.report import render

            (folder / "report.html").write_text(render(summary), encoding="utf-8")
        names = sorted(path.name for path in folder.iterdir())
    said(f"Written: {request.out / ('model.json' if summary is None else 'report.html')}")
    return {name: str(request.out / name) for name in names}
