"""Run an operation with each of its faults; prints a line of JSON for each.

    python -m tests.faults.failing OPERATION FOLDER STEP FAULT ...

Each n has a fork of this process and a copy of the folder as it was before the operation.
"""

import json
import os
import sys
from itertools import count
from pathlib import Path

from tests.faults.failing_files import FAULTS, FailingCalls, Outcome
from tests.faults.operations import OPERATIONS
from tests.faults.trials import Trials, litter


def attempt(operation, calls, place, n, fault):
    """Run the operation in a fork; return its last words, None if it was killed."""
    ears, mouth = os.pipe()
    child = os.fork()
    if child == 0:
        error = None
        calls.arm(place, n, fault)
        try:
            operation.act(place)
        except Exception as raised:
            error = type(raised).__name__, str(raised)
        failed = calls.failed
        calls.arm(place, 0, fault)
        os.write(mouth, json.dumps({"failed": failed, "error": error}).encode())
        os._exit(0)
    os.close(mouth)
    with os.fdopen(ears, "rb") as pipe:
        words = pipe.read()
    os.waitpid(child, 0)
    return json.loads(words) if words else None


def outcomes(operation, folder, step, faults):
    calls, trials = FailingCalls(), Trials(operation, folder)
    for fault in faults:
        for n in count(1, step):
            with trials.copy() as place:
                words = attempt(operation, calls, place, n, fault)
                if words is not None and not words["failed"]:
                    break
                said = words or {"failed": "", "error": None}
                left = {"found": trials.found(place), "litter": litter(place)}
                yield Outcome(fault.name, n, **said, killed=words is None, **left)


def main(operation, folder, step, *faults):
    chosen = [FAULTS[fault] for fault in faults]
    for outcome in outcomes(OPERATIONS[operation](), Path(folder), int(step), chosen):
        sys.stdout.write(json.dumps(outcome._asdict()) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
