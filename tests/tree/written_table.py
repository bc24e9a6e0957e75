"""Fit again and again while another thread writes into the table; end with what was raised.

    python written_table.py tree permuted 3

Prints how many fits worked and the errors of the others, each once. Run as a process of its own: on
a failure it is the process that ends.
"""

import sys
import threading
import time
import warnings

import numpy as np

from thresher import ImbalancedForestClassifier, ImbalancedTreeClassifier

N_ROWS = 60_000
MODELS = {
    "tree": lambda: ImbalancedTreeClassifier("gini"),
    "renyi": lambda: ImbalancedTreeClassifier("renyi", alpha=3.0, max_depth=3),
    "bins": lambda: ImbalancedTreeClassifier("gini", max_bins=64),
    "forest": lambda: ImbalancedForestClassifier(6, n_jobs=2),
}


def permuted(X, draw):
    X[:] = draw.permutation(X)


def spoilt(X, draw):
    X[draw.integers(0, N_ROWS, 1000), draw.integers(0, X.shape[1])] = draw.choice(
        [np.nan, np.inf, -np.inf, 0.0, 1e308]
    )


def main(model, change, seconds):
    warnings.simplefilter("ignore", UserWarning)  # a spoilt table may leave a single leaf
    draw = np.random.default_rng(0)
    clean = draw.normal(size=(N_ROWS, 6))
    y = (clean[:, 0] + draw.normal(size=N_ROWS) > 2).astype(int)
    weights = draw.uniform(0.5, 2.0, size=N_ROWS)
    X = clean.copy()
    ended = threading.Event()

    def write():
        own = np.random.default_rng(1)
        while not ended.is_set():
            {"permuted": permuted, "spoilt": spoilt}[change](X, own)

    threading.Thread(target=write, daemon=True).start()
    fitted, errors = 0, set()
    end = time.monotonic() + float(seconds)
    while time.monotonic() < end:
        for weight in (None, weights):
            X[:] = clean
            try:
                MODELS[model]().fit(X, y, sample_weight=weight).predict(X)
                fitted += 1
            except (RuntimeError, ValueError) as error:
                errors.add(str(error).partition(":")[0])
    ended.set()
    sys.stdout.write("\n".join([f"{fitted} fitted", *sorted(errors)]) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
