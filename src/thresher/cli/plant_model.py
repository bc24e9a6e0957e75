"""The steps of `thresher train`, from the table to the folder of results."""

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from thresher.cli.condition_file import as_csv
from thresher.cli.model_store import TrainedModel, save
from thresher.cli.options import MODEL_FILE, check_gates
from thresher.cli.output import new_folder
from thresher.cli.parts import Parts, Request, read_parts
from thresher.cli.training import Training
from thresher.cli.verdict import verdict_text
from thresher.judging.early import best_f1_counts
from thresher.judging.hold_out import Folds
from thresher.judging.recipe import MOST_LEAVES, Recipe
from thresher.tables.errors import quiet, said
from thresher.tables.features import make_features
from thresher.tables.source import is_parquet
from thresher.threshold.score_counts import Scores, measures

if TYPE_CHECKING:
    from thresher.condition.table import ConditionTable

LARGE_BYTES = 2_000_000_000
"""Values of several Parquet files that are no longer read at once."""
YES = frozenset({"1", "true", "yes", "y", "t"})
ANY_TARGET = frozenset({"target", "y", "label", "class", "outcome", "result"})
"""Names of a target that say nothing about its positive class."""


@dataclass(frozen=True)
class Outcome:
    """What a training leaves behind; the summary is None without a report."""

    model: TrainedModel
    summary: dict[str, Any] | None
    files: dict[str, str]

    def as_data(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        facts = {name: value for name, value in self.model.facts.items() if name != "scores"}
        return {
            **facts,
            "threshold": float(self.model.estimator.threshold_),
            "positive": str(self.model.estimator.pos_label_),
            "conditions": json.loads(self.model.conditions.to_json())["conditions"],
            "verdict": None if self.summary is None else self.summary["verdict"],
            "files": dict(self.files),
        }


def run_training(request: Request) -> None:
    """Do all that `thresher train` does."""
    if is_large(request):
        from thresher.cli.large_training import train_large

        outcome = train_large(request)
    else:
        outcome = train_model(request)
    if request.as_json:
        click.echo(json.dumps(outcome.as_data(), indent=2, ensure_ascii=False))
    else:
        click.echo(verdict_text(outcome.model))


def is_large(request: Request) -> bool:
    """Whether the table is read batch by batch: as asked for, or because it is large."""
    files = request.source.files
    if request.stream is not None or len(files) == 1:
        if request.stream and not all(is_parquet(file) for file in files):
            raise click.UsageError("--stream is for Parquet files.")
        return bool(request.stream)
    from thresher.tables.arrow import bytes_in_memory

    return bytes_in_memory(files) > LARGE_BYTES


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
        facts = make_facts(
            request,
            len(parts.labels),
            int(parts.is_positive.sum()),
            parts.positive,
            training.folds.words,
            parts.stations,
            found,
        )
        model = TrainedModel(fitted, _reader(fitted), table, facts)
        reachable = best_f1_counts(chosen.scores, chosen.is_positive)
        model.facts["reachable_f1"] = float(reachable.fbeta()[0])
        model.facts["threshold_interval"] = training.interval(chosen)
        model.facts["scores"] = Scores.of(chosen.scores, chosen.is_positive).as_data()
        summary = None if request.no_report else _summary(request, training, fitted, parts, table)
        files = write_outcome(request, model, summary)
    return Outcome(model, summary, files)


def _size(parts: Parts) -> str:
    rows, rare = len(parts.labels), int(parts.is_positive.sum())
    return f"{rows:,} rows, {rare:,} of them {parts.positive!r} ({rare / rows:.1%})"


def _training(request: Request, parts: Parts, recipe: Recipe) -> Training:
    folds = Folds(
        parts.is_positive, parts.groups, parts.times is not None, request.folds, request.seed
    )
    folds.check()
    features = make_features(parts.features)
    return Training(recipe, features, parts.labels, parts.positive, folds)


# ------------------------------------------------------------------------------ conditions, report


def find_conditions(
    training: Training, fitted: Any, stations: dict[str, str] | None
) -> "ConditionTable":
    """Read the conditions of a fitted model, with evidence."""
    from thresher.condition.finding import conditions

    costs, recipe = training.recipe.costs, training.recipe
    table: ConditionTable = conditions(
        fitted,
        training.features.X,
        training.labels,
        stations=stations,
        cost_fp=None if costs is None else costs.fp,
        cost_fn=None if costs is None else costs.fn,
        cv=training.folds.splits(),
        max_leaf_nodes=MOST_LEAVES,
        output="table",
        random_state=recipe.seed,
        n_jobs=recipe.jobs,
    )
    return table


def _reader(fitted: Any) -> Any:
    """Return the tree whose leaves the conditions name."""
    return fitted.to_tree(MOST_LEAVES, cv=None) if hasattr(fitted, "to_tree") else fitted


def make_facts(
    request: Request,
    rows: int,
    positives: int,
    positive: str,
    held_out: str,
    stations: dict[str, str] | None,
    found: dict[str, float],
) -> dict[str, Any]:
    """Return what a model file tells of its training."""
    from thresher import __version__

    return {
        "thresher": __version__,
        "target": request.target,
        "rows": rows,
        "positives": positives,
        "event": request.event or event_of(request.target, positive),
        "unit": request.unit,
        "recipe": request.recipe().as_data(),
        "held_out": held_out,
        "judged": found,
        "stations": stations,
    }


def event_of(target: str, positive: str) -> str:
    """Return the word for the positive class.

    >>> event_of("scrap", "1"), event_of("state", "broken"), event_of("target", "1")
    ('scrap', 'broken', 'target = 1')
    """
    if positive.lower() not in YES:
        return positive
    return f"{target} = {positive}" if target.lower() in ANY_TARGET else target


def _summary(
    request: Request, training: Training, fitted: Any, parts: Parts, table: "ConditionTable"
) -> dict[str, Any]:
    from thresher.report import summarize

    said("Writing the report ...")
    is_dated = parts.times is not None and parts.times.dtype.kind == "M"
    return summarize(
        fitted,
        training.features.X,
        training.labels,
        stations=parts.stations,
        times=parts.times if is_dated else None,
        costs=training.recipe.costs,
        cv=training.cv,
        conditions=table,
        resampling=len(parts.labels) <= 100_000,
        title=request.title,
        description=request.description,
        unit=request.unit,
        event=request.event or event_of(request.target, parts.positive),
        notes=parts.remarks,
        max_leaf_nodes=MOST_LEAVES,
        seed=request.seed,
        n_jobs=request.jobs,
    )


# ------------------------------------------------------------------------------------------- write


def write_outcome(request: Request, model: TrainedModel, summary: Any) -> dict[str, str]:
    """Write all files, and return where they are."""
    table = model.conditions
    with new_folder(request.out) as folder:
        save(model, folder / MODEL_FILE)
        (folder / "conditions.csv").write_text(as_csv(table), encoding="utf-8")
        (folder / "conditions.json").write_text(table.to_json() + "\n", encoding="utf-8")
        if summary is not None:
            from thresher.report import render

            (folder / "report.html").write_text(render(summary), encoding="utf-8")
        names = sorted(path.name for path in folder.iterdir())
    said(f"Written: {request.out / (MODEL_FILE if summary is None else 'report.html')}")
    return {name: str(request.out / name) for name in names}
