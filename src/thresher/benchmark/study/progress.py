"""How far a study is: a bar on a terminal, or a call of the user's own function."""

import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol, Self

from thresher.benchmark.study.plan import Plan, Run
from thresher.wording import visible


class Progress(NamedTuple):
    """How far a study is.

    Attributes
    ----------
    done, total : number of runs, those known from before included.
    seconds_left : estimated from the size of the tables; None if it cannot be.
    run : the run that has just ended.
    status : how it ended.
    """

    done: int
    total: int
    seconds_left: float | None
    run: Run
    status: str


class Display(Protocol):
    """Whoever shows progress."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *error: object) -> None: ...

    def __call__(self, progress: Progress) -> None:
        """Show it."""


class Clock:
    """Estimates the time left: a run takes time in proportion to the cells of its table."""

    def __init__(self, plan: Plan) -> None:
        cells = {name: _cells(dataset.X) for name, dataset in plan.datasets.items()}
        self._open = {run.key: cells[run.dataset] for run in plan.runs}
        self._total, self._left = len(self._open), sum(self._open.values())
        self._worked, self._start = 0, time.monotonic()

    def skip(self, run: Run) -> None:
        """Note that a run is over without any work of this process."""
        self._left -= self._open.pop(run.key, 0)

    def advance(self, run: Run, status: str) -> Progress:
        """Note that this process has done a run."""
        self._worked += self._open.get(run.key, 0)
        self.skip(run)
        elapsed = time.monotonic() - self._start
        seconds = elapsed * self._left / self._worked if self._worked else None
        return Progress(self._total - len(self._open), self._total, seconds, run, status)


def _cells(X: Any) -> int:
    rows, columns = X.shape if hasattr(X, "shape") else (len(X), len(X[0]))
    return int(rows * columns)


def make_display(progress: bool | Callable[[Progress], Any] | None) -> Display:
    """Return what shows progress: a bar by default, if standard error is a terminal."""
    if callable(progress):
        return _Callback(progress)
    has_terminal = sys.stderr is not None and sys.stderr.isatty()
    wanted = has_terminal if progress is None else bool(progress)
    return _Bar() if wanted else _Callback(lambda _: None)


class _Callback:
    def __init__(self, function: Callable[[Progress], Any]) -> None:
        self._function = function

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        return

    def __call__(self, progress: Progress) -> None:
        self._function(progress)


class _Bar:
    """A line on standard error: bar, runs, failures, time left, what ended last."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn
        from rich.progress import Progress as Bar

        self._bar = Bar(
            BarColumn(),
            TextColumn("{task.completed:.0f} of {task.total:.0f} runs"),
            TextColumn("{task.fields[left]}"),
            TextColumn("{task.description}", markup=False),
            console=Console(stderr=True),
            refresh_per_second=4,
            transient=True,
        )
        self._task = self._bar.add_task("", total=None, left="", visible=False)
        self._failed = 0

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._bar.stop()

    def __call__(self, progress: Progress) -> None:
        self._failed += progress.status != "done"
        failed = f", {self._failed} without outcome" if self._failed else ""
        self._bar.update(
            self._task,
            completed=progress.done,
            total=progress.total,
            left=f"{_duration(progress.seconds_left)} left{failed}",
            description=visible(f"{progress.run.dataset}, {progress.run.method}"),
            visible=True,
        )


def _duration(seconds: float | None) -> str:
    """Return a time as text.

    >>> _duration(None), _duration(7.4), _duration(3725)
    ('?', '0:07', '1:02:05')
    """
    if seconds is None:
        return "?"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
