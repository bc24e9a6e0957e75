"""Real Dask clusters on the loopback interface, and tables on them."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import dask.dataframe as dd
import pandas as pd
from distributed import Client, LocalCluster
from distributed.diagnostics.plugin import SchedulerPlugin

LITTLE = 160_000
"""Bytes: trees of 15,000 rows take several rounds of counting before rows are fetched."""


@contextmanager
def running(n_workers: int, **options: Any) -> Iterator[Client]:
    """Yield a client of a cluster of worker processes; it is not made the current one."""
    with (
        LocalCluster(
            n_workers=n_workers,
            processes=True,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            **options,
        ) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield client


def collection(parts: list[pd.DataFrame]) -> Any:
    """Return a dask DataFrame with these partitions, of unknown divisions."""
    return dd.from_map(part_at, range(len(parts)), parts=parts, meta=parts[0].iloc[:0])


def part_at(place: int, parts: list[pd.DataFrame]) -> pd.DataFrame:
    return parts[place]


class TaskLog(SchedulerPlugin):
    """Notes which function ran where."""

    def __init__(self) -> None:
        self.done: list[tuple[str, str]] = []

    def transition(
        self, key: Any, start: str, finish: str, *args: Any, worker: str = "", **more: Any
    ) -> None:
        if (start, finish) == ("processing", "memory"):
            self.done.append((str(key).split("-")[0], worker))

    def workers_of(self, function: str) -> list[str]:
        return [worker for name, worker in self.done if name == function]


class logged:  # noqa: N801
    def __init__(self, client):
        self.scheduler, self.log = client.cluster.scheduler, TaskLog()

    def __enter__(self):
        self.scheduler.add_plugin(self.log, name="log")
        return self.log

    def __exit__(self, *error):
        self.scheduler.remove_plugin("log")


def nothing_left(client: Client) -> bool:
    """Whether a cluster forgets all tasks within seconds."""
    deadline = time.monotonic() + 10
    while client.cluster.scheduler.tasks and time.monotonic() < deadline:
        time.sleep(0.05)
    return not client.cluster.scheduler.tasks
