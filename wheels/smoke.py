"""What an installed wheel must be able to do, with its declared requirements alone."""

import sys
import tempfile
from pathlib import Path

import numpy as np

import thresher
from thresher import _core
from thresher.datasets import make_assembly_line

line = make_assembly_line(1500, as_frame=False, random_state=0)
X, y = line.X, line.y

forest = thresher.ImbalancedForestClassifier(20, random_state=0).fit(X, y)
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "forest.thresher"
    thresher.save_model(forest, path)
    loaded = thresher.load_model(path)
assert np.array_equal(loaded.predict_proba(X), forest.predict_proba(X))

tree = thresher.ImbalancedTreeClassifier(max_depth=4).fit(X, y)
assert "CASE" in thresher.export.to_sql(tree, "parts")
assert 0 < tree.predict(X).sum() < len(y)
assert np.allclose(tree.contributions(X[:3]).shape[0], 3)

print(f"thresher {thresher.__version__} on Python {sys.version.split()[0]}: {_core.__file__}")
