"""Worker processes: started once, fed with tables and runs through pipes, killed on a timeout.

A worker is a fresh interpreter, not a fork, and does not import the main script; functions of the
main script travel by value. A table is sent once to each worker that needs it.
"""

import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from typing import Any, Self

from joblib import wrap_non_picklable_objects

from thresher.benchmark.errors import StudyError
from thresher.benchmark.study.dataset import Dataset
from thresher.benchmark.study.execution import RunOutcome, error_text
from thresher.benchmark.study.plan import Plan, Run
from thresher.benchmark.study.serving import RUN, STARTED, TABLE, Message, receive, send

START = (
    "import sys; sys.path[:] = sys.argv[1:]; "
    "from thresher.benchmark.study.serving import serve; serve()"
)
ONE_THREAD = {
    f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL", "BLIS", "NUMEXPR")
}
PATIENCE = 0.5
"""Seconds of waiting after which an interrupt is looked for, on systems where it has to be."""


class WorkerPool:
    """Executes several runs at a time; a run that exceeds `timeout` seconds is stopped."""

    def __init__(self, plan: Plan, size: int, timeout: float | None) -> None:
        self._plan, self._size, self._timeout = plan, size, timeout
        self._replies: queue.Queue[tuple[Worker, Any]] = queue.Queue()
        self._workers: list[Worker] = []
        self._pickled: dict[str, bytes] = {}

    @property
    def has_room(self) -> bool:
        """Whether another run may be submitted."""
        return len(self._busy) < self._size

    @property
    def is_busy(self) -> bool:
        """Whether there is a run whose outcome has not been handed over."""
        return bool(self._busy)

    @property
    def _busy(self) -> "list[Worker]":
        return [worker for worker in self._workers if worker.run is not None]

    def submit(self, run: Run) -> None:
        """Send a run to a worker, one that has its table if there is one; else start another."""
        contender = self._contender(run.method)
        idle = [worker for worker in self._workers if worker.run is None]
        knowing = [worker for worker in idle if worker.table == run.dataset]
        worker = (knowing or idle or [self._start_worker()])[0]
        worker.send(run, self._plan.datasets[run.dataset], contender)

    def _start_worker(self) -> "Worker":
        worker = Worker(self._replies)
        self._workers.append(worker)
        return worker

    def _contender(self, method: str) -> bytes:
        if method not in self._pickled:
            # What the main script defines travels by value.
            source = wrap_non_picklable_objects(self._plan.methods[method], keep_wrapper=False)
            self._pickled[method] = _dumps(f"Method {method!r}", source)
        return self._pickled[method]

    def next_outcome(self) -> tuple[Run, RunOutcome]:
        """Wait for one of the runs and return it with its outcome."""
        while True:
            for worker in self._busy:
                if worker.deadline is not None and worker.deadline <= time.monotonic():
                    return self._stop_overdue(worker)
            try:
                worker, reply = self._replies.get(timeout=self._patience())
            except queue.Empty:
                continue
            if worker not in self._workers:  # stopped meanwhile
                continue
            if reply is None and worker.run is None:
                self._forget(worker)
            elif reply is None:
                return self._reap(worker)
            elif reply == STARTED:
                worker.start_clock(self._timeout)
            else:
                return worker.finish(), reply

    def _patience(self) -> float:
        deadlines = [worker.deadline for worker in self._busy if worker.deadline is not None]
        return max(0.0, min([PATIENCE, *(end - time.monotonic() for end in deadlines)]))

    def _forget(self, worker: "Worker") -> int:
        self._workers.remove(worker)
        return worker.kill()

    def _stop_overdue(self, worker: "Worker") -> tuple[Run, RunOutcome]:
        self._forget(worker)
        text = f"Stopped after {self._timeout:g} s, the timeout of a run."
        return worker.finish(), RunOutcome("timeout", text)

    def _reap(self, worker: "Worker") -> tuple[Run, RunOutcome]:
        code = self._forget(worker)
        if not worker.has_spoken:
            raise StudyError(
                f"A worker process could not start (exit code {code}); its message stands above, "
                "on standard error."
            )
        text = f"The worker process died with exit code {code}: a crash, or out of memory."
        return worker.finish(), RunOutcome("failed", text)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        for worker in self._workers:
            worker.close()


class Worker:
    """One process, seen from the process that started it."""

    def __init__(self, replies: "queue.Queue[tuple[Worker, Any]]") -> None:
        # A session of its own, on Windows a group: Ctrl-C reaches the study, which decides, and not
        # its workers.
        self._process = subprocess.Popen(
            [sys.executable, "-c", START, *sys.path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
            env={**os.environ, **ONE_THREAD},
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._to_worker, self._from_worker = self._process.stdin, self._process.stdout
        self.run: Run | None = None
        self.table: str | None = None
        self.deadline: float | None = None
        self.has_spoken = False
        self._replies = replies
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        """Hand over every reply, and None when the process has gone."""
        with self._from_worker as stream:
            while (message := receive(stream)) is not None:
                self._replies.put((self, pickle.loads(message.body)))
        self._replies.put((self, None))

    def send(self, run: Run, dataset: Dataset, contender: bytes) -> None:
        """Send a run, and its table where the worker has another."""
        messages = [Message(RUN, pickle.dumps((run, contender)))]
        if self.table != run.dataset:
            messages.insert(0, Message(TABLE, _dumps(f"Data set {run.dataset!r}", dataset)))
        self.run, self.table = run, run.dataset
        try:
            for message in messages:
                send(self._to_worker, message)
        except OSError:  # it died; `_listen` says so
            return

    def start_clock(self, timeout: float | None) -> None:
        """Note that the run has begun."""
        self.has_spoken = True
        self.deadline = None if timeout is None else time.monotonic() + timeout

    def finish(self) -> Run:
        """Return the run that is over."""
        assert self.run is not None
        run, self.run, self.deadline = self.run, None, None
        return run

    def kill(self) -> int:
        """Stop the process with all that it started, and return its exit code."""
        if hasattr(os, "killpg"):
            # macOS answers a signal to a group of dead processes with a want of permission.
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        else:
            self._process.kill()
        with suppress(OSError):
            self._to_worker.close()
        return self._process.wait()

    def close(self) -> None:
        """End the process: at once if it is at work, else by telling it that no run follows."""
        with suppress(OSError):
            self._to_worker.close()
        if self.run is None:
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(timeout=5.0)
        self.kill()


def _dumps(owner: str, value: Any) -> bytes:
    try:
        return pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
    except Exception as error:
        raise StudyError(
            f"{owner} cannot be sent to a worker process ({error_text(error)}); run it with "
            "n_jobs=1 and timeout=None."
        ) from error
