"""The questions that 0.2.0 and the present version are asked, and the tables that they are about.

A question is plain data. Its index decides what is asked, the seed only on which rows, so that a
name means the same for every seed. Tables are drawn by RandomState, whose numbers are frozen.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Question = dict[str, Any]
Drawn = Iterator[tuple[str, Question]]

CRITERIA = ("adaptive_renyi", "renyi", "hellinger", "dkm", "entropy", "gain_ratio", "gini")
WEIGHTS = ("no", "whole", "fractional")
N_TREES, N_FORESTS, N_ALPHA_TREES = 160, 110, 30
HOLED, LEVELS = 3, 5
"""A column with missing values, and one that holds levels."""


# ------------------------------------------------------------------------------- trees and forests


class Rows(NamedTuple):
    """Columns of numbers that float32 holds; labels; weights or None."""

    X: NDArray[np.float64]
    y: NDArray[np.int64]
    weights: NDArray[np.float64] | None


def draw_rows(table: dict[str, Any]) -> Rows:
    """Return rows with ties, a repeated column, missing values and levels; few are positive."""
    n = table["rows"]
    random = np.random.RandomState([table["seed"], table["index"]])
    X = random.randint(-2048, 2048, (n, LEVELS + 1)) / 64
    X[:, 1] = np.round(X[:, 1] / 8)
    X[:, 2] = np.where(random.randint(0, 4, n) > 0, X[:, 0], X[:, 2])
    X[random.randint(0, 8, n) == 0, HOLED] = np.nan
    X[:, LEVELS] = random.randint(0, 9, n)
    noise = random.randint(-1500, 1500, n) / 64
    signal = X[:, 0] + np.nan_to_num(X[:, HOLED]) + 16.0 * (X[:, LEVELS] == 3) + noise
    y = (signal > np.sort(signal)[-1 - int(n * table["share"])]).astype(np.int64)
    counts = random.randint(0, 4, n).astype(np.float64)
    weights = {"no": None, "whole": counts, "fractional": (2 * counts + 1) / 8}[table["weights"]]
    return Rows(X, y, weights)


class _Choices:
    """Draws settings of a question from its index."""

    def __init__(self, kind: int, index: int) -> None:
        self.random = np.random.RandomState([kind, index])

    def of(self, *choices: Any) -> Any:
        return choices[self.random.randint(len(choices))]


def _table(choose: _Choices, seed: int, index: int, kind: int, most: int) -> dict[str, Any]:
    return {
        "seed": seed,
        "index": 1000 * kind + index,
        "rows": choose.of(90, 250, most),
        "share": choose.of(0.05, 0.1, 0.3),
        "weights": WEIGHTS[index % 3],
    }


def _growth(choose: _Choices, criterion: str) -> dict[str, Any]:
    """Return settings of growth that trees and forests share; those of no effect are left out."""
    random_cuts = choose.of(False, False, False, True)
    drawn: dict[str, Any] = {
        "criterion": criterion,
        "alpha": choose.of(0.0, 0.3, 1.0, 2.0) if criterion == "renyi" else None,
        "alpha_tolerance": choose.of(0.05, 0.5) if criterion == "adaptive_renyi" else 0.5,
        "max_depth": choose.of(None, None, 3, 6),
        "max_leaf_nodes": choose.of(None, None, 6, 20),
        "min_samples_leaf": choose.of(1, 2, 3, 10),
        "min_samples_split": choose.of(2, 2, 12),
        "min_weight_fraction_leaf": choose.of(0.0, 0.0, 0.01, 0.05),
        "min_gain": 0.0 if criterion == "gain_ratio" else choose.of(0.0, 0.0, 0.01),
        "class_weight": choose.of(None, None, "balanced"),
        "categorical_features": choose.of(None, [LEVELS]),
        "max_bins": None if random_cuts else choose.of(None, None, 8, 64),
        "splitter": "random" if random_cuts else "best",
        "mdl_correction": criterion == "gain_ratio" and choose.of(False, True),
    }
    return drawn


def trees(seed: int) -> Drawn:
    """Draw trees of every criterion, with limits, bins, levels, weights and pruning."""
    for index in range(N_TREES):
        choose = _Choices(1, index)
        criterion = CRITERIA[index % len(CRITERIA)]
        settings = _growth(choose, criterion) | {
            "max_features": choose.of(None, None, "sqrt", 0.5),
            "pruning": choose.of("bcr", "gmean", "error", "f1", "cost", None),
            "pruning_fraction": None,
            "threshold": choose.of(0.5, 0.5, "prior", 0.2),
            "random_state": index,
        }
        if settings["pruning"] is not None:
            settings["pruning_fraction"] = choose.of(None, None, 0.3)
        table = _table(choose, seed, index, 1, 1500)
        name = f"tree {index} of {criterion}, {table['weights']} weights"
        yield name, {"kind": "tree", "table": table, "settings": settings}


FOREST_RULES = (
    *("f1", "fbeta=2", "bcr", "gmean", "mcc", "prior", "0.5", "cost+fp=1+fn=7"),
    *("recall=0.6", "precision=0.1", "alerts=100/1000", "recall=0.5+confidence=0.6"),
)


def forests(seed: int) -> Drawn:
    """Draw forests of every way to draw rows, and thresholds of their out-of-bag votes."""
    for index in range(N_FORESTS):
        choose = _Choices(2, index)
        criterion = CRITERIA[index % len(CRITERIA)]
        bootstrap = choose.of("stratified", "stratified", "plain", "balanced", False)
        settings = _growth(choose, criterion) | {
            "n_estimators": choose.of(4, 7, 12),
            "max_features": choose.of("sqrt", "sqrt", None, 0.5),
            "bootstrap": bootstrap,
            "smoothing": choose.of(None, None, "laplace", "m_estimate"),
            "random_state": index,
        }
        if bootstrap and choose.of(False, False, True):
            settings["min_samples_leaf"] = "auto"
        if settings["max_bins"] is None and settings["splitter"] == "best":
            settings["max_bins"] = choose.of(None, "auto")
        rule = FOREST_RULES[index % len(FOREST_RULES)] if bootstrap else choose.of("0.5", "prior")
        table = _table(choose, seed, index, 2, 900)
        if "confidence" in rule:
            table["weights"] = "no"
        if index % 50 == 1:
            table["rows"] = 10_500  # "auto" takes bins from here on
        name = f"forest {index} of {criterion} for {rule}, {table['weights']} weights"
        yield name, {"kind": "forest", "table": table, "settings": settings, "rule": rule}


def alpha_trees(seed: int) -> Drawn:
    """Draw votes of a tree for each order of the entropy."""
    for index in range(N_ALPHA_TREES):
        choose = _Choices(3, index)
        settings = {
            "alphas": choose.of([0.1, 0.5, 1, 2], [0.3, 1, 2.5], [0, 0.2, 0.9]),
            "voting": choose.of("majority", "soft"),
            "max_depth": choose.of(None, 4),
            "max_leaf_nodes": choose.of(None, 8),
            "min_samples_leaf": choose.of(1, 2, 5),
            "max_bins": choose.of(None, 16),
            "pruning": choose.of("bcr", "f1", None),
            "class_weight": choose.of(None, "balanced"),
            "categorical_features": choose.of(None, [LEVELS]),
            "random_state": index,
        }
        table = _table(choose, seed, index, 3, 900)
        name = f"alpha trees {index}, {table['weights']} weights"
        yield name, {"kind": "alpha trees", "table": table, "settings": settings}


# -------------------------------------------------------------------------------- rules of decision

NUMBERS, ALL = ["torque", "speed"], ["torque", "speed", "site"]
N_FIT, N_NEW = 700, 120


class Parts(NamedTuple):
    """Rows with costs of their own: the first `N_FIT` to fit on, the others new."""

    X: pd.DataFrame
    y: NDArray[np.int64]
    fn: NDArray[np.float64]
    fp: NDArray[np.float64]
    halves: NDArray[np.floating]


def draw_parts(seed: int) -> Parts:
    """Return two columns of numbers and one of texts; seed 11 is that of the stored answers."""
    random = np.random.default_rng(seed)
    n = N_FIT + N_NEW
    X = pd.DataFrame(
        {
            "torque": random.normal(size=n).round(3),
            "speed": random.normal(size=n).round(3),
            "site": random.choice(["Graz", "Linz", "Wels"], n),
        }
    )
    y = ((X.torque + 0.8 * (X.site == "Linz") + random.normal(size=n)) > 2.0).to_numpy().astype(int)
    fn, fp = random.lognormal(2.0, 1.0, n).round(2), random.uniform(0.5, 3.0, n).round(2)
    return Parts(X, y, fn, fp, random.integers(1, 4, N_FIT) * 0.5)


def _threshold(of: dict[str, Any], cv: Any, draws: int) -> dict[str, Any]:
    settings = {"cv": cv, "random_state": 0}
    return {"estimator": "threshold", "of": of, "draws": draws, "settings": settings}


LOGISTIC = {"estimator": "sklearn.linear_model.LogisticRegression"}
LINE = {"estimator": "least squares"}
RULE_MODELS: dict[str, tuple[dict[str, Any], list[str]]] = {
    "logistic": (_threshold(LOGISTIC, 3, 20), NUMBERS),
    "line": (_threshold(LINE, 2, 0), NUMBERS),
    "prefit_forest": (
        _threshold(
            {"estimator": "forest", "settings": {"n_estimators": 8, "random_state": 1}, "draws": 0},
            "prefit",
            5,
        ),
        NUMBERS,
    ),
    "tree": (_threshold({"estimator": "tree", "settings": {"max_leaf_nodes": 10}}, 3, 5), ALL),
    "forest": (
        {
            "estimator": "forest",
            "settings": {"n_estimators": 15, "random_state": 0},
            "draws": 20,
        },
        ALL,
    ),
    "boosted": (
        {
            "estimator": "boosted",
            "settings": {"n_estimators": 6, "cv": 2, "random_state": 0},
            "draws": 5,
        },
        ALL,
    ),
}
RULE_CASES: dict[str, dict[str, Any]] = {
    "f1": {"rule": "f1"},
    "fbeta": {"rule": "fbeta=2"},
    "bcr": {"rule": "bcr"},
    "gmean": {"rule": "gmean"},
    "mcc": {"rule": "mcc"},
    "prior": {"rule": "prior"},
    "none": {"rule": "0.5"},
    "cost": {"rule": "cost+fp=2+fn=9", "gains": [0.5, 0.1], "asks_costs": True},
    "precision_at_recall": {"rule": "recall=0.8"},
    "recall_at_precision": {"rule": "precision=0.4"},
    "budget": {"rule": "alerts=80/1000"},
    "refer": {"rule": "review+recall=0.85+precision=0.6"},
    "refer_price": {"rule": "review+price=0.4+fp=1+fn=4"},
    "promise_recall": {"rule": "recall=0.7+confidence=0.8"},
    "promise_precision": {"rule": "precision=0.2+confidence=0.6"},
    "promise_budget": {"rule": "alerts=150/1000+confidence=0.9", "unlabelled": True},
    "promise_cost": {"rule": "cost+fp=1+fn=5+confidence=0.9", "asks_costs": True},
    "promise_refer": {"rule": "review+recall=0.7+precision=0.25+confidence=0.6"},
    "correct": {"rule": "f1", "calibrate": "prior"},
    "moved": {"rule": "f1", "prior": 0.25},
    "moved_refer": {"rule": "review+recall=0.8+precision=0.5", "prior": 0.2},
    "fractional_weights": {"rule": "mcc", "weights": "fractional"},
    "other_class": {"rule": "f1", "pos_label": 0},
    "groups": {"rule": "f1", "threshold_by": "site"},
    "groups_budget": {"rule": "alerts=80/1000", "threshold_by": "site"},
    "row_costs": {"rule": "cost+fp=2+fn=9", "fit_costs": True, "asks_costs": True},
    "row_budget": {"rule": "alerts=80/1000+fp=2+fn=1", "fit_costs": True, "asks_costs": True},
}
WITHOUT_ROW_COSTS = ("boosted",)
WITH_GROUPS = ("tree", "forest")


def rules(seed: int) -> Drawn:
    """Draw every rule, guarantee and form of cutoffs, around every kind of model."""
    for model, (spec, columns) in RULE_MODELS.items():
        for case, how in RULE_CASES.items():
            if "fit_costs" in how and model in WITHOUT_ROW_COSTS:
                continue
            if "threshold_by" in how and model not in WITH_GROUPS:
                continue
            spec_of_case = {**spec, **{key: how[key] for key in how if key in ESTIMATOR_KEYS}}
            question = {"kind": "rule", "seed": 11 + seed, "columns": columns, **how}
            yield f"rule {model}_{case}", {**question, "model": spec_of_case}


ESTIMATOR_KEYS = ("rule", "gains", "calibrate", "pos_label", "threshold_by")
TRAININGS: dict[str, dict[str, Any]] = {
    "f1": {"rule": "f1"},
    "recall": {"rule": "recall=0.8"},
    "recall_sure": {"rule": "recall=0.7+confidence=0.8"},
    "budget": {"rule": "alerts=80/1000"},
    "cost": {"rule": "cost+fp=2+fn=9"},
    "columns": {"rule": "cost+fp=2+fn=value", "ignore": ["fee"]},
    "groups": {"rule": "f1", "threshold_by": "site"},
    "price": {"rule": "review+price=0.4+fp=1+fn=4"},
}


def trainings(seed: int) -> Drawn:
    """Draw trainings of `train` for some rules."""
    for model in ("tree", "forest"):
        for case, how in TRAININGS.items():
            question = {"kind": "training", "seed": 11 + seed, "models": model, **how}
            yield f"training {model}_{case}", question


# ------------------------------------------------------------------------- one model of each kind

ZOO_NUMBERS, ZOO_LINE, ZOO_SHIFT = ["speed m/s", "width", "depth"], 'line "A;B"', "Schicht ☃"
ZOO_COLUMNS = [*ZOO_NUMBERS, ZOO_LINE, ZOO_SHIFT]
N_ZOO_FIT, N_ZOO_NEW = 400, 50


def draw_zoo(seed: int, columns: list[str], gaps: bool) -> tuple[pd.DataFrame, NDArray[np.bool_]]:
    """Return a table with hostile names and levels, and which rows are positive.

    The last `N_ZOO_NEW` rows are new.
    """
    random, n = np.random.RandomState([seed, 4]), N_ZOO_FIT + N_ZOO_NEW
    X = pd.DataFrame(random.randint(-512, 512, (n, 3)) / 32, columns=ZOO_NUMBERS)
    X[ZOO_LINE] = random.choice(["north", "süd", "'; --", "x y"], n)
    X[ZOO_SHIFT] = pd.Categorical(random.choice([1.5, 2.0, 3.0], n))
    signal = X["speed m/s"] + 6.0 * (X[ZOO_LINE] == "süd") + random.randint(-100, 100, n) / 16
    signal = signal + (X["width"] * X["depth"] > 60) * 8.0
    is_positive = (signal > np.sort(signal)[int(0.85 * n)]).to_numpy()
    lost = random.randint(0, 10, (n, 2)) == 0
    if gaps:
        X.loc[lost[:, 0], "speed m/s"] = np.nan
        X.loc[lost[:, 1], ZOO_LINE] = None
    return X[columns], is_positive


CONVERTED: dict[str, dict[str, Any]] = {
    "lightgbm.LGBMClassifier": {"n_estimators": 9, "num_leaves": 7, "verbose": -1, "n_jobs": 1},
    "xgboost.XGBClassifier": {"n_estimators": 9, "max_depth": 3, "n_jobs": 1},
    "xgboost.XGBRFClassifier": {"n_estimators": 7, "max_depth": 3, "n_jobs": 1},
    "sklearn.tree.DecisionTreeClassifier": {"max_depth": 5},
    "sklearn.tree.ExtraTreeClassifier": {"max_depth": 5},
    "sklearn.ensemble.RandomForestClassifier": {"n_estimators": 7, "max_depth": 5},
    "sklearn.ensemble.ExtraTreesClassifier": {"n_estimators": 7, "max_depth": 5},
    "sklearn.ensemble.GradientBoostingClassifier": {"n_estimators": 9, "max_depth": 3},
}
PRODUCT = {"pairs": [["width", "product", "depth"]]}
SMALL_FOREST = {
    "estimator": "forest",
    "settings": {"n_estimators": 9, "random_state": 0},
    "draws": 0,
}
ZOO: dict[str, dict[str, Any]] = {
    "tree": {"estimator": "tree", "settings": {"max_leaf_nodes": 12}},
    "tree with pairs": {"estimator": "tree", "settings": {"max_leaf_nodes": 12}, "derive": PRODUCT},
    "forest": {**SMALL_FOREST, "rule": "f1"},
    "forest with pairs": {**SMALL_FOREST, "rule": "bcr", "derive": PRODUCT},
    "forest that reviews": {**SMALL_FOREST, "rule": "review+price=0.3+fp=1+fn=3"},
    "alpha trees": {"estimator": "alpha trees", "settings": {"alphas": [0.2, 1, 2.5]}},
    "soft alpha trees": {
        "estimator": "alpha trees",
        "settings": {"alphas": [0.2, 1, 2.5], "voting": "soft"},
    },
    "boosted": {
        "estimator": "boosted",
        "settings": {"n_estimators": 6, "cv": 3, "random_state": 0},
        "draws": 0,
        "rule": "f1",
    },
    "threshold of tree": {
        **_threshold({"estimator": "tree", "settings": {"max_leaf_nodes": 12}}, 3, 0),
        "rule": "recall=0.8",
    },
    "threshold of forest by line": {
        **_threshold(SMALL_FOREST, 3, 0),
        "rule": "f1",
        "threshold_by": ZOO_LINE,
    },
}
ZOO_OF_NUMBERS: dict[str, dict[str, Any]] = {
    "least squares": {"estimator": "least squares", "settings": {"threshold": "prior"}},
    "threshold of logistic regression": {**_threshold(LOGISTIC, 3, 0), "rule": "f1"},
    "threshold of least squares": {**_threshold(LINE, 3, 0), "rule": "mcc"},
    **{
        f"converted {path.split('.')[-1]}": {
            "estimator": path,
            "settings": {**settings, "random_state": 0},
        }
        for path, settings in CONVERTED.items()
    },
}


def models(seed: int) -> Drawn:
    """Draw predictions, contributions, exports and files of one fitted model of each kind."""
    for name, spec in {**ZOO, **ZOO_OF_NUMBERS}.items():
        columns = ZOO_COLUMNS if name in ZOO else ZOO_NUMBERS
        labels = [0, 1] if name.startswith("converted") else ["ok", "scrap"]
        question = {"kind": "model", "seed": seed, "columns": columns, "gaps": name in ZOO}
        yield f"model {name}", {**question, "labels": labels, "model": spec}


def pairs(seed: int) -> Drawn:
    """Draw choices of pair features."""
    for index in range(3):
        settings = {"test": index < 2, "max_columns": 3, "max_pairs": 2 + index}
        columns = ZOO_NUMBERS if index else ZOO_COLUMNS
        question = {"kind": "pairs", "seed": 10 * seed + index, "columns": columns}
        yield f"pairs {index}", {**question, "settings": settings}


# ----------------------------------------------------------------------------------- other answers


def _imitated() -> dict[str, dict[str, Any]]:
    """Return what a surrogate question asks of a model, by name; columns are all or numbers."""
    forest = {"estimator": "forest", "settings": {"n_estimators": 40, "random_state": 0}}
    boosted = {"n_estimators": 20, "cv": 3, "random_state": 0}
    gradient = "sklearn.ensemble.GradientBoostingClassifier"
    settings = {"n_estimators": 20, "random_state": 0}
    return {
        "forest": {"model": {**forest, "draws": 0}},
        "forest with fractional weights": {
            "model": {**forest, "draws": 0},
            "weights": "fractional",
        },
        "boosted": {"model": {"estimator": "boosted", "settings": boosted, "draws": 0}},
        "converted": {
            "model": {"estimator": gradient, "settings": settings},
            "columns": NUMBERS,
            "is_converted": True,
        },
        "threshold": {
            "model": {**_threshold(LOGISTIC, 3, 0), "rule": "f1"},
            "columns": NUMBERS,
        },
        "logistic": {"model": LOGISTIC, "columns": NUMBERS},
    }


def surrogates(seed: int) -> Drawn:
    """Draw trees that imitate a model."""
    for leaves in (4, 8, 32):
        for name, of in _imitated().items():
            question = {"kind": "surrogate", "seed": 11 + seed, "columns": ALL, "leaves": leaves}
            yield f"surrogate of {name}, {leaves} leaves", {**question, **of}


def dirty(files: list[str]) -> Drawn:
    """Ask how dirty tables are read; the files are those of tests/tables/dirty."""
    for file in sorted(files):
        yield f"dirty {file}", {"kind": "dirty", "file": file}


DRAWN = {
    "trees": trees,
    "forests": forests,
    "alpha_trees": alpha_trees,
    "rules": rules,
    "trainings": trainings,
    "models": models,
    "pairs": pairs,
    "surrogates": surrogates,
}
"""By the name of the stored file, except dirty tables."""
