"""Random models of every kind, and rows that lie on their cuts, beside them and far away."""

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
from thresher.export.scoring import Line
from thresher.export.scoring_of import read_scoring

HOSTILE = (
    'say "torque"',
    "it's",
    "x'; DROP TABLE parts; --",
    "/* comment */",
    "-- comment",
    "naïve ☃ 你好",
    "shark 🦈",
    "new\nline",
    "tab\tand \r",
    "back\\slash\\",
    "back\\\nslash",
    "[bra]cket]]",
    "50% {0} %s $1 :p ?",
    "a.b.c",
    " space around ",
    "long " * 60,
    "select",
)
LEVELS = ("a", "A", "a ", "", "NULL", "nan", "0", *HOSTILE)
CRITERIA = ("adaptive_renyi", "hellinger", "entropy", "gain_ratio", "gini")
LABELS = ((0, 1), ("ok", "scrap"), (False, True), ("it's", 'a "b" \\ 🦈'), (-1.0, 2.0))


def random_table(rng, n_rows, *, is_float32, with_missing, with_levels):
    """Return a table with hostile names; numbers of all sizes, ties, zeros of both signs."""
    names = list(rng.permutation(HOSTILE)[: rng.integers(2, 7)])
    columns = {}
    for place, name in enumerate(names):
        kind = rng.integers(4) if with_levels and place else 0
        if kind == 1:
            some = rng.permutation(LEVELS)[: rng.integers(2, 12)]
            values = pd.Series(rng.choice(some, n_rows), dtype=object)
        elif kind == 2:
            values = pd.Series(rng.choice([rng.choice([0.1, 0.5]), -2.0, 3.5, 1e6], n_rows))
        else:
            values = pd.Series(numbers(rng, n_rows, is_float32))
        if with_missing and rng.random() < 0.7:
            values[rng.random(n_rows) < rng.uniform(0.02, 0.3)] = None
        columns[name] = values.astype("category") if kind in (1, 2) else values
    return pd.DataFrame(columns)


def numbers(rng, n_rows, is_float32):
    scale = rng.choice([1.0, 1.0, 1e-30, 1e30] if is_float32 else [1.0, 1.0, 1e-310, 1e300, 1e-9])
    values = rng.normal(size=n_rows) * scale
    if rng.random() < 0.4:
        values = np.round(values / scale * 2.0) * (scale if rng.random() < 0.5 else 1.0)
    return values.astype(np.float32 if is_float32 else np.float64)


def random_labels(rng, table, labels):
    """Return labels that hang on the first columns, with a rare class."""
    score = rng.normal(size=len(table)) * 0.5
    for name in table.columns[:3]:
        codes = table[name].astype("category").cat.codes.to_numpy()
        score += np.argsort(np.argsort(codes, kind="stable")) / len(table) * rng.choice([-2, 2])
    positive = score > np.quantile(score, rng.uniform(0.6, 0.9))
    return np.where(positive, labels[1], labels[0])


def make_model(seed):
    """Return a fitted model and a table to predict on."""
    rng = np.random.default_rng(seed)
    kind = KINDS[seed % len(KINDS)]
    is_line = kind in (line, logistic)
    table = random_table(
        rng,
        int(rng.integers(60, 160)),
        is_float32=rng.random() < 0.5 and kind is not logistic,
        with_missing=not is_line,
        with_levels=not is_line,
    )
    if is_line:
        table = table.apply(lambda column: column / (np.abs(column).max() or 1.0))
    y = random_labels(rng, table, LABELS[seed // len(KINDS) % len(LABELS)])
    model = kind(rng, table, y)
    return model, new_rows(rng, model, table)


def tree(rng, X, y):
    pruning = rng.choice([None, "bcr", "f1"])
    threshold = rng.choice([0.5, 0.2])
    model = ImbalancedTreeClassifier(
        rng.choice(CRITERIA), pruning=pruning, threshold=threshold, min_samples_leaf=1
    )
    return model.fit(X, y)


def weighted_tree(rng, X, y):
    model = ImbalancedTreeClassifier("entropy", threshold="prior", class_weight="balanced")
    return model.fit(X, y, sample_weight=rng.uniform(0.1, 3.0, len(y)))


def chain(rng, X, y):
    """A tree that is as deep as its rows allow: labels alternate along one column."""
    first = X.columns[0]
    X = X.assign(**{first: numbers(rng, len(X), X[first].dtype == np.float32)})
    order = np.argsort(np.argsort(X[first].to_numpy(), kind="stable"))
    y = np.where(order % 2 == 0, *np.unique(y))
    return ImbalancedTreeClassifier("gini", pruning=None, min_samples_leaf=1).fit(X[[first]], y)


def small_forest(rng, X, y):
    model = ImbalancedForestClassifier(
        int(rng.integers(12, 40)),
        bootstrap=rng.choice(["plain", "stratified", "balanced"]),
        smoothing=rng.choice([None, "laplace", "m_estimate"]),
        rule=rng.choice(["f1", "prior"]),
        n_bootstrap=0,
        random_state=0,
    )
    return model.fit(X, y)


def unweighted_votes(rng, X, y):
    """Pure leaves and few trees: many means are on the threshold, or would be without rounding."""
    return ImbalancedForestClassifier(
        int(rng.integers(2, 13)),
        bootstrap=False,
        max_features=1,
        min_samples_leaf=1,
        rule=None,
        n_bootstrap=0,
        random_state=int(rng.integers(1000)),
    ).fit(X, y)


def moved_forest(rng, X, y):
    model = ImbalancedForestClassifier(
        20, bootstrap="balanced", smoothing="laplace", correct_prior=True, n_bootstrap=0
    )
    return model.set_params(random_state=1).fit(X, y).adjust_prior(rng.uniform(0.01, 0.5))


def big_forest(rng, X, y):
    return ImbalancedForestClassifier(200, n_bootstrap=0, random_state=2).fit(X, y)


def alpha_trees(rng, X, y):
    return AlphaTreesClassifier(alphas=(0.1, 0.5, 1, 2), voting="majority").fit(X, y)


def soft_alpha_trees(rng, X, y):
    return AlphaTreesClassifier(voting="soft", threshold="prior", pruning=None).fit(X, y)


def line(rng, X, y):
    model = LeastSquaresClassifier(threshold=rng.choice([0.5, 0.1]), class_weight=None)
    if rng.random() < 0.5:
        return model.fit(X, y)
    return ThresholdClassifier(model, rule="f1", pos_label=y[0], n_bootstrap=0).fit(X, y)


def logistic(rng, X, y):
    if rng.random() < 0.3:
        return LogisticRegression(C=10.0).fit(X, y)
    model = ThresholdClassifier(
        LogisticRegression(C=10.0, class_weight="balanced"),
        rule=rng.choice(["f1", "bcr", "prior"]),
        correct_prior=True,
        pos_label=rng.choice(np.unique(y)),
        n_bootstrap=0,
    )
    return model.fit(X, y)


def thresholded_tree(rng, X, y):
    model = ImbalancedTreeClassifier("entropy", min_samples_leaf=4)
    model = ThresholdClassifier(model, rule="f1", pos_label=y[0], n_bootstrap=0).fit(X, y)
    return model.adjust_prior(0.3) if rng.random() < 0.5 else model


def thresholded_forest(rng, X, y):
    model = ImbalancedForestClassifier(14, n_bootstrap=0, random_state=3)
    model = ThresholdClassifier(model, rule="bcr", cv=2, pos_label=y[0], n_bootstrap=0)
    return model.fit(X, y).adjust_prior(0.2)


def only_a_leaf(rng, X, y):
    return ImbalancedTreeClassifier("entropy", threshold=0.05, min_gain=1.0).fit(X, y)


KINDS = (
    tree,
    weighted_tree,
    chain,
    small_forest,
    tree,
    unweighted_votes,
    alpha_trees,
    line,
    moved_forest,
    soft_alpha_trees,
    logistic,
    thresholded_tree,
    tree,
    thresholded_forest,
    unweighted_votes,
)


# --------------------------------------------------------------------------------------- the rows


def new_rows(rng, model, table, most=160):
    """Return rows of the table, and copies with values on and around the cuts of the model."""
    scoring = read_scoring(model)
    table = table[list(scoring.names)]
    rows = [table.iloc[rng.integers(len(table), size=60)]]
    for place, cut in cuts(scoring, rng, most):
        rows.append(around(rng, table, scoring.names[place], cut))
    rows = pd.concat(rows, ignore_index=True)
    for name, levels in zip(scoring.names, scoring.levels, strict=True):
        if levels is not None:
            rows[name] = spoiled(rng, rows[name].astype(object), levels)
        elif not isinstance(scoring.score, Line):
            rows.loc[rng.random(len(rows)) < 0.05, name] = np.nan
    return rows


def cuts(scoring, rng, most):
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


def around(rng, table, name, cut):
    """Return rows whose value is the cut, the next above it, the next below it."""
    dtype = table[name].to_numpy().dtype.type
    with np.errstate(over="ignore"):
        near = dtype(cut)
        values = [near, np.nextafter(near, dtype(np.inf)), np.nextafter(near, dtype(-np.inf))]
    values = [value for value in values if np.isfinite(value)]
    rows = table.iloc[rng.integers(len(table), size=len(values))].copy()
    rows[name] = np.array(values, dtype=dtype)
    return rows


def spoiled(rng, values, levels):
    """Put missing values and levels that nobody has seen into a category column."""
    values = values.copy()
    values[rng.random(len(values)) < 0.1] = None
    unknown = "no level" if isinstance(levels[0], str) else 77.0
    values[rng.random(len(values)) < 0.1] = unknown
    return values.astype("category")
