"""Kill an operation at random moments, in a process of its own; prints what was found as JSON.

    python -m tests.faults.killing OPERATION FOLDER KILLS

The children are forks, so that imports are paid for once.
"""

import json
import os
import random
import signal
import sys
import time
from collections import Counter
from pathlib import Path

from tests.faults.operations import OPERATIONS
from tests.faults.trials import Trials, litter


def killed(act, seconds):
    """Run a function in a fork and kill that after a while; whether it was still at work."""
    ready, told = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(told, b"!")
        act()
        os._exit(0)
    os.read(ready, 1)
    os.close(ready)
    os.close(told)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


def seconds_of(operation, trials):
    """Return what the operation takes in a fork."""
    times = []
    for _ in range(3):
        with trials.copy() as place:
            start = time.perf_counter()
            child = os.fork()
            if child == 0:
                operation.act(place)
                os._exit(0)
            os.waitpid(child, 0)
            times.append(time.perf_counter() - start)
    return sorted(times)[1]


def main(name, folder, kills):
    operation, draw = OPERATIONS[name](), random.Random(0)
    trials = Trials(operation, Path(folder))
    longest = seconds_of(operation, trials)
    left, hidden, in_time = Counter(), [], 0
    for _ in range(int(kills)):
        with trials.copy() as place:
            moment = draw.uniform(0, longest)
            in_time += killed(lambda place=place: operation.act(place), moment)
            left[trials.found(place)] += 1
            hidden += litter(place)
    report = {"left": left, "litter": len(hidden), "in_time": in_time, "longest": longest}
    sys.stdout.write(json.dumps(report) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
