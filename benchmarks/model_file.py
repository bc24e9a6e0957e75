"""Model files beside joblib's of scikit-learn: time to load a tree, size of a forest."""

from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import joblib
from figures import Figure
from measure import best_seconds
from sklearn.ensemble import RandomForestClassifier
from tables import Shape, make_table

from thresher import ImbalancedForestClassifier, ImbalancedTreeClassifier, load_model, save_model

LEAVES, TREES = 1_000, 200
TREE_SHAPE = Shape(20_000, positive_share=0.5)
FOREST_SHAPE = Shape(2_000, positive_share=0.2)


def compare_files(seconds: float) -> list[Figure]:
    """Return the milliseconds that loading takes, and the size of a forest's file."""
    with TemporaryDirectory() as folder:
        return [_load(Path(folder) / "tree.thresher", seconds), *_sizes(Path(folder))]


def _load(path: Path, seconds: float) -> Figure:
    table = make_table(TREE_SHAPE)
    model = ImbalancedTreeClassifier(max_leaf_nodes=LEAVES, pruning=None)
    save_model(model.fit(table.X, table.y), path)
    (time,) = best_seconds({"load": lambda: load_model(path)}, seconds).values()
    leaves = model.get_n_leaves()
    name = f"load_model, tree of {leaves:,} leaves"
    return Figure("model file load", name, TREE_SHAPE, 1e3 * time, time, leaves)


def _sizes(folder: Path) -> list[Figure]:
    """Both forests are of one kind: all rows drawn, 4 of 16 columns a node, Gini."""
    table = make_table(FOREST_SHAPE)
    theirs = RandomForestClassifier(TREES, min_samples_leaf=2, random_state=0)
    ours: Any = ImbalancedForestClassifier(
        TREES, criterion="gini", bootstrap="plain", n_bootstrap=0, random_state=0
    )
    joblib.dump(theirs.fit(table.X, table.y), buffer := BytesIO())
    unit = len(buffer.getvalue())
    save_model(ours.fit(table.X, table.y), folder / "forest.thresher")
    size = (folder / "forest.thresher").stat().st_size
    leaves = int(ours.forest_.is_leaf.sum()) // TREES
    their_leaves = int(sum(tree.get_n_leaves() for tree in theirs.estimators_)) // TREES
    shape, part = FOREST_SHAPE, "model file size"
    return [
        Figure(part, "joblib, RandomForestClassifier", shape, 1.0, None, their_leaves, TREES),
        Figure(part, "save_model", shape, size / unit, None, leaves, TREES),
    ]
