"""Runs turned into outcomes, in this process; an error of a method is an outcome too."""

import time
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol, Self

import numpy as np
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from thresher.benchmark.study.contender import Contender
from thresher.benchmark.study.dataset import Dataset
from thresher.benchmark.study.measures import Measures, count_decisions, count_leaves, rank_quality
from thresher.benchmark.study.plan import Plan, Run
from thresher.frames import take_rows

MAX_TEXT = 1000
"""Most characters that are kept of an error or of warnings."""


class RunOutcome(NamedTuple):
    """How a run ended: "done" with measures; "failed", "timeout" or "interrupted" with an error."""

    status: str
    error: str | None = None
    warnings: str | None = None
    measures: Measures | None = None


class Executor(Protocol):
    """Whoever executes runs, one or several at a time."""

    @property
    def has_room(self) -> bool:
        """Whether another run may be submitted."""

    @property
    def is_busy(self) -> bool:
        """Whether there is a run whose outcome has not been handed over."""

    def submit(self, run: Run) -> None:
        """Take a run."""

    def next_outcome(self) -> tuple[Run, RunOutcome]:
        """Wait for one of the runs and return it with its outcome."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *error: object) -> None: ...


class InThisProcess:
    """Executes one run at a time, when its outcome is asked for, with one thread of BLAS.

    On tables of the usual size more threads of BLAS are several times slower, and a CPU time would
    depend on the number of cores.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._run: Run | None = None

    @property
    def has_room(self) -> bool:
        """Whether another run may be submitted."""
        return self._run is None

    @property
    def is_busy(self) -> bool:
        """Whether there is a run whose outcome has not been handed over."""
        return self._run is not None

    def submit(self, run: Run) -> None:
        """Take a run."""
        self._run = run

    def next_outcome(self) -> tuple[Run, RunOutcome]:
        """Execute the run."""
        assert self._run is not None
        run = self._run
        outcome = execute(run, self._plan.datasets[run.dataset], self._plan.methods[run.method])
        self._run = None
        return run, outcome

    def __enter__(self) -> Self:
        self._limits = threadpool_limits(1)
        return self

    def __exit__(self, *error: object) -> None:
        self._limits.restore_original_limits()


def execute(run: Run, dataset: Dataset, contender: Contender) -> RunOutcome:
    """Fit and measure one fold; whatever the method raises becomes the outcome."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        try:
            measures = measure(run, dataset, contender)
        except (Exception, SystemExit) as error:
            return RunOutcome("failed", error_text(error), _warning_text(caught))
    return RunOutcome("done", None, _warning_text(caught), measures)


def measure(run: Run, dataset: Dataset, contender: Contender) -> Measures:
    """Fit on the training rows of a fold and measure the model on the others."""
    train, test = dataset.rows(run.repeat, run.fold)
    X, X_test = take_rows(dataset.X, train), take_rows(dataset.X, test)
    truth = dataset.is_positive[test]
    model = contender.make(dataset.folds.seed(run.repeat))
    fit_time, _ = _time_call(model.fit, X, dataset.is_positive[train])
    predict_time, decisions = _time_call(model.predict, X_test)
    counts = count_decisions(truth, _checked(decisions, len(test)))
    quality = rank_quality(truth, model, X_test)
    return Measures(*counts, *quality, fit_time, predict_time, count_leaves(model))


def _time_call(function: Callable[..., Any], *arguments: Any) -> tuple[float, Any]:
    """Return the seconds of CPU that a call takes, all threads together, and what it returns."""
    start = time.process_time()
    found = function(*arguments)
    return time.process_time() - start, found


def _checked(decisions: Any, n_rows: int) -> Any:
    found = np.asarray(decisions)
    if found.shape != (n_rows,) or not np.isin(found, (0, 1)).all():
        raise ValueError(
            f"predict must return 0 or 1 for each of the {n_rows} rows, got the shape "
            f"{found.shape} and values such as {found.ravel()[:3].tolist()}."
        )
    return found


def error_text(error: BaseException) -> str:
    """Return an error as one text.

    >>> error_text(ValueError("no such column"))
    'ValueError: no such column'
    """
    return _storable(f"{type(error).__name__}: {error}")


def _warning_text(caught: list[warnings.WarningMessage]) -> str | None:
    """Return the different warnings, one a line."""
    lines = dict.fromkeys(f"{found.category.__name__}: {found.message}" for found in caught)
    return _storable("\n".join(lines)) or None


def _storable(text: str) -> str:
    """Cut a text, and replace what is no character, such as half of a surrogate pair."""
    return text[:MAX_TEXT].encode(errors="replace").decode()
