"""`thresher compare`: methods beside each other on data sets, the paper's study among them."""

import os
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from thresher.cli.compare_printing import Shown
from thresher.cli.errors import as_options
from thresher.cli.messages import tell
from thresher.cli.options import (
    PLACE,
    json_option,
    many,
    pop_source,
    seed_option,
    source_options,
)
from thresher.errors import TableError

if TYPE_CHECKING:
    from thresher.benchmark.analysis.comparison import Comparison
    from thresher.benchmark.analysis.standings import Standings
    from thresher.benchmark.study.result import StudyResult
    from thresher.cli.compare_methods import Chosen
    from thresher.tables.source import Source

STORE = "results.sqlite"
RULES = ("f1", "bcr", "gmean", "mcc")
"""Those of `thresher.benchmark.usual_methods`, named here so that --help does not load them."""
PAPER_REPEATS = 5
"""One repeat is noisy on small data sets: LinR+OS alone moves by .01 from seed to seed."""


@dataclass(frozen=True)
class Request:
    """The options of the command."""

    paper: bool
    data: "Source | None"
    target: str | None
    drop: list[str]
    datasets: list[str]
    methods: list[str]
    paper_methods: bool
    rule: str | None
    control: str | None
    folds: int
    repeats: int | None
    seed: int
    jobs: int
    timeout: float | None
    out: Path
    resume: bool
    as_json: bool


@click.command()
@click.option("--paper", is_flag=True, help="Rerun the paper: its data sets and 13 methods.")
@click.option(
    "--data",
    type=PLACE,
    metavar="TABLE",
    help="Your own table: CSV, Excel, Parquet, '-' for standard input, or a database's URL.",
)
@click.option("--target", metavar="COLUMN", help="Column of --data with the two classes.")
@many("--drop", text="Columns of --data to leave out.")
@many("--datasets", text="Data sets of thresher; with --paper, some of the paper's.")
@many(
    "--methods",
    text="Methods to compare; by default what people use for --data, else the paper's 13.",
)
@click.option("--paper-methods", is_flag=True, help="Compare the paper's 13 methods on --data.")
@click.option(
    "--rule",
    type=click.Choice(RULES),
    help="What thresholds are tuned for on --data, and methods sorted by [f1].",
)
@click.option("--control", metavar="NAME", help="Method to test the others against [ARDT].")
@click.option(
    "--folds",
    type=click.IntRange(2),
    default=10,
    show_default=True,
    help="Parts of each data set that are predicted in turn.",
)
@click.option(
    "--repeats",
    type=click.IntRange(1),
    help="Number of cross-validations, each with other folds [1; 5 with --paper].",
)
@seed_option
@click.option(
    "--jobs",
    type=int,
    default=1,
    show_default=True,
    help="Number of runs at a time; -1 takes one for each core.",
)
@click.option(
    "--timeout", type=click.FloatRange(0, min_open=True), help="Seconds that a fold may take."
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("comparison"),
    show_default=True,
    help="Folder for tables, figures, index.html and all runs.",
)
@click.option("--resume", is_flag=True, help="Go on with the runs that the folder has.")
@source_options
@json_option
def compare(data: str | None, **options: Any) -> None:
    """Compare methods by cross-validation, with statistics, tables, figures and a page.

    Give --paper, or --data and --target, or --datasets. On --data the methods are those that
    people use, each with its threshold tuned alike on rows that it has not seen; the best comes
    first, and a sentence says which others are within the noise.
    """
    needed = [options["target"], *options["drop"]] if data else []
    source = pop_source(data or "", options, needed=needed)
    request = Request(data=source if data else None, **options)
    _check(request)
    methods = _methods(request)
    datasets = _tables(request)
    if _has_gaps(datasets):
        methods = methods.reading_gaps()
    for remark in methods.remarks:
        tell(remark)
    study = _run(request, datasets, methods.factories)
    comparison = _write_folder(request, study, methods.remarks)
    shown = Shown(comparison, _standings(request, comparison), methods.remarks, request.out)
    shown.print_json() if request.as_json else shown.print_tables()
    if comparison.unfinished:
        raise click.ClickException(
            f"{comparison.unfinished} of {len(study.runs)} runs have no outcome; "
            f"'{request.out / 'index.html'}' says why."
        )


# ------------------------------------------------------------------------------- what is asked for


def _check(request: Request) -> None:
    """Refuse options that do not go together, before anything is loaded or written."""
    if not (request.paper or request.data or request.datasets):
        raise click.UsageError("Give --paper, or --data and --target, or --datasets.")
    if request.data and (request.paper or request.datasets):
        raise click.UsageError("--data stands alone: leave out --paper and --datasets.")
    if bool(request.data) != bool(request.target):
        raise click.UsageError("--data and --target belong together.")
    if request.drop and not request.data:
        raise click.UsageError("--drop names columns of --data.")
    if request.rule and not request.data:
        raise click.UsageError("--rule tunes thresholds on --data.")
    if request.paper_methods and request.methods:
        raise click.UsageError("Give --paper-methods or --methods.")
    if request.jobs == 0:
        raise click.BadParameter("0 jobs do nothing; take 1 or more, or -1.", param_hint="--jobs")
    _check_folder(request)


def _check_folder(request: Request) -> None:
    if not request.resume and (request.out / STORE).exists():
        raise click.UsageError(
            f"'{request.out}' has the runs of an earlier comparison: add --resume to go on with "
            "them, or name another folder with --out."
        )


def _methods(request: Request) -> "Chosen":
    from thresher.cli.compare_methods import choose_methods, choose_usual_methods

    if request.data is None or request.paper_methods:
        return choose_methods(request.methods, request.control)
    return choose_usual_methods(request.methods, request.control, request.rule or "f1")


def _tables(request: Request) -> list[tuple[str, Any, Any]]:
    """Return one's own table, or those of the catalogue, with their names."""
    if request.data is not None:
        return [_own_table(request, request.data)]
    return _loaded(_catalogued(request))


def _own_table(request: Request, source: "Source") -> tuple[str, Any, Any]:
    from thresher.benchmark.own_table import read_own_table

    assert request.target is not None
    X, y, notes = read_own_table(source, request.target, request.drop)
    for note in notes:
        tell(f"Warning: {as_options(note)}")
    few = min(y.count(label) for label in set(y))
    if few < request.folds:
        rows = f"{few} rows" if few > 1 else "1 row"
        way_out = f"take --folds {few}" if few > 1 else "two are needed at least"
        raise TableError(
            f"{source.shown} has {rows} of the rare class, too few for {request.folds} folds: "
            f"{way_out}."
        )
    return source.name, X, y


def _has_gaps(datasets: list[tuple[str, Any, Any]]) -> bool:
    import numpy as np

    return any(bool(np.isnan(X).any()) for _, X, _ in datasets)


def _catalogued(request: Request) -> list[str]:
    from thresher.benchmark.paper import paper_datasets
    from thresher.datasets import dataset_info, list_datasets

    names = request.datasets or list(paper_datasets())
    try:
        for name in names:
            dataset_info(name)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--datasets") from None
    if request.paper:
        foreign = [name for name in names if name not in paper_datasets()]
        if foreign:
            raise click.UsageError(f"--paper has no data set {', '.join(foreign)}.")
    if request.datasets:
        return names
    there = set(list_datasets("paper", available=True))
    absent = [name for name in names if name not in there]
    if absent:
        tell(f"Left out, since they are not here: {', '.join(absent)}.")
    return [name for name in names if name in there]


# ----------------------------------------------------------------------------------- run and write


def _run(request: Request, datasets: list[Any], methods: Any) -> "StudyResult":
    from thresher.benchmark import StudyError, StudyInterrupted, StudyWarning, run_study
    from thresher.benchmark.output.tables import counted

    _make_folder(request.out)
    what = f"{counted(len(methods), 'method')} on {counted(len(datasets), 'data set')}"
    tell(f"{what}, {request.folds} folds ...")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", StudyWarning)  # said at the end
            return run_study(
                datasets,
                methods,
                folds=request.folds,
                repeats=request.repeats or (PAPER_REPEATS if request.paper else 1),
                store=request.out / STORE,
                n_jobs=request.jobs,
                timeout=request.timeout,
                random_state=request.seed,
                empty_folds="keep",
                retry_failed=request.resume,
            )
    except StudyError as error:
        raise click.ClickException(str(error)) from None
    except StudyInterrupted as interruption:
        raise click.ClickException(f"{interruption} Add --resume to go on.") from None


def _loaded(names: list[str]) -> list[tuple[str, Any, Any]]:
    """Load tables by name, so that one that is not here is noticed before anything runs."""
    from thresher.datasets import load_dataset

    try:
        return [(name, *load_dataset(name)) for name in names]
    except (OSError, ValueError) as error:
        raise TableError(str(error)) from None


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise click.ClickException(
            f"The folder '{folder}' cannot be made: {error.strerror}."
        ) from None


def _cpu_seconds() -> float:
    """Seconds of CPU of this process and of those that it started and that have ended."""
    return sum(os.times()[:4])


def _write_folder(request: Request, study: "StudyResult", remarks: list[str]) -> "Comparison":
    from thresher.benchmark import StudyError
    from thresher.benchmark.analysis.comparison import Comparison, choose_control
    from thresher.benchmark.output.folder import StudyFolder
    from thresher.benchmark.output.reproduction import Reproduction

    comparison = Comparison(study, request.control or choose_control(study.methods))
    try:
        clock = None if request.resume else _cpu_seconds
        reproduction = Reproduction(comparison, clock) if request.paper else None
        standings = _standings(request, comparison)
        folder = StudyFolder(comparison, reproduction, remarks, standings)
        folder.write(request.out)
    except StudyError as error:
        raise click.ClickException(str(error)) from None
    for sentence in folder.left_out:
        tell(sentence)
    tell(f"Written: {request.out / 'index.html'}")
    return comparison


def _standings(request: Request, comparison: "Comparison") -> "Standings | None":
    """Return who is best on one's own table; of several data sets the ranks tell."""
    from thresher.benchmark.analysis.standings import Standings

    return Standings(comparison.study, request.rule or "f1") if request.data else None
