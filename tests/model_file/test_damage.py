"""Thousands of damaged model files: each is refused in one sentence, or does no harm."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from thresher import (
    AlphaTreesClassifier,
    ImbalancedForestClassifier,
    ImbalancedTreeClassifier,
    LeastSquaresClassifier,
    ThresholdClassifier,
    save_model,
)

ROOT = Path(__file__).parents[2]
FILES = 4_000


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Small sound models of every kind, with categories, and rows for them."""
    folder = tmp_path_factory.mktemp("sound")
    random = np.random.default_rng(0)
    X = random.normal(size=(120, 3)).round(2)
    X[:, 2] = random.integers(0, 5, 120)
    y = (X[:, 0] > 0.8) | (X[:, 2] == 1)
    X[random.random((120, 3)) < 0.05] = np.nan
    filled = np.nan_to_num(X)
    growth = {"categorical_features": [2], "max_depth": 4}
    forest = ImbalancedForestClassifier(4, random_state=0, n_bootstrap=0, **growth)
    forest.fit(X, y, np.linspace(0.5, 1.5, 120))
    forest.imitation_ = forest.to_tree(4, cv=None)
    models = {
        "tree": (ImbalancedTreeClassifier(**growth).fit(X, y), X),
        "forest": (forest, X),
        "alpha_trees": (AlphaTreesClassifier((0.5, 2.0), **growth).fit(X, y), X),
        "least_squares": (LeastSquaresClassifier().fit(filled, y), filled),
        "threshold": (
            ThresholdClassifier(ImbalancedTreeClassifier(**growth), "f1", cv=2, random_state=0).fit(
                X, y
            ),
            X,
        ),
        "logistic": (ThresholdClassifier(LogisticRegression(), cv=2).fit(filled, y), filled),
    }
    for name, (model, table) in models.items():
        save_model(model, folder / f"{name}.thresher")
        np.save(folder / f"{name}.npy", table[:40])
    return folder


def test_damaged_files_are_refused_or_harmless(folder):
    """4,000 files, as found and with their digest made anew, in a process that is watched."""
    done = subprocess.run(
        [
            sys.executable,
            "-W",
            "error",
            "-m",
            "tests.model_file.damage_campaign",
            str(FILES),
            str(folder),
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    result = json.loads(done.stdout.splitlines()[-1])
    assert result["problems"] == []
    assert result["found refused"] == FILES
    assert result["resealed refused"] > 0.5 * FILES
    assert result["resealed loaded"] > 0.02 * FILES
    assert result["worst"] < 1.0
    # The process has 190 MB before the first file, most of it scikit-learn.
    assert result["extra_mb"] < 128
    endings = (
        "another copy, or save the model again.",
        "save_model write them.",
        "newer thresher.",
    )
    for sentence in result["sentences"]:
        assert sentence.startswith("'damaged.thresher' is ")
        assert sentence.endswith(endings), sentence
        assert "\n" not in sentence
