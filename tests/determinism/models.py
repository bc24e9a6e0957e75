"""One table, the kinds of models on it, and one hash of each: hashes.json has them.

    python -m tests.determinism.models            prints the hashes as JSON
    python -m tests.determinism.models FILE       writes them to a file

A change of what a fit finds changes the hashes: make the file again, and say why in the commit.
"""

import json
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from safetensors.numpy import load

from thresher import (
    AlphaTreesClassifier,
    ImbalancedForestClassifier,
    ImbalancedTreeClassifier,
    ThresholdClassifier,
)
from thresher.model_file.file import StoredModel, to_bytes

GOLDEN = Path(__file__).parent / "hashes.json"
N_ROWS = 12_000  # enough for threads to be used
HOLED = 4
"""The column with missing values; the one after it holds levels."""


class Rows(NamedTuple):
    """Numbers that float32 holds, missing values, levels; labels; weights."""

    X: Any
    y: Any
    weight: Any

    def taken(self, order):
        return Rows(self.X[order], self.y[order], self.weight[order])


def make_rows():
    """Return the same rows by any NumPy: the draws of RandomState are frozen."""
    random = np.random.RandomState(0)
    X = random.randint(-4096, 4096, (N_ROWS, HOLED + 2)) / 64
    X[:, 0] = np.round(X[:, 0] / 8)  # many ties
    X[random.randint(0, 10, N_ROWS) == 0, HOLED] = np.nan
    X[:, HOLED + 1] = random.randint(0, 7, N_ROWS)
    noise = random.randint(-2000, 2000, N_ROWS) / 64
    signal = X[:, 1] + np.nan_to_num(X[:, HOLED]) + 20.0 * (X[:, HOLED + 1] == 3) + noise
    y = (signal > np.sort(signal)[int(0.95 * N_ROWS)]).astype(int)
    return Rows(X, y, random.randint(0, 9, N_ROWS) / 4)


def _tree(rows, n_jobs):
    return ImbalancedTreeClassifier(n_jobs=n_jobs).fit(rows.X[:, :HOLED], rows.y)


def _weighted_tree(rows, n_jobs):
    return ImbalancedTreeClassifier(n_jobs=n_jobs).fit(rows.X[:, :HOLED], rows.y, rows.weight)


def _repeating_tree(rows, n_jobs):
    return ImbalancedTreeClassifier(n_jobs=n_jobs).fit(rows.X[:, :HOLED], rows.y, 4 * rows.weight)


def _holed_tree(rows, n_jobs):
    tree = ImbalancedTreeClassifier(categorical_features=[HOLED + 1], n_jobs=n_jobs)
    return tree.fit(rows.X, rows.y)


def _binned_tree(rows, n_jobs):
    return ImbalancedTreeClassifier(max_bins=32, n_jobs=n_jobs).fit(rows.X, rows.y, rows.weight)


def _alpha_trees(rows, n_jobs):
    return AlphaTreesClassifier((0.3, 1, 2.5), n_jobs=n_jobs).fit(rows.X, rows.y)


def _best_cuts(n_jobs):
    forest = ImbalancedForestClassifier(6, n_bootstrap=5, random_state=3, n_jobs=n_jobs)
    return forest.set_params(random_cuts=0)


def _forest(rows, n_jobs):
    return _best_cuts(n_jobs).set_params(max_bins=None).fit(rows.X, rows.y)


def _forest_on_bins(rows, n_jobs):
    return _best_cuts(n_jobs).fit(rows.X, rows.y, rows.weight)


def _repeating_forest(rows, n_jobs):
    forest = _best_cuts(n_jobs).set_params(smoothing="laplace")
    return forest.fit(rows.X, rows.y, 4 * rows.weight)


def _forest_of_both_cuts(rows, n_jobs):
    forest = _best_cuts(n_jobs).set_params(random_cuts=0.5, max_bins=None)
    return forest.set_params(categorical_features=[HOLED + 1]).fit(rows.X, rows.y)


def _forest_of_both_cuts_on_bins(rows, n_jobs):
    forest = _best_cuts(n_jobs).set_params(random_cuts=0.5, categorical_features=[HOLED + 1])
    return forest.fit(rows.X, rows.y, rows.weight)


def _random_tree(rows, n_jobs):
    tree = ImbalancedTreeClassifier(splitter="random", random_state=5, n_jobs=n_jobs)
    return tree.set_params(categorical_features=[HOLED + 1]).fit(rows.X, rows.y, rows.weight)


def _threshold(rows, n_jobs):
    tree = ImbalancedTreeClassifier(max_leaf_nodes=20, n_jobs=n_jobs)
    model = ThresholdClassifier(tree, "f1", cv=2, n_bootstrap=5, random_state=0)
    return model.fit(rows.X, rows.y)


TREES = {
    "tree": _tree,
    "weighted tree": _weighted_tree,
    "tree of whole weights": _repeating_tree,
    "tree with levels and missing values": _holed_tree,
    "binned tree": _binned_tree,
    "alpha trees": _alpha_trees,
    "tree of random cuts": _random_tree,
}
"""What the order of the rows does not change."""
MODELS = {
    **TREES,
    "forest": _forest,
    "forest on bins": _forest_on_bins,
    "forest of whole weights": _repeating_forest,
    "forest of both cuts": _forest_of_both_cuts,
    "forest of both cuts on bins": _forest_of_both_cuts_on_bins,
    "threshold": _threshold,
}


def digest(model):
    """Return a hash of all arrays of a model's file, and of the threshold."""
    found = sha256(repr((float(model.threshold_),)).encode())
    for name, values in sorted(load(to_bytes(StoredModel(model, None))).items()):
        found.update(f"{name}{values.dtype.str}{values.shape}".encode() + values.tobytes())
    return found.hexdigest()


def digests(n_jobs=2):
    """Return the hashes of all kinds."""
    rows = make_rows()
    return {name: digest(fit(rows, n_jobs)) for name, fit in MODELS.items()}


def main(*paths):
    text = json.dumps(digests(), indent=2) + "\n"
    for path in paths:
        Path(path).write_text(text, encoding="utf-8")
    sys.stdout.write(text)


if __name__ == "__main__":
    main(*sys.argv[1:])
