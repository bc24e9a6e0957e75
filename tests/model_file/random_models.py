"""Small fitted models of every kind, drawn at random together with rows to predict."""

import warnings

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression

from thresher import (
    AlphaTreesClassifier,
    ImbalancedForestClassifier,
    ImbalancedTreeClassifier,
    LeastSquaresClassifier,
    ThresholdClassifier,
)

KINDS = ("tree", "forest", "alpha_trees", "least_squares", "threshold")
NAMES = ["speed", 'with "quotes"', "naïve ☃", "a,b;c", "", "'; DROP TABLE x; --", "x[0]"]
TEXTS = ["north", "süd", '"', "{}", "", "null", "a" * 40, "\n", "\u2028", "0"]
LABELS = [
    np.array([0, 1]),
    np.array([-5, 7], dtype=np.int8),
    np.array([False, True]),
    np.array(["ok", "scrap"]),
    np.array(["Ausschuß", "gut"]),
    np.array([-1.0, 3.0]),
    np.array([3, 200], dtype=np.uint16),
]
CRITERIA = ["adaptive_renyi", "hellinger", "dkm", "entropy", "gain_ratio", "gini"]


def draw_model(kind, seed):
    """Return a fitted model and a table for it."""
    random = np.random.default_rng([KINDS.index(kind), seed])
    inner = kind
    if kind == "threshold":
        inner = str(random.choice([*KINDS[:4], "logistic"]))
    X, y, weights = draw_rows(random, is_linear=inner in ("least_squares", "logistic"))
    model = draw_estimator(random, inner, y)
    if kind == "threshold":
        model = around(random, model)
        if model.cv == "prefit":
            model.estimator.fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, y, sample_weight=weights)
    if kind == "forest" and seed % 3 == 0 and (model.predict(X) == model.pos_label_).any():
        model.imitation_ = model.to_tree(4, cv=None)
    return model, X


def draw_rows(random, *, is_linear):
    """Return a table, labels and weights (or None)."""
    n_rows, n_columns = int(random.integers(60, 200)), int(random.integers(1, 5))
    kinds = random.choice(["number", "text", "level", "truth", "many"], size=n_columns)
    if is_linear or random.random() < 0.4:
        kinds[:] = "number"
    n_rows *= 5 if "many" in kinds else 1
    columns = [draw_column(random, n_rows, kind, is_linear) for kind in kinds]
    score = sum((codes - np.nanmean(codes)) / (np.nanstd(codes) + 1e-9) for _, codes in columns)
    score = np.nan_to_num(score) + random.normal(0, 0.5, n_rows)
    is_second = score > np.quantile(score, random.choice([0.7, 0.85, 0.3]))
    y = pick(random, LABELS)[is_second.astype(int)]
    names = random.choice(NAMES, size=n_columns, replace=False).tolist()
    X = pd.DataFrame({name: values for name, (values, _) in zip(names, columns, strict=True)})
    if (kinds == "number").all() and random.random() < 0.5:
        X = X.to_numpy(dtype=np.float32 if random.random() < 0.3 else np.float64)
    weights = random.integers(1, 4, n_rows) * 0.3 if random.random() < 0.3 else None
    return X, y, weights


def pick(random, options):
    return options[int(random.integers(len(options)))]


def draw_column(random, n_rows, kind, is_linear):
    """Return values and numbers that stand for them."""
    if kind == "number":
        numbers = random.normal(size=n_rows) * 10.0 ** random.integers(-3, 4)
        numbers = np.round(numbers, 2) if random.random() < 0.5 else numbers
        if not is_linear and random.random() < 0.4:
            numbers[random.random(n_rows) < 0.1] = np.nan
        return numbers, numbers
    n_levels = {"text": len(TEXTS), "level": 40, "truth": 2, "many": n_rows}[kind]
    codes = random.integers(0, n_levels, n_rows)
    if kind == "many":
        values = np.array([f"serial {code}" for code in codes], dtype=object)
        values[random.random(n_rows) < 0.05] = None
        return values, codes.astype(float)
    if kind == "text":
        values = np.array(TEXTS, dtype=object)[codes]
        values[random.random(n_rows) < 0.05] = None
        return values, codes.astype(float)
    return pd.Categorical(codes * 0.5 if kind == "level" else codes == 1), codes.astype(float)


def draw_estimator(random, kind, y):
    """Return an unfitted estimator."""
    seed = int(random.integers(1000))
    weight = pick(random, [None, "balanced", {np.unique(y)[0].item(): 2.0}])
    if kind == "least_squares":
        return LeastSquaresClassifier(
            class_weight=weight, threshold=pick(random, [0.5, "prior", 0.2])
        )
    if kind == "logistic":
        solver = pick(random, ["liblinear", "newton-cholesky"])
        return LogisticRegression(C=float(random.choice([0.1, 10.0])), solver=solver)
    growth = {
        "class_weight": weight,
        "max_depth": pick(random, [None, 3]),
        "min_samples_leaf": int(random.integers(1, 6)),
        "max_features": pick(random, [None, "sqrt", 1]),
        "random_state": pick(random, [None, seed]),
        "n_jobs": pick(random, [None, 2]),
    }
    if kind == "forest":
        return ImbalancedForestClassifier(
            int(random.integers(3, 9)),
            criterion=pick(random, CRITERIA),
            bootstrap=pick(random, ["plain", "stratified", "balanced"]),
            rule=pick(random, ["f1", "bcr", "prior", None]),
            smoothing=pick(random, [None, "laplace", "m_estimate"]),
            importance=pick(random, ["impurity", "permutation"]),
            n_bootstrap=int(random.choice([0, 20])),
            **growth,
        )
    growth |= {
        "pruning": pick(random, ["bcr", "f1", None]),
        "threshold": pick(random, [0.5, "prior"]),
    }
    growth["pruning_fraction"] = pick(random, [None, 0.3]) if growth["pruning"] else None
    if kind == "alpha_trees":
        alphas = pick(random, [(0.1, 1), [0.5, 1.0, 2], np.array([0.3, 3.0])])
        return AlphaTreesClassifier(alphas, voting=pick(random, ["majority", "soft"]), **growth)
    leaves = pick(random, [None, 6])
    return ImbalancedTreeClassifier(pick(random, CRITERIA), max_leaf_nodes=leaves, **growth)


def around(random, estimator):
    """Return a ThresholdClassifier around an unfitted estimator."""
    rule = pick(random, ["prior", "f1", "gmean", "cost", "budget", "fbeta"])
    return ThresholdClassifier(
        estimator,
        rule,
        beta=2.0 if rule == "fbeta" else 1.0,
        per_1000=1000.0 if rule == "budget" else None,
        cv=pick(random, [2, 0.4, "prefit"]),
        n_bootstrap=int(random.choice([0, 10])),
        cost_fn=3.0,
        random_state=int(random.integers(1000)),
    )
