"""Fit under a limit of address space, some megabytes above what the process has: how does it end?

    python memory_limit.py tree 5

Prints "fitted" or "MemoryError"; a process that ends otherwise was aborted.
"""

import resource
import sys
from pathlib import Path

import numpy as np

from thresher import ImbalancedForestClassifier, ImbalancedTreeClassifier

MODELS = {
    "tree": lambda: ImbalancedTreeClassifier("gini", n_jobs=1),
    "threads": lambda: ImbalancedTreeClassifier("gini", n_jobs=2),
    "forest": lambda: ImbalancedForestClassifier(6, n_jobs=2, random_state=0),
}


def main(name, megabytes):
    draw = np.random.default_rng(0)
    X = draw.normal(size=(200_000, 8))
    y = (X[:, 0] + draw.normal(size=len(X)) > 2.5).astype(int)
    MODELS[name]().fit(X[:500], y[:500])  # modules that are loaded late are there
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    limit = pages * resource.getpagesize() + int(megabytes) * 2**20
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
    try:
        MODELS[name]().fit(X, y)
        outcome = "fitted"
    except MemoryError:
        outcome = "MemoryError"
    resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
    sys.stdout.write(outcome + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
