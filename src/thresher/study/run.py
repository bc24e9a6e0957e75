"""Methods run on data sets, fold by fold, here or in worker processes, one line of JSON a run."""

import hashlib
import inspect
import json
import math
import pickle
import platform
import time
import warnings
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, field, replace
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from os import PathLike
from pathlib import Path
from typing import Any

import joblib
import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from thresher.errors import NotWrittenError
from thresher.frames import take_rows
from thresher.progress import progress_bar
from thresher.study.methods import METHODS
from thresher.study.results import Run, StudyResult, measure
from thresher.validation import check_choice, check_integer, check_number, jobs_for, read_target
from thresher.wording import storable

MAX_TEXT = 1000
"""Most characters that are kept of an error or of warnings."""


class StudyError(ValueError):
    """A study that cannot be run, or whose file cannot be read."""


class StudyWarning(UserWarning):
    """Some runs of a study failed or were stopped."""


@dataclass(frozen=True)
class _Table:
    """A table as it came, and its target as 1 for the rarer class, 0 for the other."""

    name: str
    X: Any
    is_positive: NDArray[np.int64]
    splits: dict[int, Any] = field(default_factory=dict)

    def rows(self, task: "_Task") -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return the rows to train and to test on."""
        if task.seed not in self.splits:
            folds = StratifiedKFold(task.folds, shuffle=True, random_state=task.seed)
            with warnings.catch_warnings():
                # Folds without positives have been refused or accepted before.
                warnings.filterwarnings("ignore", "The least populated class", UserWarning)
                self.splits[task.seed] = list(folds.split(self.is_positive, self.is_positive))
        train, test = self.splits[task.seed][task.run.fold]
        return train, test


@dataclass(frozen=True)
class _Task:
    """All that a run needs but its table."""

    run: Run
    method: Any
    folds: int
    seed: int


def run_study(
    data: Any,
    methods: Any,
    *,
    folds: int = 10,
    repeats: int = 1,
    path: str | PathLike[str] | None = None,
    resume: bool = False,
    n_jobs: int | None = None,
    timeout: float | None = None,
    random_state: int = 0,
    empty_folds: str = "raise",
    progress: bool = True,
) -> StudyResult:
    """Compare methods on data sets by stratified cross-validation.

    All methods see the same folds. Each run, one fold of one method on one data set, becomes a
    line of `path` as soon as it has ended. A method that raises an error or takes too long does
    not stop the others.

    Parameters
    ----------
    data : names of `thresher.datasets`, or a mapping of names to (X, y)
        Of two classes; the rarer one is the positive one, and methods see it as 1, the other as 0.
    methods : names of `METHODS`, or a mapping of names to factories or estimators
        A factory takes `random_state` and returns an estimator. An estimator is cloned; where it
        leaves `random_state` open, it gets the seed of the repeat.
    folds, repeats : int, default=10 and 1
        Repeat r shuffles the rows with the seed `random_state` + r, which the methods get too.
    path : path, default=None
        The file of JSON lines; no file by default.
    resume : bool, default=False
        Go on with the file that is there: runs that are done are not run again, those that failed
        are. A run counts as done if table, method, its parameters, fold, seed and versions are the
        same; the source code of a method is not looked at. By default a file that is there is an
        error.
    n_jobs : int, default=None
        Number of runs at a time, each in a worker process; -1 for one a core. Each run takes one
        thread of BLAS. A script that starts workers needs `if __name__ == "__main__":`.
    timeout : float, default=None
        Seconds of wall time after which a run is stopped; runs take place in worker processes then.
    random_state : int, default=0
        Seed of the folds and of the methods.
    empty_folds : {"raise", "keep"}, default="raise"
        What to do where the rare class has fewer rows than there are folds. "keep": F1 and the
        other measures of counts are 0 where they are undefined, as in the paper.
    progress : bool, default=True
        Whether to show a bar on standard error if that is a terminal.

    Returns
    -------
    StudyResult

    Raises
    ------
    StudyError
        For what cannot be studied or read.
    NotWrittenError
        If a line cannot be written.

    Warns
    -----
    StudyWarning
        If runs failed or were stopped.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from thresher.study import METHODS, run_study
    >>> methods = {"ARDT": METHODS["ARDT"], "mine": DecisionTreeClassifier(max_depth=3)}
    >>> result = run_study(["Yeast-me1"], methods, folds=5)
    >>> result.scores("f1").values.round(1)
    array([[0.7, 0.8]])
    >>> len(result.runs), result.failures
    (10, [])
    """
    check_integer("folds", folds, low=2)
    check_integer("repeats", repeats, low=1)
    check_integer("random_state", random_state, low=0, high=2**31)
    check_choice("empty_folds", empty_folds, ("raise", "keep"))
    if timeout is not None:
        check_number("timeout", timeout, 0.0, above=True)
    sources = _read_methods(methods)
    tables = _read_data(data)
    for table in tables.values():
        _check_classes(table, folds, may_be_empty=empty_folds == "keep")
    tasks = list(_tasks(tables, sources, folds, repeats, random_state))
    known = _lines_of(path, resume=resume)
    ended = {task.run: known[task.run.key] for task in tasks if task.run.key in known}
    open_tasks = [task for task in tasks if task.run not in ended]
    n_workers = joblib.effective_n_jobs(jobs_for(n_jobs, len(open_tasks)))
    if n_workers > 1 or timeout is not None:
        outcomes = _run_in_workers(open_tasks, tables, n_workers, timeout)
    else:
        outcomes = ((task.run, execute(task, tables[task.run.dataset])) for task in open_tasks)
    # More threads of BLAS are several times slower on tables of the usual size, and a time of CPU
    # would depend on the number of cores.
    bar = progress_bar("Comparing methods", len(open_tasks), shown=progress)
    with threadpool_limits(1), bar as done:
        for count, (run, outcome) in enumerate(outcomes, start=1):
            ended[run] = replace(run, **outcome)
            if path is not None:
                _append(Path(path), ended[run])
            done(count)
    result = StudyResult(tuple(ended[task.run] for task in tasks), folds)
    if result.failures:
        first = result.failures[0]
        warnings.warn(
            f"{len(result.failures)} of {len(tasks)} runs have no outcome, first fold {first.fold} "
            f"of {first.method!r} on {first.dataset!r} ({first.status}: {first.error}); see "
            "result.failures.",
            StudyWarning,
            stacklevel=2,
        )
    return result


def load_study(path: str | PathLike[str]) -> StudyResult:
    """Read what a study has written so far, without running anything.

    Parameters
    ----------
    path : path
        The file of `run_study`; of a run that was done several times the last line counts.

    Returns
    -------
    StudyResult
        Runs that have not been tried are absent.
    """
    try:
        runs = _read_lines(Path(path))
    except FileNotFoundError:
        raise StudyError(
            f"There is no file '{path}'; run_study(..., path=...) writes it."
        ) from None
    latest = {(run.dataset, run.method, run.repeat, run.fold): run for run in runs}
    return StudyResult(tuple(latest.values()), 1 + max((fold for *_, fold in latest), default=0))


# ---------------------------------------------------------------------------- what is to be done


def _read_methods(methods: Any) -> dict[str, Any]:
    """Read names of `METHODS`, or a mapping of names to factories and estimators."""
    if isinstance(methods, str):
        methods = [methods]
    if not isinstance(methods, Mapping):
        names = list(methods)
        for name in names:
            check_choice("methods", name, tuple(METHODS))
            if names.count(name) > 1:
                raise StudyError(f"methods names {name!r} twice; name it once.")
        methods = {name: METHODS[name] for name in names}
    if not methods:
        raise StudyError("methods is empty; name at least one.")
    for name, source in methods.items():
        if not (_is_estimator(source) or callable(source)):
            raise StudyError(
                f"Method {name!r} must be an estimator or a function that takes random_state and "
                f"returns one, got {source!r}."
            )
    return {str(name): source for name, source in methods.items()}


def _is_estimator(source: Any) -> bool:
    return hasattr(source, "fit") and not inspect.isclass(source)


def make_method(source: Any, seed: int) -> Any:
    """Return a new, unfitted estimator; random states that it leaves open get the seed."""
    if not _is_estimator(source):
        return source(random_state=seed)
    estimator = clone(source)
    unset = [name for name, value in sorted(estimator.get_params().items()) if value is None]
    seeds = {name: seed for name in unset if name.split("__")[-1] == "random_state"}
    return estimator.set_params(**seeds)


def _read_data(data: Any) -> dict[str, _Table]:
    """Read names of data sets, or a mapping of names to (X, y)."""
    if not isinstance(data, Mapping):
        from thresher.datasets import load_dataset

        names = [data] if isinstance(data, str) else list(data)
        data = {name: load_dataset(name) for name in names}
        if len(data) < len(names):
            raise StudyError("data names a data set twice; name each once.")
    if not data:
        raise StudyError("data is empty; name at least one data set.")
    tables = {}
    for name, pair in data.items():
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise StudyError(f"Data set {name!r} must be a pair (X, y), got {type(pair).__name__}.")
        X, y = pair
        try:
            target = read_target(y, X.shape[0] if hasattr(X, "shape") else len(X))
        except (TypeError, ValueError) as error:
            raise StudyError(f"Data set {name!r} cannot be used: {error}") from error
        tables[str(name)] = _Table(str(name), X, target.is_positive.astype(np.int64))
    return tables


def _check_classes(table: _Table, folds: int, *, may_be_empty: bool) -> None:
    """Raise unless every fold can be trained and tested on rows of both classes."""
    few, many = np.sort(np.bincount(table.is_positive, minlength=2)).tolist()
    if few < 2 or many < folds or (few < folds and not may_be_empty):
        raise StudyError(
            f"Data set {table.name!r} has {few} and {many} rows of its classes, too few for "
            f"{folds} folds: take fewer folds, or empty_folds='keep' (F1 = 0 where no row is "
            "positive), which needs 2 rows of the rare class."
        )


def _tasks(
    tables: Mapping[str, _Table],
    sources: Mapping[str, Any],
    folds: int,
    repeats: int,
    random_state: int,
) -> Iterator[_Task]:
    """Yield the runs in the order of data sets, repeats, methods and folds."""
    import sklearn

    import thresher

    versions = [platform.python_version(), *(one.__version__ for one in (np, sklearn, thresher))]
    seeds = range(random_state, random_state + repeats)
    contents = {(name, seed): _content(sources[name], seed) for name in sources for seed in seeds}
    for table in tables.values():
        digest = joblib.hash((table.X, table.is_positive))
        for repeat, seed in enumerate(seeds):
            for name, source in sources.items():
                for fold in range(folds):
                    run = Run(table.name, name, repeat, fold)
                    parts = [*astuple(run)[:4], digest, contents[name, seed], folds, seed, versions]
                    key = hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]
                    yield _Task(replace(run, key=key), source, folds, seed)


def _content(source: Any, seed: int) -> str:
    """Return what tells a method with its parameters from another one."""
    try:
        return str(joblib.hash(make_method(source, seed)))
    except Exception as error:  # its runs fail one by one, the study goes on
        return f"{type(error).__name__}: {error}"


# ------------------------------------------------------------------------- the file of JSON lines


def _lines_of(path: str | PathLike[str] | None, *, resume: bool) -> dict[str, Run]:
    """Return the runs of a file that are done, by key, and make the file ready for more."""
    if path is None:
        if resume:
            raise StudyError("resume=True goes on with a file: name it with path=.")
        return {}
    path = Path(path)
    try:
        if not path.exists():
            path.touch()
            return {}
        if not resume:
            raise StudyError(
                f"'{path}' has the runs of an earlier study: resume=True goes on with them, or "
                "name another path."
            )
        runs = _read_lines(path)
        content = path.read_bytes()
        if not content.endswith(b"\n"):  # the last line was cut off by a kill
            with path.open("r+b") as file:
                file.truncate(content.rfind(b"\n") + 1)
    except OSError as error:
        raise NotWrittenError(f"'{path}' cannot be used: {error.strerror or error}.") from None
    return {run.key: run for run in runs if run.status == "done"}


def _read_lines(path: Path) -> list[Run]:
    """Read whole lines; a last one without its end was cut off, and does not count."""
    runs = []
    for number, line in enumerate(path.read_bytes().split(b"\n")[:-1], start=1):
        try:
            runs.append(Run(**json.loads(line)))
        except (ValueError, TypeError):
            raise StudyError(
                f"Line {number} of '{path}' is not a run of a study; remove the line or name "
                "another path."
            ) from None
    return runs


def _append(path: Path, run: Run) -> None:
    try:
        with path.open("a", encoding="utf-8", newline="") as file:
            file.write(json.dumps(asdict(run)) + "\n")
    except OSError as error:
        raise NotWrittenError(f"'{path}' cannot be written: {error.strerror or error}.") from None


# --------------------------------------------------------------------------------- doing the runs


def execute(task: _Task, table: _Table) -> dict[str, Any]:
    """Fit and measure one fold; whatever the method raises becomes the outcome."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        try:
            train, test = table.rows(task)
            X, X_test = take_rows(table.X, train), take_rows(table.X, test)
            model = make_method(task.method, task.seed)
            start = time.process_time()
            model.fit(X, table.is_positive[train])
            fit_time = time.process_time() - start
            measured = measure(model, X_test, table.is_positive[test])
            outcome = {**measured, "status": "done", "fit_time": fit_time}
        except (Exception, SystemExit) as error:
            outcome = _failed(f"{type(error).__name__}: {error}")
    lines = dict.fromkeys(f"{found.category.__name__}: {found.message}" for found in caught)
    return {**outcome, "warnings": storable("\n".join(lines)[:MAX_TEXT]) or None}


def _failed(error: str, status: str = "failed") -> dict[str, Any]:
    return {"status": status, "error": storable(error[:MAX_TEXT])}


class _Worker:
    """One process, seen from the process that started it.

    It is sent a task, its method as bytes, and the table where it does not have it yet; it answers
    with the outcome. Its first message says that it is ready.
    """

    def __init__(self) -> None:
        context = get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs,))
        self.process.start()
        theirs.close()
        self.is_ready = False
        self.run: Run | None = None
        self.table = ""
        self.deadline = math.inf

    def send(self, task: _Task, table: _Table, timeout: float | None) -> None:
        # Functions of the main script travel by value.
        method = joblib.wrap_non_picklable_objects(task.method, keep_wrapper=False)
        sent = None if self.table == table.name else table
        content = pickle.dumps((replace(task, method=None), pickle.dumps(method), sent))
        self.run, self.table = task.run, table.name
        if timeout is not None:
            self.deadline = time.monotonic() + timeout
        try:
            self.connection.send_bytes(content)
        except OSError:  # it died, which its end of the pipe tells
            return

    def finish(self) -> Run:
        assert self.run is not None
        run, self.run, self.deadline = self.run, None, math.inf
        return run

    def autopsy(self) -> dict[str, Any]:
        """Return the outcome of the run that the process died of; raise if it never began."""
        self.process.join()
        code = self.process.exitcode
        if not self.is_ready:
            raise StudyError(
                f"A worker process could not start (exit code {code}): a script that calls "
                'run_study needs `if __name__ == "__main__":`.'
            )
        return _failed(f"The worker process died with exit code {code}: a crash, or out of memory.")

    def kill(self) -> None:
        self.process.kill()
        self.process.join()
        self.connection.close()


def _serve(connection: Connection) -> None:
    """Carry out runs until the other end of the pipe is closed."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the study, which decides
    threadpool_limits(1)
    table: Any = None
    try:
        connection.send(None)
        while True:
            task, method, sent = pickle.loads(connection.recv_bytes())
            table = table if sent is None else sent
            try:
                outcome = execute(replace(task, method=pickle.loads(method)), table)
            except Exception as error:  # the method is of a module that is not here
                outcome = _failed(f"{type(error).__name__}: {error}")
            connection.send(outcome)
    except (EOFError, OSError):
        return


def _run_in_workers(
    tasks: Sequence[_Task], tables: Mapping[str, _Table], n_workers: int, timeout: float | None
) -> Iterator[tuple[Run, dict[str, Any]]]:
    """Yield runs with their outcomes as they end; a worker that hangs or dies is replaced."""
    waiting = deque(tasks)
    workers: list[_Worker] = []
    try:
        while waiting or any(worker.run for worker in workers):
            n_busy = sum(worker.run is not None for worker in workers)
            while len(workers) < min(n_workers, len(waiting) + n_busy):
                workers.append(_Worker())
            for worker in workers:
                if worker.is_ready and worker.run is None and waiting:
                    task = waiting.popleft()
                    worker.send(task, tables[task.run.dataset], timeout)
            soonest = min(worker.deadline for worker in workers) - time.monotonic()
            speaking = wait(
                [worker.connection for worker in workers],
                None if soonest == math.inf else max(0.0, soonest),
            )
            for worker in list(workers):
                outcome: dict[str, Any] | None = None
                is_gone = False
                if worker.connection in speaking:
                    try:
                        outcome = worker.connection.recv()  # the first one is None
                        worker.is_ready = True
                    except (EOFError, OSError):
                        outcome, is_gone = worker.autopsy(), True
                elif worker.deadline <= time.monotonic():
                    text = f"Stopped after {timeout:g} s, the timeout of a run."
                    outcome, is_gone = _failed(text, "timeout"), True
                if is_gone:
                    worker.kill()
                    workers.remove(worker)
                if outcome is not None and worker.run is not None:
                    yield worker.finish(), outcome
    finally:
        for worker in workers:
            worker.kill()
