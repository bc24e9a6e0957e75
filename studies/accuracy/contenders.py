"""The contenders of the accuracy study by name: functions of (X, y, seed) that fit a model.

X is a data frame, y is 1 for the rare class and 0 for the other. What a function returns has
`scores` and `decisions` of new rows. A contender more is one line of `CONTENDERS`; what it needs
is imported inside its function, so that the others run without it.
"""

import hashlib
import inspect
from collections.abc import Callable, Iterable
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

import thresher
import thresher.plant.training
from studies.accuracy import rivals

rivals.load_installed()

WITHOUT_EFFECT = ("cli", "report", "export", "model_file", "study", "scale")
"""Folders of the package that change no figure of the study."""
CORE = Path(__file__).parents[2] / "src" / "thresher" / "_core"


# ----------------------------------------------------------------------------------- fitted models


class Decided(NamedTuple):
    """A fitted classifier of 0 and 1, and how it wants its table."""

    estimator: Any
    prepared: Callable[[Any], Any] = lambda X: X

    def scores(self, X: Any) -> NDArray[np.float64]:
        return np.asarray(self.estimator.predict_proba(self.prepared(X))[:, 1], dtype=np.float64)

    def decisions(self, X: Any) -> NDArray[np.int64]:
        return np.asarray(self.estimator.predict(self.prepared(X)), dtype=np.int64)


class Trained(NamedTuple):
    """What `thresher.train` ships, with the plan by which it reads new tables."""

    estimator: Any
    plan: Any

    def scores(self, X: Any) -> NDArray[np.float64]:
        from thresher.tables import read_table
        from thresher.tables.features import match_features
        from thresher.threshold.unseen import positive_scores

        table = match_features(read_table(X, plan=self.plan), self.estimator.columns_).features
        place = [str(name) for name in self.estimator.classes_].index("1")
        return positive_scores(self.estimator, table.X, place)

    def decisions(self, X: Any) -> NDArray[np.int64]:
        return (self.scores(X) > self.estimator.threshold_).astype(np.int64)


# ------------------------------------------------------------------------------------------- ours


def forest(X: Any, y: Any, seed: int, **parameters: Any) -> Decided:
    model = thresher.ImbalancedForestClassifier(
        n_bootstrap=0, random_state=seed, n_jobs=1, **parameters
    )
    return Decided(model.fit(X, y))


def tree(X: Any, y: Any, seed: int) -> Decided:
    model = thresher.ImbalancedTreeClassifier(
        max_leaf_nodes=32, min_samples_leaf=5, pruning=None, random_state=seed
    )
    return Decided(rivals.tuned(model, X, y, seed))


def trained(X: Any, y: Any, seed: int, model: str) -> Trained:
    """Do what `thresher.train` does to ship a model; the judgement is the study's."""
    from thresher.judging.recipe import Recipe
    from thresher.plant.quiet import without_warnings
    from thresher.plant.training import make_training
    from thresher.plant.training_table import Roles, read_training_table

    table = X.assign(**{TARGET: np.asarray(y)})
    rows = read_training_table(table, Roles(TARGET, "1"))
    training = make_training(rows, Recipe(model=model, seed=seed, jobs=1), folds=5)
    with without_warnings():
        return Trained(training.run().estimator, rows.plan)


TARGET = "the rare class"
"""A name that no column of the study has."""


# ---------------------------------------------------------------------------------------- registry


def rival(fit: Callable[..., Any], X: Any, y: Any, seed: int) -> Decided:
    prepared = rivals.with_plain_names
    return Decided(fit(prepared(X), y, seed), prepared)


CONTENDERS: dict[str, Callable[..., Any]] = {
    "tree": tree,
    "forest": forest,
    "LightGBM": partial(rival, rivals.light_gbm),
    "XGBoost": partial(rival, rivals.xgboost),
    "CatBoost": partial(rival, rivals.cat_boost),
    "leaf auto": partial(forest, min_samples_leaf="auto"),
    "boosted": partial(trained, model="boosted"),
    "auto": partial(trained, model="auto"),
    "auto tree": partial(trained, model="tree"),
}
BASIC = ("tree", "forest", *rivals.PACKAGES)
"""What is run unless others are named."""


class Contender(ClassifierMixin, BaseEstimator):
    """A contender as an estimator; `code` is a hash of all that its outcome depends on."""

    def __init__(self, name: str, code: str, random_state: int | None = None) -> None:
        self.name = name
        self.code = code
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> "Contender":
        self.classes_ = np.array([0, 1])
        self.fitted_ = CONTENDERS[self.name](X, y, seed=self.random_state)
        return self

    def predict(self, X: Any) -> NDArray[np.int64]:
        return self.fitted_.decisions(X)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        scores = self.fitted_.scores(X)
        return np.column_stack([1.0 - scores, scores])


def contenders(names: Iterable[str]) -> dict[str, Contender]:
    """Return contenders as estimators."""
    return {name: Contender(name, code_of(name)) for name in names}


# ----------------------------------------------------------------------------- hashes of the code


def code_of(name: str) -> str:
    """Hash what a contender depends on: a rival on thresholds and itself, ours on the package."""
    package = Path(thresher.__file__).parent
    if name in rivals.PACKAGES:
        of = version(rivals.PACKAGES[name])
        files = [*(package / "threshold").glob("*.py"), Path(rivals.__file__)]
        return hashed(files, of)
    shared = "".join(map(inspect.getsource, (Decided, Trained, rivals.tuned)))
    return hashed(package_files(package), shared + _source(CONTENDERS[name]))


def package_files(package: Path) -> list[Path]:
    """Return the sources that the study depends on: Python as it is imported, C++ of this folder.

    So the hash is the same whether the package is installed or run from its sources.
    """
    python = [
        path
        for path in package.rglob("*.py")
        if path.relative_to(package).parts[0] not in WITHOUT_EFFECT
    ]
    return [*python, *(path for path in CORE.rglob("*") if path.suffix in (".cpp", ".hpp"))]


def hashed(files: Iterable[Path], more: str = "") -> str:
    """Return the SHA-256 of files, whatever folder they are in, and of a text."""
    sha = hashlib.sha256(more.encode())
    for place, content in sorted((path.parts[-2:], path.read_bytes()) for path in files):
        sha.update(f"{place} {len(content)}".encode())
        sha.update(content)
    return sha.hexdigest()[:16]


def _source(fit: Callable[..., Any]) -> str:
    if isinstance(fit, partial):
        return f"{_source(fit.func)}{fit.keywords}"
    return inspect.getsource(fit)
