"""The forest beside its rivals under the paper's protocol: `forest_study.py --cache FILE`.

Prints a table in Markdown. Every forest has 200 trees; LightGBM has its defaults.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from forest_protocol import Family, Prediction, main
from imblearn.ensemble import BalancedRandomForestClassifier
from lightgbm import LGBMClassifier
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import StratifiedKFold

import thresher
from thresher import AlphaTreesClassifier, ImbalancedTreeClassifier, ThresholdClassifier
from thresher.benchmark import METHODS
from thresher.threshold.rules import make_rule
from thresher.threshold.search import ScoredRows

TREES = 200
LEAVES = 32
"""Leaves of the trees that are meant to be read."""

Array = NDArray[Any]


def lightgbm(X: Array, y: Array, X_new: Array, seed: int) -> Iterator[Prediction]:
    model = ThresholdClassifier(
        LGBMClassifier(random_state=seed, n_jobs=1, verbosity=-1),
        rule="f1",
        cv=StratifiedKFold(5, shuffle=True, random_state=seed),
        n_bootstrap=0,
    ).fit(X, y)
    probability = model.predict_proba(X_new)[:, 1]
    yield Prediction.at(probability, 0.5)
    yield Prediction.at(probability, model.threshold_)


def random_forest(X: Array, y: Array, X_new: Array, seed: int) -> Iterator[Prediction]:
    model = RandomForestClassifier(TREES, oob_score=True, random_state=seed, n_jobs=1).fit(X, y)
    probability = model.predict_proba(X_new)[:, 1]
    yield Prediction.at(probability, 0.5)
    yield Prediction.at(probability, out_of_bag_threshold(model, y, "f1"))


def out_of_bag_threshold(model: Any, y: Array, rule: str) -> float:
    """Choose the threshold of a random forest on its out-of-bag probabilities, as ours does."""
    probability = model.oob_decision_function_[:, 1]
    has_votes = np.isfinite(probability)
    cuts = ScoredRows.of(probability[has_votes], y[has_votes]).cuts()
    return make_rule(rule).choose(cuts)


def balanced_random_forest(X: Array, y: Array, X_new: Array, seed: int) -> Iterator[Prediction]:
    model = BalancedRandomForestClassifier(TREES, random_state=seed, n_jobs=1)
    yield Prediction.of(model.fit(X, y), X_new)


def single_trees(X: Array, y: Array, X_new: Array, seed: int) -> Iterator[Prediction]:
    yield Prediction.of(METHODS["ARDT"](random_state=seed).fit(X, y), X_new)
    yield Prediction.of(ImbalancedTreeClassifier().fit(X, y), X_new)
    for criterion in ("adaptive_renyi", "entropy"):
        small = ImbalancedTreeClassifier(criterion, max_leaf_nodes=LEAVES)
        yield Prediction.of(small.fit(X, y), X_new)


def alpha_trees(X: Array, y: Array, X_new: Array, seed: int) -> Iterator[Prediction]:
    yield Prediction.of(AlphaTreesClassifier().fit(X, y), X_new)
    yield Prediction.of(AlphaTreesClassifier(voting="soft").fit(X, y), X_new)


def forest(X: Array, y: Array, X_new: Array, seed: int) -> Iterator[Prediction]:
    tuned = fitted_forest(X, y, seed, rule="f1")
    yield Prediction.of(tuned, X_new)
    yield Prediction.at(tuned.predict_proba(X_new)[:, 1], 0.5)
    yield Prediction.of(fitted_forest(X, y, seed, rule="bcr"), X_new)


def distilled_tree(X: Array, y: Array, X_new: Array, seed: int) -> Iterator[Prediction]:
    tree = fitted_forest(X, y, seed, rule="f1").to_tree(max_leaf_nodes=LEAVES, cv=None)
    yield Prediction.of(tree, X_new)


def fitted_forest(X: Array, y: Array, seed: int, rule: str) -> Any:
    model = thresher.ImbalancedForestClassifier(TREES, rule=rule, n_bootstrap=0, random_state=seed)
    return model.fit(X, y)


FAMILIES = [
    Family(("LightGBM at 0.5", "LightGBM tuned for F1"), lightgbm),
    Family(("RandomForest at 0.5", "RandomForest tuned for F1"), random_forest),
    Family(("BalancedRandomForest",), balanced_random_forest),
    Family(
        (
            "ARDT of the paper",
            "ARDT",
            f"ARDT with {LEAVES} leaves",
            f"entropy tree with {LEAVES} leaves",
        ),
        single_trees,
    ),
    Family(("EAT", "EAT by soft vote"), alpha_trees),
    Family(("forest tuned for F1", "forest at 0.5", "forest tuned for BCR"), forest),
    Family((f"forest distilled to {LEAVES} leaves",), distilled_tree),
]


if __name__ == "__main__":
    main(FAMILIES, __doc__)
