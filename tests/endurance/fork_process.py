"""Fork again and again, and fit in the child; prints how many children found the same model.

    python -m tests.endurance.fork_process FORKS quiet|busy

busy: a thread of the parent fits all the while.
"""

import json
import os
import signal
import sys
import threading

from tests.table_factory import Table
from thresher import ImbalancedForestClassifier, ImbalancedTreeClassifier
from thresher.model_file.file import StoredModel, to_bytes

PATIENCE = 120
"""Seconds after which a child that hangs is ended."""

X, Y = Table(rows=3000, columns=5, noise=1.0).numpy()


def content():
    """Return the bytes of a tree and a forest, grown by two threads."""
    tree = ImbalancedTreeClassifier(n_jobs=2).fit(X, Y)
    forest = ImbalancedForestClassifier(6, n_bootstrap=0, random_state=0, n_jobs=2).fit(X, Y)
    return to_bytes(StoredModel(tree, None)) + to_bytes(StoredModel(forest, None))


def fits_in_a_fork(expected):
    child = os.fork()
    if child == 0:
        signal.alarm(PATIENCE)
        os._exit(content() != expected)
    _, status = os.waitpid(child, 0)
    return status == 0


def fit_until(end):
    while not end.is_set():
        ImbalancedForestClassifier(20, n_bootstrap=0, n_jobs=2).fit(X, Y)


def main(forks, mode):
    expected, end = content(), threading.Event()
    if mode == "busy":
        threading.Thread(target=fit_until, args=(end,), daemon=True).start()
    same = sum(fits_in_a_fork(expected) for _ in range(int(forks)))
    end.set()
    sys.stdout.write(json.dumps({"same": same, "after": content() == expected}) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
