"""`thresher compare`: methods beside each other on one's own table, or on data sets by name."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from thresher.cli.options import (
    PLACE,
    json_option,
    many,
    pop_source,
    seed_option,
    source_options,
)
from thresher.cli.output import as_options, print_json, print_table, say, tell
from thresher.errors import TableError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from thresher.study import StudyResult
    from thresher.tables.source import Source
    from thresher.tables.table import Column

RUNS = "runs.jsonl"
RULES = ("f1", "bcr", "gmean", "mcc")
"""What thresholds may be tuned for: metrics of `thresher.study` that need no parameter."""
FILLED = (
    "Missing values: methods that do not read them get the median of the training rows, and "
    "columns that say where it was filled in."
)


@dataclass(frozen=True)
class Request:
    """The options of the command."""

    data: "Source | None"
    target: str | None
    drop: list[str]
    datasets: list[str]
    methods: list[str]
    paper_methods: bool
    rule: str | None
    control: str | None
    folds: int
    repeats: int
    seed: int
    jobs: int
    timeout: float | None
    out: Path
    resume: bool
    as_json: bool


@click.command()
@click.option(
    "--data",
    type=PLACE,
    metavar="TABLE",
    help="Your own table: CSV, Excel, Parquet, '-' for standard input, or a database's URL.",
)
@click.option("--target", metavar="COLUMN", help="Column of --data with the two classes.")
@many("--drop", text="Columns of --data to leave out.")
@many("--datasets", text="Data sets of thresher.")
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
    default=1,
    show_default=True,
    help="Number of cross-validations, each with other folds.",
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
    help="Folder for tables and all runs.",
)
@click.option("--resume", is_flag=True, help="Go on with the runs that the folder has.")
@source_options
@json_option
def compare(data: str | None, **options: Any) -> None:
    """Compare methods by cross-validation, with statistics and tables.

    Give --data and --target, or --datasets. On --data the methods are those that people use, each
    with its threshold tuned alike on rows that it has not seen; the best comes first, and a
    sentence says which others are within the noise.
    """
    needed = [options["target"], *options["drop"]] if data else []
    source = pop_source(data or "", options, needed=needed)
    request = Request(data=source if data else None, **options)
    _check(request)
    import numpy as np

    from thresher.cli.comparison import fill_missing

    methods, remarks = _methods(request)
    tables = _catalogued(request.datasets) if request.data is None else _own_table(request)
    if any(bool(np.isnan(X).any()) for X, _ in tables.values()):
        methods = {name: partial(fill_missing, make) for name, make in methods.items()}
        remarks = [*remarks, FILLED]
    for remark in remarks:
        tell(remark)
    study = _run(request, tables, methods)
    _show(request, study, remarks)
    if study.failures:
        raise click.ClickException(
            f"{len(study.failures)} of {len(study.runs)} runs have no outcome; "
            f"'{request.out / 'tables' / 'failures.md'}' says why."
        )


# -------------------------------------------------------------------------------- what is asked for


def _check(request: Request) -> None:
    """Refuse options that do not go together, before anything is loaded or written."""
    if not (request.data or request.datasets):
        raise click.UsageError("Give --data and --target, or --datasets.")
    if request.data and request.datasets:
        raise click.UsageError("--data stands alone: leave out --datasets.")
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
    for name in (RUNS, "tables"):
        if (request.out / name).is_symlink():
            raise click.UsageError(
                f"'{request.out / name}' is a link, which is not followed out of a folder; name "
                "another folder with --out."
            )
    if not request.resume and (request.out / RUNS).exists():
        raise click.UsageError(
            f"'{request.out}' has the runs of an earlier comparison: add --resume to go on with "
            "them, or name another folder with --out."
        )


def _methods(request: Request) -> tuple[Mapping[str, Any], list[str]]:
    """Return factories of methods by name, and a sentence for each that is not installed.

    For one's own table these are by default what people use; a name that both have means the
    method with the tuned threshold.
    """
    from thresher.cli.comparison import TUNED_METHODS, what_is_missing
    from thresher.study import METHODS, PAPER_METHODS

    is_tuned = request.data is not None and not request.paper_methods
    rule = request.rule or "f1"
    known: dict[str, Any] = {**METHODS}
    if is_tuned:
        known |= {name: partial(make, rule) for name, make in TUNED_METHODS.items()}
    names = request.methods or (list(TUNED_METHODS) if is_tuned else PAPER_METHODS)
    _check_names("--methods", names, known)
    missing = {name: what_is_missing(known[name]) for name in names if name in TUNED_METHODS}
    remarks = [f"{name} is left out: {text}" for name, text in missing.items() if text]
    methods = {name: known[name] for name in names if not missing.get(name)}
    if not methods:
        raise click.ClickException(" ".join(remarks))
    _check_names("--control", [request.control] if request.control else [], methods)
    return methods, remarks


def _check_names(option: str, names: Sequence[str], known: Mapping[str, Any]) -> None:
    from thresher.validation import check_choice

    try:
        for name in names:
            check_choice(option, name, tuple(known))
    except ValueError as error:
        raise click.UsageError(str(error)) from None


def _catalogued(names: Sequence[str]) -> dict[str, tuple[Any, Any]]:
    """Load data sets by name, so that one that is not here is noticed before anything runs."""
    from thresher.datasets import dataset_info, load_dataset

    try:
        for name in names:
            dataset_info(name)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--datasets") from None
    try:
        return {name: load_dataset(name) for name in names}
    except (OSError, ValueError) as error:
        raise TableError(str(error)) from None


def _own_table(request: Request) -> dict[str, tuple[Any, Any]]:
    assert request.data is not None
    assert request.target is not None
    X, y, notes = read_own_table(request.data, request.target, request.drop)
    for note in notes:
        tell(f"Warning: {as_options(note)}")
    few = min(y.count(label) for label in set(y))
    if few < request.folds:
        rows = f"{few} rows" if few > 1 else "1 row"
        way_out = f"take --folds {few}" if few > 1 else "two are needed at least"
        raise TableError(
            f"{request.data.shown} has {rows} of the rare class, too few for {request.folds} "
            f"folds: {way_out}."
        )
    return {request.data.name: (X, y)}


def read_own_table(
    source: "Source", target: str, left_out: Sequence[str] = ()
) -> tuple["NDArray[Any]", list[str], tuple[str, ...]]:
    r"""Read a table in which a text column becomes one indicator column for each of its values.

    Parameters
    ----------
    source : Source
    target : str
        The column with the two classes.
    left_out : sequence of str
        Columns that are not used.

    Returns
    -------
    X : array of shape (rows, columns)
        NaN where a number is missing.
    y : list of str
        The classes as they stand in the file.
    notes : tuple of str
        How the table was read, and which columns are not learnt from.

    Raises
    ------
    TableError

    Examples
    --------
    >>> from thresher.tables.source import Source
    >>> path = getfixture("tmp_path") / "parts.csv"
    >>> _ = path.write_text("speed,line,state\n1.5,a,ok\n,b,scrap\n2,a,ok\n")
    >>> read_own_table(Source(str(path)), "state")
    (array([[1.5, 1. , 0. ], [nan, 0. , 1. ], [2. , 1. , 0. ]]), ['ok', 'scrap', 'ok'], ())
    """
    import numpy as np

    from thresher.tables.planning import left_aside
    from thresher.tables.target import read_labels, with_target

    table = source.read(texts=[target])
    table.need([target, *left_out])
    table = with_target(table, target)
    y = read_labels(table, target).tolist()
    features = table.without([target, *left_out])
    aside = left_aside(features)
    features = features.without(aside)
    if not features.columns:
        raise TableError(f"{table.source} has no column beside the target {target!r}.")
    parts = [_numbers(name, column) for name, column in features.columns.items()]
    return np.column_stack(parts), y, (*table.notes, *dict.fromkeys(aside.values()))


def _numbers(name: str, column: "Column") -> "NDArray[Any]":
    import numpy as np

    from thresher.column import MAX_LEVELS, Texts

    if not isinstance(column, Texts):
        return column
    if len(column.levels) > MAX_LEVELS:
        raise TableError(
            f"Column {name!r} is text with {len(column.levels)} different values, such as "
            f"{column.levels[0]!r}; leave it out (drop={name}) or turn it into numbers."
        )
    codes = np.arange(len(column.levels))
    indicators: NDArray[Any] = (column.codes[:, None] == codes).astype(np.float64)
    return indicators


# ------------------------------------------------------------------------------------- run and show


def _run(request: Request, tables: Mapping[str, Any], methods: Mapping[str, Any]) -> "StudyResult":
    from thresher.study import StudyError, StudyWarning, run_study
    from thresher.wording import counted

    try:
        request.out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise click.ClickException(
            f"The folder '{request.out}' cannot be made: {error.strerror}."
        ) from None
    what = f"{counted(len(methods), 'methods')} on {counted(len(tables), 'data sets')}"
    tell(f"{what}, {request.folds} folds ...")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", StudyWarning)  # said at the end
            return run_study(
                tables,
                methods,
                folds=request.folds,
                repeats=request.repeats,
                path=request.out / RUNS,
                resume=request.resume,
                n_jobs=request.jobs,
                timeout=request.timeout,
                random_state=request.seed,
                empty_folds="keep",
            )
    except StudyError as error:
        raise click.ClickException(str(error)) from None
    except KeyboardInterrupt:
        raise click.ClickException(
            f"Interrupted; '{request.out / RUNS}' keeps the runs that were done. Add --resume to "
            "go on."
        ) from None


def _show(request: Request, study: "StudyResult", remarks: list[str]) -> None:
    """Write all tables, and print the first one: who is best, or ranks on several data sets."""
    from thresher.cli.comparison import all_tables, conclusion, standings
    from thresher.whole_file import new_file

    metric = (request.rule or "f1") if request.data else None
    tables = all_tables(study, request.control, metric)
    for name, table in tables.items():
        for ending, text in (("csv", table.as_csv()), ("md", table.as_markdown())):
            path = request.out / "tables" / f"{name}.{ending}"
            with new_file(path, follow=False) as temporary:
                temporary.write_text(f"{text}\n", encoding="utf-8", newline="")
    tell(f"Written: {request.out}")
    order = standings(study, metric) if metric else []
    if request.as_json:
        content = {**study.to_dict(request.control), "out": str(request.out), "remarks": remarks}
        if metric:
            content["standings"] = [{**row._asdict(), "is_below": row.is_below} for row in order]
            content["conclusion"] = conclusion(order, metric)
        print_json(content)
    elif metric:
        print_table(tables["standings"])
        say(conclusion(order, metric))
    else:
        shown = ["scores_f1", "ranks_f1"] if len(study.datasets) > 1 else ["summary"]
        for name in shown:
            if name in tables:
                print_table(tables[name])
