"""A study: methods compared on data sets, fold by fold, in a store that outlives the process."""

import time
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from os import PathLike
from typing import Any

from joblib import effective_n_jobs

from thresher.benchmark.errors import StudyError, StudyInterrupted, StudyWarning
from thresher.benchmark.study.dataset import Folds
from thresher.benchmark.study.execution import Executor, InThisProcess, RunOutcome
from thresher.benchmark.study.measures import METRICS
from thresher.benchmark.study.plan import Plan, Run, make_plan
from thresher.benchmark.study.progress import Clock, Progress, make_display
from thresher.benchmark.study.result import RunRecord, StudyResult
from thresher.benchmark.study.store import Claim, Retry, Store
from thresher.validation import check_choice, check_number, jobs_for

POLL = 0.1
"""Seconds between two looks at runs that are under way in other processes."""


def run_study(
    datasets: Any,
    methods: Any,
    *,
    folds: int = 10,
    repeats: int = 1,
    metrics: Sequence[str] | None = None,
    store: str | PathLike[str] | None = "results.sqlite",
    n_jobs: int | None = None,
    timeout: float | None = None,
    random_state: int = 0,
    progress: bool | Callable[[Progress], Any] | None = None,
    empty_folds: str = "raise",
    retry_failed: bool = False,
) -> StudyResult:
    """Compare methods on data sets by stratified cross-validation.

    All methods see the same folds. Each run, one fold of one method on one data set, is stored as
    soon as it has ended, under a key of all that it depends on (data, parameters, versions, fold,
    seed). A study that was killed goes on where it was when it is called again, and several
    processes may work on one store. A method that raises an error or takes too long does not stop
    the others.

    Parameters
    ----------
    datasets : names of `thresher.datasets`, (name, X, y) tuples, or a mapping of names to (X, y)
        Of two classes; the rarer one is the positive one, and methods see it as 1, the other as 0.
    methods : names of `METHODS`, or a mapping of names to factories or estimators
        A factory takes `random_state` and returns an estimator. An estimator is cloned; where it
        leaves `random_state` open, it gets the seed of the repeat.
    folds, repeats : int, default=10 and 1
        Repeat r shuffles the rows with the seed `random_state` + r.
    metrics : names of `METRICS`, default=None
        Columns of the result's data frame; all by default. Everything is measured in any case.
    store : path, default="results.sqlite"
        SQLite file, made where it does not exist. None: in memory, gone after the call.
    n_jobs : int, default=None
        Number of runs at a time, each in a worker process; -1 for one a core. Each run takes one
        thread of BLAS.
    timeout : float, default=None
        Seconds of wall time after which a run is stopped; runs take place in worker processes then.
    random_state : int, default=0
        Seed of the folds and of the methods.
    progress : bool or callable, default=None
        A bar on standard error; by default if that is a terminal. A function is called with a
        `Progress` after each run.
    empty_folds : {"raise", "keep"}, default="raise"
        What to do where the rare class has fewer rows than there are folds. "keep": F1 and the
        other measures of counts are 0 where they are undefined, as in the paper.
    retry_failed : bool, default=False
        Try runs again that failed in an earlier call. Runs that were interrupted, or stopped by a
        shorter timeout, always are.

    Returns
    -------
    StudyResult
        Runs, failures, and tables of data sets by methods.

    Raises
    ------
    StudyError
        For what cannot be studied or stored; its `result` has what was computed.
    StudyInterrupted
        On Ctrl-C; its `result` has what was computed, and the store keeps it.

    Warns
    -----
    StudyWarning
        If runs failed or were stopped.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from thresher.benchmark import METHODS, run_study
    >>> methods = {"ARDT": METHODS["ARDT"], "mine": DecisionTreeClassifier(max_depth=3)}
    >>> result = run_study(["Yeast-me1"], methods, folds=5, store=None)
    >>> result.table("f1").values.round(1)
    array([[0.7, 0.8]])
    >>> len(result.runs), result.failures
    (10, [])
    """
    for metric in metrics or ():
        check_choice("metrics", metric, tuple(METRICS))
    if timeout is not None:
        check_number("timeout", timeout, 0.0, above=True)
    plan = make_plan(
        datasets, methods, Folds(folds, repeats, random_state), empty_folds=empty_folds
    )
    with Store(store, Retry(retry_failed, timeout)) as opened:
        study = _Study(plan, opened, tuple(metrics or METRICS))
        study.work(_executor(plan, n_jobs, timeout), progress)
        result = study.result()
    _warn_of_failures(result)
    return result


def load_study(store: str | PathLike[str]) -> StudyResult:
    """Read the study that was last started on a store, without running anything.

    Parameters
    ----------
    store : path
        A file that `run_study` wrote.

    Returns
    -------
    StudyResult
        Runs that have not been tried yet have the status "pending".
    """
    with Store(store, create=False) as opened:
        study, settings = opened.latest_study()
        return _result(opened.members(study), opened.outcomes(study), tuple(METRICS), settings)


def _executor(plan: Plan, n_jobs: int | None, timeout: float | None) -> Executor:
    size = min(int(effective_n_jobs(jobs_for(n_jobs, len(plan.runs)))), len(plan.runs))
    if size == 1 and timeout is None:
        return InThisProcess(plan)
    from thresher.benchmark.study.workers import WorkerPool

    return WorkerPool(plan, size, timeout)


class _Study:
    """A plan at work on a store; outcomes are kept here too, should the store fail."""

    def __init__(self, plan: Plan, store: Store, metrics: tuple[str, ...]) -> None:
        self._plan, self._store, self._metrics = plan, store, metrics
        self._store.enrol(plan)
        self._before = store.outcomes(plan.digest)
        self._computed: dict[str, RunOutcome] = {}

    def work(self, executor: Executor, progress: Any) -> None:
        """Execute what is open and record it."""
        clock = Clock(self._plan)
        agenda = _Agenda(self._plan.runs, self._before, self._store, clock)
        try:
            with make_display(progress) as display, executor:
                for run, outcome in _execute_open(agenda, executor):
                    self._computed[run.key] = outcome
                    self._store.record(run.key, outcome)
                    display(clock.advance(run, outcome.status))
        except KeyboardInterrupt:
            self._give_back("Stopped by Ctrl-C.")
            interrupted = StudyInterrupted(self._sentence())
            interrupted.result = self.result()
            raise interrupted from None
        except BaseException as error:
            self._give_back(f"The study was stopped: {error}")
            if isinstance(error, StudyError):
                error.result = self.result()
            raise

    def _give_back(self, reason: str) -> None:
        with suppress(StudyError):  # a store that failed cannot note this either
            for key in list(self._computed)[-1:]:  # Ctrl-C may have come before it was recorded
                self._store.record(key, self._computed[key])
            self._store.interrupt(reason)

    def _sentence(self) -> str:
        done = sum(outcome.status == "done" for outcome in self._outcomes().values())
        where = "the store was in memory, so that only `result` of this error has them"
        if self._store.path is not None:
            where = f"'{self._store.path}' keeps them, and the same call goes on from there"
        return f"Interrupted after {done} of {len(self._plan.runs)} runs; {where}."

    def _outcomes(self) -> dict[str, RunOutcome]:
        """Return what was known before, what the store has by now, and what was computed here."""
        stored: dict[str, RunOutcome] = {}
        with suppress(StudyError):
            stored = self._store.outcomes(self._plan.digest)
        return {**self._before, **stored, **self._computed}

    def result(self) -> StudyResult:
        """Return all runs with what is known of them."""
        return _result(self._plan.runs, self._outcomes(), self._metrics, self._plan.settings)


class _Agenda:
    """The runs that are open: claimed one by one, those of other processes looked at again."""

    def __init__(
        self, runs: Sequence[Run], known: Mapping[str, RunOutcome], store: Store, clock: Clock
    ) -> None:
        self._store, self._clock = store, clock
        self._open: deque[Run] = deque()
        self._elsewhere: list[Run] = []
        for run in {run.key: run for run in runs}.values():
            if run.key in known and known[run.key].status == "done":
                clock.skip(run)
            else:
                self._open.append(run)

    def claim_next(self) -> Run | None:
        """Return a run that is now this process's own; None if there is none to be had."""
        while self._open:
            run = self._open.popleft()
            claim = self._store.claim(run.key)
            if claim is Claim.OURS:
                return run
            if claim is Claim.OVER:
                self._clock.skip(run)
            else:
                self._elsewhere.append(run)
        return None

    def look_again(self) -> bool:
        """Put the runs of other processes on the agenda again; whether there are any."""
        self._open.extend(self._elsewhere)
        self._elsewhere.clear()
        return bool(self._open)


def _execute_open(agenda: _Agenda, executor: Executor) -> Iterator[tuple[Run, RunOutcome]]:
    """Keep the executor busy until nothing is open, and hand over outcomes as they come."""
    while True:
        while executor.has_room and (run := agenda.claim_next()) is not None:
            executor.submit(run)
        if executor.is_busy:
            yield executor.next_outcome()
        elif agenda.look_again():
            time.sleep(POLL)
        else:
            return


def _result(
    runs: Sequence[Run],
    outcomes: Mapping[str, RunOutcome],
    metrics: tuple[str, ...],
    settings: Mapping[str, Any],
) -> StudyResult:
    pending = RunOutcome("pending")
    records = (RunRecord(*run[:4], *outcomes.get(run.key, pending)) for run in runs)
    return StudyResult(tuple(records), metrics, settings)


def _warn_of_failures(result: StudyResult) -> None:
    failures = result.failures
    if failures:
        first = failures[0]
        warnings.warn(
            f"{len(failures)} of {len(result.runs)} runs have no outcome, first fold {first.fold} "
            f"of {first.method!r} on {first.dataset!r} ({first.status}: {first.error}); see "
            "result.failures.",
            StudyWarning,
            stacklevel=3,
        )
