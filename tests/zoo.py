"""Every kind of fitted model: one of each on one table in `ZOO`, and `draw` for random ones."""

import warnings
from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

from tests.table_factory import Table, numbers, pick, random_labels, random_table
from thresher import (
    AlphaTreesClassifier,
    BoostedTreesClassifier,
    ImbalancedForestClassifier,
    ImbalancedTreeClassifier,
    LeastSquaresClassifier,
    PairFeatures,
    ThresholdClassifier,
    convert,
)
from thresher.export.readers import read_scoring
from thresher.export.scoring import Line

# ------------------------------------------------------------------------- one of each kind


class Rows(NamedTuple):
    """Rows of one table, labels, and what it costs to miss each."""

    X: Any
    y: Any
    costs: Any


def _rows() -> Rows:
    table = Table(
        rows=500,
        levels=["xyz"],
        missing=0.05,
        names=["speed", "torque", "heat", "line"],
        labels=("ok", "scrap"),
        share=0.15,
        signal=lambda X: X["speed"] * X["torque"] + X["heat"] + (X["line"] == "y"),
        noise=0.5,
        weight_of=np.linspace(1.0, 20.0, 100),
    )
    return Rows(*table.pandas(), table.weights)


class Specimen:
    """A kind of model with its properties; it is fitted once, when it is first asked for."""

    def __init__(
        self,
        make: Callable[[Any, Any], Any],
        *,
        cutoffs: str = "one",
        numbers: bool = False,
        exports: tuple[str, ...] = ("python", "sql", "onnx"),
    ):
        self.make = make
        self.cutoffs = cutoffs
        """"one", "two" where rows are referred, "groups", or "rows" where each has a cost."""
        self.numbers = numbers
        """Whether it takes numbers alone, none of them missing."""
        self.exports = exports

    @cached_property
    def rows(self) -> Rows:
        rows = _rows()
        return rows._replace(X=rows.X.drop(columns="line").fillna(0.0)) if self.numbers else rows

    @property
    def costs(self) -> dict[str, Any]:
        """What fit and predict take beside rows and labels."""
        return {"cost_fn": self.rows.costs} if self.cutoffs == "rows" else {}

    def fitted_anew(self) -> Any:
        model = self.make(self.rows.X, self.rows.y)
        return model.fit(self.rows.X, self.rows.y, **self.costs)

    @cached_property
    def model(self) -> Any:
        return self.fitted_anew()


def _forest(**parameters: Any) -> Any:
    settings = {"n_bootstrap": 0, "random_state": 0, "max_depth": 5} | parameters
    return lambda X, y: ImbalancedForestClassifier(6, **settings)


def _threshold(rule: str, estimator: Any = None, **parameters: Any) -> Any:
    settings = {"n_bootstrap": 0, "random_state": 0} | parameters
    return lambda X, y: ThresholdClassifier(estimator or LogisticRegression(), rule, **settings)


class _Imitation:
    """A tree made of a forest, as an estimator that is yet to be fitted."""

    def __init__(self, **parameters: Any):
        self.parameters = parameters

    def fit(self, X: Any, y: Any) -> Any:
        return _forest()(X, y).fit(X, y).to_tree(6, cv=None, **self.parameters)


class _TakenOver:
    """A model of scikit-learn, fitted and taken over."""

    def fit(self, X: Any, y: Any) -> Any:
        return convert(RandomForestClassifier(5, max_depth=4, random_state=0).fit(X, y))


RULES = {
    "prior": {},
    "cost": {"cost_fn": 5.0},
    "f1": {},
    "fbeta": {"beta": 2.0},
    "bcr": {},
    "gmean": {},
    "mcc": {},
    "precision_at_recall": {"floor": 0.5},
    "recall_at_precision": {"floor": 0.3},
    "budget": {"per_1000": 100.0},
}
"""The rules of one cutoff with what they need."""
FEW = {"max_depth": 4}
ZOO = {
    "tree": Specimen(lambda X, y: ImbalancedTreeClassifier(**FEW)),
    "tree on bins": Specimen(lambda X, y: ImbalancedTreeClassifier(max_bins=16, **FEW)),
    "tree of pairs": Specimen(
        lambda X, y: ImbalancedTreeClassifier(
            pairs=PairFeatures([("speed", "product", "torque")], test=False), **FEW
        )
    ),
    "forest": Specimen(_forest()),
    "forest with a promise": Specimen(
        _forest(rule="precision_at_recall", floor=0.5, confidence=0.8)
    ),
    "forest by groups": Specimen(_forest(rule="f1", threshold_by="line"), cutoffs="groups"),
    "forest by costs": Specimen(_forest(rule="cost"), cutoffs="rows"),
    "forest that refers": Specimen(_forest(rule="refer", price=0.2, cost_fn=4.0), cutoffs="two"),
    "tree of a forest": Specimen(lambda X, y: _Imitation()),
    "tree that refers": Specimen(lambda X, y: _Imitation(refer=0.2), cutoffs="two"),
    "alpha trees": Specimen(lambda X, y: AlphaTreesClassifier((0.5, 2.0), **FEW)),
    "boosted trees": Specimen(
        lambda X, y: BoostedTreesClassifier(8, cv=3, n_bootstrap=0, random_state=0)
    ),
    "taken over": Specimen(lambda X, y: _TakenOver(), numbers=True),
    "least squares": Specimen(lambda X, y: LeastSquaresClassifier(), numbers=True),
    "threshold of a tree": Specimen(_threshold("f1", ImbalancedTreeClassifier(**FEW))),
    "threshold of a line": Specimen(_threshold("f1", LeastSquaresClassifier()), numbers=True),
    "threshold that refers": Specimen(
        _threshold("refer", price=0.2, cost_fn=4.0), cutoffs="two", numbers=True
    ),
} | {
    f"threshold for {rule}": Specimen(_threshold(rule, **given), numbers=True)
    for rule, given in RULES.items()
}


# ------------------------------------------------------------------------------ random ones

CRITERIA = ("adaptive_renyi", "hellinger", "dkm", "entropy", "gain_ratio", "gini")
LABELS = (
    np.array([0, 1]),
    np.array(["ok", "scrap"]),
    np.array([False, True]),
    np.array(["it's", 'a "b" \\ 🦈']),
    np.array([-1.0, 2.0]),
    np.array([-5, 7], dtype=np.int8),
    np.array([3, 200], dtype=np.uint16),
)
KINDS = (
    "tree",
    "chain",
    "leaf",
    "forest",
    "even votes",
    "moved forest",
    "alpha trees",
    "least squares",
    "threshold",
)
"""What `draw` draws, beside "logistic", which files do not hold, and "forest of 200"."""
EXACT = frozenset(KINDS) - {"moved forest", "least squares", "threshold"}
"""Kinds whose probabilities every engine finds to the last bit."""
LINES = ("least squares", "logistic")


def draw(kind: str, seed: int, *, exportable: bool = False) -> tuple[Any, Any]:
    """Return a fitted model and a table for it.

    Exportable ones have what databases hold: named columns, and no thousand levels.
    """
    rng = np.random.default_rng([*kind.encode(), seed])
    inner = kind
    if kind == "threshold":
        inner = pick(rng, ("tree", "forest", "alpha trees", *LINES))
    is_line = inner in LINES
    X = random_table(
        rng,
        int(rng.integers(60, 160)),
        is_float32=rng.random() < 0.5 and inner != "logistic",
        with_missing=not is_line,
        with_levels=not is_line,
        exportable=exportable,
    )
    if is_line:
        X = X.apply(lambda column: column / (np.abs(column).max() or 1.0))
    y = random_labels(rng, X, pick(rng, LABELS))
    if kind == "chain":
        # A tree that is as deep as its rows allow: labels alternate along one column.
        name = X.columns[0]
        X = X[[name]].assign(**{name: numbers(rng, len(X), X[name].dtype == np.float32)})
        order = np.argsort(np.argsort(X[name].to_numpy(), kind="stable"))
        y = np.unique(y)[order % 2]
    if not exportable and rng.random() < 0.3 and all(kind.kind == "f" for kind in X.dtypes):
        X = X.to_numpy()
    model = _estimator(rng, inner, y)
    weights = rng.uniform(0.1, 3.0, len(y)) if rng.random() < 0.3 and kind != "chain" else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if kind == "threshold":
            model = _around(rng, model, y)
            if model.cv == "prefit":
                model.estimator.fit(X, y)
        model.fit(X, y, sample_weight=weights)
    if kind == "moved forest" or (inner != kind and inner in ("tree", "forest") and seed % 2):
        model.adjust_prior(rng.uniform(0.01, 0.5))
    if kind == "forest" and seed % 3 == 0 and (model.predict(X) == model.pos_label_).any():
        model.imitation_ = model.to_tree(4, cv=None)
    return model, X


def draw_with_rows(kind: str, seed: int) -> tuple[Any, Any]:
    """Return a model that can be exported, and rows on its cuts, beside them and far away."""
    model, X = draw(kind, seed, exportable=True)
    return model, rows_at_cuts(np.random.default_rng(seed), model, X)


def _estimator(rng, kind, y):
    """Return an unfitted estimator."""
    seed = int(rng.integers(1000))
    weight = pick(rng, (None, None, "balanced", {np.unique(y)[0].item(): 2.0}))
    if kind == "least squares":
        return LeastSquaresClassifier(class_weight=weight, threshold=pick(rng, (0.5, "prior", 0.1)))
    if kind == "logistic":
        return LogisticRegression(C=10.0, class_weight=weight)
    if kind == "leaf":
        return ImbalancedTreeClassifier("entropy", threshold=0.05, min_gain=1.0)
    if kind == "chain":
        return ImbalancedTreeClassifier("gini", pruning=None, min_samples_leaf=1)
    forest = {"n_bootstrap": 0, "random_state": seed}
    if kind == "forest of 200":
        return ImbalancedForestClassifier(200, **forest)
    if kind == "even votes":
        # Pure leaves and few trees: many means are on the threshold, or would be but for rounding.
        forest |= {"bootstrap": False, "max_features": 1, "min_samples_leaf": 1, "rule": None}
        return ImbalancedForestClassifier(int(rng.integers(2, 13)), **forest)
    if kind == "moved forest":
        forest |= {"bootstrap": "balanced", "smoothing": "laplace", "correct_prior": True}
        return ImbalancedForestClassifier(20, **forest)
    growth = {
        "class_weight": weight,
        "max_depth": pick(rng, (None, None, 3)),
        "min_samples_leaf": int(rng.integers(1, 6)),
        "max_features": pick(rng, (None, "sqrt", 1)),
        "random_state": pick(rng, (None, seed)),
        "n_jobs": pick(rng, (None, 2)),
    }
    if kind == "forest":
        return ImbalancedForestClassifier(
            int(rng.integers(3, 40)),
            criterion=pick(rng, CRITERIA),
            bootstrap=pick(rng, ("plain", "stratified", "balanced")),
            rule=pick(rng, ("f1", "bcr", "prior", None)),
            smoothing=pick(rng, (None, "laplace", "m_estimate")),
            importance=pick(rng, ("impurity", "permutation")),
            n_bootstrap=pick(rng, (0, 20)),
            **growth,
        )
    growth |= {"pruning": pick(rng, ("bcr", "f1", None)), "threshold": pick(rng, (0.5, "prior"))}
    growth["pruning_fraction"] = pick(rng, (None, 0.3)) if growth["pruning"] else None
    if kind == "alpha trees":
        alphas = pick(rng, ((0.1, 1), [0.5, 1.0, 2], np.array([0.3, 3.0])))
        return AlphaTreesClassifier(alphas, voting=pick(rng, ("majority", "soft")), **growth)
    leaves = pick(rng, (None, 6))
    return ImbalancedTreeClassifier(pick(rng, CRITERIA), max_leaf_nodes=leaves, **growth)


def _around(rng, estimator, y):
    """Return a ThresholdClassifier around an unfitted estimator."""
    rule = pick(rng, ("prior", "f1", "bcr", "gmean", "cost", "budget", "fbeta"))
    return ThresholdClassifier(
        estimator,
        rule,
        beta=2.0 if rule == "fbeta" else 1.0,
        per_1000=1000.0 if rule == "budget" else None,
        correct_prior=isinstance(estimator, LogisticRegression),
        pos_label=pick(rng, np.unique(y).tolist()),
        cv=pick(rng, (2, 0.4, "prefit")),
        n_bootstrap=pick(rng, (0, 10)),
        cost_fn=3.0,
        random_state=int(rng.integers(1000)),
    )


def rows_at_cuts(rng, model, table, most=160):
    """Return rows of the table, and copies with values on and around the cuts of the model."""
    scoring = read_scoring(model)
    table = table[list(scoring.names)]
    rows = [table.iloc[rng.integers(len(table), size=60)]]
    for place, cut in _cuts(scoring, rng, most):
        rows.append(_beside(rng, table, scoring.names[place], cut))
    rows = pd.concat(rows, ignore_index=True)
    for name, levels in zip(scoring.names, scoring.levels, strict=True):
        if levels is not None:
            rows[name] = _spoiled(rng, rows[name].astype(object), levels)
        elif not isinstance(scoring.score, Line):
            rows.loc[rng.random(len(rows)) < 0.05, name] = np.nan
    return rows


def _cuts(scoring, rng, most):
    if isinstance(scoring.score, Line):
        return []
    found = {
        (int(feature), float(cut))
        for tree in scoring.score.trees
        for feature, cut, by_level in zip(tree.feature, tree.cut, tree.level_set, strict=True)
        if feature >= 0 and by_level < 0
    }
    found = sorted(found)
    return [found[i] for i in sorted(rng.permutation(len(found))[:most])]


def _beside(rng, table, name, cut):
    """Return rows whose value is the cut, the next above it, the next below it."""
    dtype = table[name].to_numpy().dtype.type
    with np.errstate(over="ignore"):
        near = dtype(cut)
        values = [near, np.nextafter(near, dtype(np.inf)), np.nextafter(near, dtype(-np.inf))]
    values = [value for value in values if np.isfinite(value)]
    rows = table.iloc[rng.integers(len(table), size=len(values))].copy()
    rows[name] = np.array(values, dtype=dtype)
    return rows


def _spoiled(rng, values, levels):
    """Put missing values and levels that nobody has seen into a category column."""
    values = values.copy()
    values[rng.random(len(values)) < 0.1] = None
    unknown = "no level" if isinstance(levels[0], str) else 77.0
    values[rng.random(len(values)) < 0.1] = unknown
    return values.astype("category")
