"""The least time of each of several calls, measured in turns within one process."""

import gc
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from time import process_time
from typing import Any

Call = Callable[[], Any]
Clock = Callable[[], float]

MAX_ROUNDS = 300
MIN_ROUNDS = 2
SHORTEST_SAMPLE = 1e-3
"""Seconds; quicker calls are timed several at once."""


def best_seconds(
    calls: Mapping[str, Call], seconds: float, clock: Clock = process_time
) -> dict[str, float]:
    """Return the least time of one call of each, from rounds in which all take their turn.

    The rounds take about `seconds` (at least `MIN_ROUNDS`; with 0, only the first calls, which
    also warm up, are timed). In a round, quick calls are timed more often than slow ones.
    """
    with _no_collection():
        cost = {name: _first_cost(call, clock) for name, call in calls.items()}
        best = dict(cost)
        slowest = max(cost.values())
        samples = {name: _clip(0.1 * slowest / cost[name], 1, 10) for name in calls}
        for _ in range(_round_count(cost, samples, seconds)):
            for name, call in calls.items():
                number = _calls_a_sample(cost[name])
                for _ in range(samples[name]):
                    best[name] = min(best[name], _time(call, number, clock))
    return best


def _first_cost(call: Call, clock: Clock) -> float:
    """The second call tells the cost, for the first may load modules; not if it is slow."""
    first = _time(call, 1, clock)
    return first if first > 0.5 else min(first, _time(call, 1, clock))


def _round_count(cost: dict[str, float], samples: dict[str, int], seconds: float) -> int:
    if seconds <= 0:
        return 0
    a_round = sum(cost[name] * samples[name] * _calls_a_sample(cost[name]) for name in cost)
    return _clip(seconds / a_round, MIN_ROUNDS, MAX_ROUNDS)


def _calls_a_sample(cost: float) -> int:
    return _clip(SHORTEST_SAMPLE / cost, 1, 1000)


def _time(call: Call, number: int, clock: Clock) -> float:
    start = clock()
    for _ in range(number):
        call()
    return max(clock() - start, 1e-9) / number


def _clip(value: float, low: int, high: int) -> int:
    return int(min(max(value, low), high))


@contextmanager
def _no_collection() -> Iterator[None]:
    """Keep the garbage collector out of the figures, as timeit does."""
    was_enabled = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
