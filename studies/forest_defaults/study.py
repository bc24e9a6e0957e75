"""What a forest is worth, and what each setting changes: `make study NAME=forest_defaults`.

The paper's protocol: stratified 10-fold cross-validation, each measure taken in each fold, averaged
over the folds, then over the data sets; three seeds. Three parts: the forest beside its rivals, one
setting of it changed at a time, and bins beside exact values on tables that are large enough to
differ. A fold that is done is a line of the file, so that a study that was stopped goes on.
"""

from argparse import ArgumentParser
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import StratifiedKFold

from benchmarks.tables import Shape, make_table
from studies.accuracy.sets import load
from studies.page import markdown_table
from thresher import (
    AlphaTreesClassifier,
    ImbalancedForestClassifier,
    ImbalancedTreeClassifier,
    ThresholdClassifier,
)
from thresher.datasets import list_datasets
from thresher.study import METHODS, METRICS, StudyResult, run_study
from thresher.threshold.rules import make_rule
from thresher.threshold.search import ScoredRows

TREES = 200
LEAVES = 32
"""Leaves of the trees that are meant to be read."""
MEASURES = ("f1", "bcr", "average_precision", "brier")
PARTS = ("rivals", "settings", "bins")
BASE = {
    "criterion": "adaptive_renyi",
    "bootstrap": "stratified",
    "min_samples_leaf": 2,
    "smoothing": None,
    "n_estimators": 100,
}
LEVELS = {
    "criterion": ("adaptive_renyi", "hellinger", "entropy", "gini", "gain_ratio"),
    "bootstrap": ("plain", "stratified", "balanced"),
    "min_samples_leaf": (1, 2, 3, 5),
    "smoothing": (None, "laplace", "m_estimate"),
    "n_estimators": (25, 50, 100, 200, 400),
}
LARGE = ("Letter-A", "Letter-B", "Letter-C", "Letter-D", "nassCDS_dead", "bank_marketing")
MADE = 200_000

Factory = Callable[..., Any]


class OutOfBagForest(ClassifierMixin, BaseEstimator):
    """scikit-learn's forest, its threshold tuned for F1 on out-of-bag votes as ours does."""

    def __init__(self, random_state: int | None = None) -> None:
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> "OutOfBagForest":
        self.forest_ = RandomForestClassifier(TREES, oob_score=True, random_state=self.random_state)
        votes = self.forest_.fit(X, y).oob_decision_function_[:, 1]
        has_votes = np.isfinite(votes)
        cuts = ScoredRows.of(votes[has_votes], np.asarray(y)[has_votes]).cuts()
        self.threshold_, self.classes_ = make_rule("f1").choose(cuts), self.forest_.classes_
        return self

    def predict_proba(self, X: Any) -> Any:
        return self.forest_.predict_proba(X)

    def predict(self, X: Any) -> Any:
        return (self.predict_proba(X)[:, 1] > self.threshold_).astype(int)


class ForestInOneTree(ClassifierMixin, BaseEstimator):
    """The tree of few leaves that imitates the forest."""

    def __init__(self, random_state: int | None = None) -> None:
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> "ForestInOneTree":
        self.tree_ = forest(self.random_state).fit(X, y).to_tree(max_leaf_nodes=LEAVES, cv=None)
        self.classes_ = self.tree_.classes_
        return self

    def predict_proba(self, X: Any) -> Any:
        return self.tree_.predict_proba(X)

    def predict(self, X: Any) -> Any:
        return self.tree_.predict(X)


def forest(random_state: int | None, **parameters: Any) -> ImbalancedForestClassifier:
    return ImbalancedForestClassifier(
        **{"n_estimators": TREES, "n_bootstrap": 0, "random_state": random_state} | parameters
    )


def lightgbm(random_state: int, tuned: bool) -> Any:
    from lightgbm import LGBMClassifier

    model = LGBMClassifier(random_state=random_state, n_jobs=1, verbosity=-1)
    folds = StratifiedKFold(5, shuffle=True, random_state=random_state)
    return ThresholdClassifier(model, "f1", cv=folds, n_bootstrap=0) if tuned else model


def balanced_forest(random_state: int) -> Any:
    from imblearn.ensemble import BalancedRandomForestClassifier

    return BalancedRandomForestClassifier(TREES, random_state=random_state, n_jobs=1)


def methods_of(part: str) -> dict[str, Any]:
    """Return estimators, or functions that make them, by name."""
    if part == "bins":
        return {"exact": partial(forest, max_bins=None), "255 bins": partial(forest, max_bins=255)}
    if part == "settings":
        return {
            name: partial(forest, **BASE | changes) for name, changes in changed_settings().items()
        }
    return {
        "LightGBM at 0.5": partial(lightgbm, tuned=False),
        "LightGBM tuned for F1": partial(lightgbm, tuned=True),
        "RandomForest at 0.5": RandomForestClassifier(TREES),
        "RandomForest tuned for F1": OutOfBagForest(),
        "BalancedRandomForest": balanced_forest,
        "ARDT of the paper": METHODS["ARDT"],
        "ARDT": ImbalancedTreeClassifier(),
        f"ARDT with {LEAVES} leaves": ImbalancedTreeClassifier(max_leaf_nodes=LEAVES),
        f"entropy tree with {LEAVES} leaves": ImbalancedTreeClassifier(
            "entropy", max_leaf_nodes=LEAVES
        ),
        "EAT": AlphaTreesClassifier(),
        "EAT by soft vote": AlphaTreesClassifier(voting="soft"),
        "forest tuned for F1": partial(forest, rule="f1"),
        "forest at 0.5": partial(forest, rule=None),
        "forest tuned for BCR": partial(forest, rule="bcr"),
        f"forest distilled to {LEAVES} leaves": ForestInOneTree(),
    }


def changed_settings() -> dict[str, dict[str, Any]]:
    """Return what differs from BASE, by name; BASE itself first."""
    base = "base: " + ", ".join(f"{name} {level}" for name, level in BASE.items())
    changes = {
        f"{name} {level}": {name: level}
        for name, levels in LEVELS.items()
        for level in levels
        if level != BASE[name]
    }
    paper = {"criterion adaptive_renyi, tolerance 0.05": {"alpha_tolerance": 0.05}}
    return {base: {}} | paper | changes


def large_tables() -> Mapping[str, tuple[Any, Any]]:
    """Return the tables at hand that have more rows than are grown on exact values."""
    made = make_table(Shape(MADE))
    return {name: load(name) for name in LARGE} | {f"made, {MADE:,} rows": (made.X, made.y)}


def means_table(study: StudyResult) -> list[str]:
    """Return means over the data sets, with the standard deviation between seeds."""
    by_seed = [
        StudyResult(tuple(run for run in study.runs if run.repeat == seed), study.folds)
        for seed in sorted({run.repeat for run in study.runs})
    ]
    rows = []
    for method in study.methods:
        cells = []
        for measure in MEASURES:
            means = [np.mean(one.scores(measure).column(method)) for one in by_seed]
            spread = f" ± {np.std(means, ddof=1):.4f}" if len(means) > 1 else ""
            cells.append(f"{np.mean(means):.4f}{spread}")
        rows.append([method, *cells])
    return markdown_table(["contender", *(METRICS[name].heading for name in MEASURES)], rows)


def differences_table(study: StudyResult) -> list[str]:
    """Return means of both ways, and their difference over folds with its standard error."""
    first, second = study.methods
    rows = []
    for name in study.datasets:
        for measure in ("f1", "average_precision"):
            ways = [study.by_fold(measure, name, method) for method in (first, second)]
            gaps = np.subtract(*reversed(ways))
            error = gaps.std(ddof=1) / np.sqrt(len(gaps))
            means = [f"{np.mean(way):.3f}" for way in ways]
            heading = f"{name}, {METRICS[measure].heading}"
            rows.append([heading, *means, f"{gaps.mean():+.4f}", f"{error:.4f}"])
    return markdown_table(("table", first, second, "difference", "standard error"), rows)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--part", choices=PARTS, default="rivals")
    parser.add_argument("--datasets", nargs="+", metavar="NAME", help="some of them [all]")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="some of the contenders [all]")
    parser.add_argument("--folds", type=int, help="of the cross-validation [10, of bins 5]")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=1, help="processes of one thread each")
    parser.add_argument("--runs", type=Path, default=Path("build/forest_defaults.jsonl"))
    options = parser.parse_args(arguments)
    options.runs.parent.mkdir(parents=True, exist_ok=True)
    methods, is_bins = methods_of(options.part), options.part == "bins"
    study = run_study(
        large_tables() if is_bins else options.datasets or list_datasets("paper"),
        {name: methods[name] for name in options.only or methods},
        folds=options.folds or (5 if is_bins else 10),
        repeats=options.seeds,
        path=options.runs,
        resume=True,
        n_jobs=options.jobs,
        empty_folds="keep",
    )
    print("\n".join((differences_table if is_bins else means_table)(study)))


if __name__ == "__main__":
    main()
