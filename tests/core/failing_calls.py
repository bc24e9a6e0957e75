"""Make each C++ allocation of a call fail, one run after the other, under a preloaded operator new.

    LD_PRELOAD=failing_new.so python -m tests.core.failing_calls tree 1

Prints for how many allocations it did so and how many ended in a MemoryError. The second argument
thins them: every n-th. Anything but a MemoryError or the usual result ends the process with a
traceback; a crash ends it without one.
"""

import ctypes
import gc
import sys

import numpy as np

from tests.scale.blocks import table_blocks
from tests.scale.tables import random_table
from thresher import (
    AlphaTreesClassifier,
    ImbalancedForestClassifier,
    ImbalancedTreeClassifier,
    ThresholdClassifier,
)
from thresher.scale.fitting import fit_blocks


def preloaded():
    library = ctypes.CDLL(None)
    library.thresher_calls.restype = ctypes.c_int64
    library.thresher_fail_at.argtypes = [ctypes.c_int64]
    return library


def table():
    draw = np.random.default_rng(0)
    X = draw.normal(size=(250, 4))
    X[:, 3] = np.floor(X[:, 3] * 2) % 5
    X[draw.random(250) < 0.1, 1] = np.nan
    return X, (X[:, 0] + draw.normal(size=250) > 1.5).astype(int), draw.uniform(0.5, 2.0, size=250)


X, Y, WEIGHTS = table()
TREE = {"categorical_features": [3], "pruning": None}


def of_tree(**parameters):
    model = ImbalancedTreeClassifier(**TREE, **parameters).fit(X, Y, WEIGHTS)
    return model.predict_proba(X)


def of_forest(**parameters):
    model = ImbalancedForestClassifier(
        4, categorical_features=[3], random_state=0, n_bootstrap=2, **parameters
    )
    return model.fit(X, Y).predict_proba(X)


def of_members():
    forest = ImbalancedForestClassifier(3, random_state=0, n_bootstrap=2).fit(X, Y)
    return np.concatenate([member.predict_proba(X) for member in forest.estimators_])


def of_threshold():
    model = ThresholdClassifier(ImbalancedTreeClassifier(max_depth=3), cv=2)
    return model.fit(X, Y).predict_proba(X)


def of_alpha_trees():
    model = AlphaTreesClassifier(alphas=(0.5, 1.0), categorical_features=[3])
    return model.fit(X, Y).predict_proba(X)


def of_rounds():
    """Grow over blocks with memory for few counts, so that there are several rounds."""
    blocks = random_table(3, n_rows=200)
    model = ImbalancedTreeClassifier(max_bins=9, max_depth=3)
    fit_blocks(model, table_blocks(blocks, 3, weighted=True), 40_000)
    return model.tree_.cut


CALLS = {
    "tree": of_tree,
    "bins": lambda: of_tree(max_bins=8),
    "leaves": lambda: of_tree(max_leaf_nodes=6),
    "forest": of_forest,
    "permutation": lambda: of_forest(importance="permutation"),
    "threads": lambda: of_forest(n_jobs=2),
    "members": of_members,
    "threshold": of_threshold,
    "alpha_trees": of_alpha_trees,
    "rounds": of_rounds,
}


def with_failure(library, call, n):
    """Return the result, None after a MemoryError, and whether there was an n-th allocation."""
    result = None
    library.thresher_fail_at(n)
    try:
        result = call()
    except MemoryError:
        pass
    finally:
        is_reached = library.thresher_calls() > n
        library.thresher_fail_at(-1)
    return result, is_reached


def main(name, step):
    library, call = preloaded(), CALLS[name]
    expected = call()
    tried = raised = 0
    for n in range(0, sys.maxsize, int(step)):
        result, is_reached = with_failure(library, call, n)
        if not is_reached:
            break
        tried += 1
        raised += result is None
        if result is not None and not np.array_equal(result, expected):
            raise AssertionError(f"another result after allocation {n}")
    gc.collect()
    sys.stdout.write(f"{tried} {raised}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
