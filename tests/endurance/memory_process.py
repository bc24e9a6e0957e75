"""Fit or load the same model many times; prints the resident megabytes as they go.

python -m tests.endurance.memory_process KIND COUNT
"""

import json
import sys
import tempfile
from pathlib import Path

from tests.table_factory import Table
from thresher import (
    ImbalancedForestClassifier,
    ImbalancedTreeClassifier,
    ThresholdClassifier,
    load_model,
    save_model,
)

SAMPLES = 20
"""Looks at the memory, at equal distances; the first is after the first of so many parts."""

X, Y = Table(columns=7, levels=[range(5)], missing=0.05, noise=1.0).numpy()
CATEGORIES = {"categorical_features": [7]}

FITS = {
    "tree": lambda: ImbalancedTreeClassifier(**CATEGORIES, n_jobs=2),
    "forest": lambda: ImbalancedForestClassifier(10, **CATEGORIES, n_bootstrap=2, n_jobs=2),
    "threshold": lambda: ThresholdClassifier(ImbalancedTreeClassifier(**CATEGORIES), cv=2),
}


def act_of(kind):
    name, _, verb = kind.partition(" ")
    make = FITS[name]
    if verb != "load":
        return lambda: make().fit(X, Y)
    path = Path(tempfile.mkdtemp()) / "model.thresher"
    save_model(make().fit(X, Y), path)
    return lambda: load_model(path).predict(X)


def resident():
    """Return the megabytes of this process that are in memory."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(status.partition("VmRSS:")[2].split()[0]) / 1024


def main(kind, count):
    act, found = act_of(kind), []
    for _ in range(SAMPLES):
        for _ in range(int(count) // SAMPLES):
            act()
        found.append(resident())
    sys.stdout.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
