"""Models of other libraries, drawn at random together with rows to ask them for."""

import lightgbm
import numpy as np
import xgboost
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

from tests.converters.random_tables import make_problem

SKLEARN = [
    DecisionTreeClassifier,
    ExtraTreeClassifier,
    RandomForestClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
]
FORESTS = (RandomForestClassifier, ExtraTreesClassifier)
LIBRARIES = ("lightgbm", "xgboost", "sklearn")


def draw(library, seed, most_trees=40):
    """Return a fitted original and its problem."""
    random = np.random.default_rng([LIBRARIES.index(library), seed])
    if library == "sklearn":
        kind = SKLEARN[seed % len(SKLEARN)]
        gaps = kind is not GradientBoostingClassifier
        problem = make_problem(random, gaps=gaps, categories=False)
        model = kind(**sklearn_options(random, kind, most_trees))
        return model.fit(problem.X, problem.y, sample_weight=problem.weights), problem
    problem = make_problem(random)
    n_trees = int(random.integers(1, most_trees))
    if library == "lightgbm":
        return train_lightgbm(random, problem, n_trees), problem
    data = xgboost_table(problem, problem.X, label=problem.y, weight=problem.weights)
    return xgboost.train(xgboost_options(random), data, n_trees), problem


def raw_and_probability(original, problem):
    """Return what an original says of the rows that are asked for: scores of the second class."""
    if isinstance(original, lightgbm.Booster):
        raw = original.predict(problem.asked, raw_score=True)
        if original.dump_model()["average_output"]:
            raw = raw / original.num_trees()
        return raw, original.predict(problem.asked)
    if isinstance(original, xgboost.Booster):
        table = xgboost_table(problem, problem.asked)
        return original.predict(table, output_margin=True), original.predict(table)
    probability = original.predict_proba(problem.asked)[:, 1]
    if hasattr(original, "decision_function"):
        return original.decision_function(problem.asked), probability
    return probability, probability


# ---------------------------------------------------------------------------------------- LightGBM


def lightgbm_options(random):
    options = {
        "objective": "binary",
        "num_leaves": int(random.integers(2, 40)),
        "min_data_in_leaf": int(random.integers(1, 20)),
        "min_sum_hessian_in_leaf": 1e-6,
        "learning_rate": float(random.uniform(0.01, 1.0)),
        "zero_as_missing": bool(random.random() < 0.3),
        "use_missing": bool(random.random() < 0.8),
        "boost_from_average": bool(random.random() < 0.7),
        "sigmoid": float(random.choice([1.0, 0.5, 2.3])),
        "is_unbalance": bool(random.random() < 0.3),
        "num_threads": int(random.integers(1, 3)),
        "min_data_per_group": 2,
        "cat_smooth": 1.0,
        "max_cat_to_onehot": int(random.choice([1, 4, 100])),
        "extra_trees": bool(random.random() < 0.2),
        "seed": int(random.integers(1000)),
        "verbose": -1,
    }
    kind = random.random()
    if kind < 0.15:
        options |= {"boosting": "rf", "bagging_freq": 1, "bagging_fraction": 0.6}
    elif kind < 0.3:
        options |= {"boosting": "dart", "drop_rate": 0.5}
    elif kind < 0.4:
        options |= {"bagging_freq": 1, "bagging_fraction": 0.5}
    elif kind < 0.5:
        options["min_gain_to_split"] = 1e9  # constant trees
    return options


def train_lightgbm(random, problem, n_trees):
    X, y, weights, asked, places = problem
    options = lightgbm_options(random)
    data = lightgbm.Dataset(X, y, weight=weights, categorical_feature=places)
    stops = []
    if random.random() < 0.3 and "boosting" not in options:
        stops = [lightgbm.early_stopping(2, verbose=False)]
    valid = lightgbm.Dataset(asked[: len(y)], y, reference=data)
    return lightgbm.train(options, data, n_trees, valid_sets=[valid], callbacks=stops)


# ----------------------------------------------------------------------------------------- XGBoost


def xgboost_options(random):
    options = {
        "objective": "binary:logistic",
        "max_depth": int(random.integers(1, 9)),
        "min_child_weight": float(random.choice([0.0, 1.0, 10.0])),
        "eta": float(random.uniform(0.01, 1.0)),
        "tree_method": str(random.choice(["hist", "approx"])),
        "nthread": int(random.integers(1, 3)),
        "max_cat_to_onehot": int(random.choice([1, 4, 100])),
        "scale_pos_weight": float(random.choice([1.0, 5.0])),
        "seed": int(random.integers(1000)),
        "verbosity": 0,
    }
    kind = random.random()
    if kind < 0.15:
        options |= {"booster": "dart", "rate_drop": 0.5}
    elif kind < 0.3:
        options |= {"num_parallel_tree": 3, "subsample": 0.6}
    elif kind < 0.4:
        options["gamma"] = 1e9  # constant trees
    elif kind < 0.6:
        options["base_score"] = float(random.uniform(0.01, 0.99))
    return options


def xgboost_table(problem, X, **more):
    types = ["c" if place in problem.categories else "q" for place in range(X.shape[1])]
    return xgboost.DMatrix(X, feature_types=types, enable_categorical=True, **more)


# ------------------------------------------------------------------------------------ scikit-learn


def sklearn_options(random, kind, most_trees):
    options = {
        "max_depth": [None, 1, 3, 8][random.integers(4)],
        "min_samples_leaf": int(random.choice([1, 5])),
        "random_state": int(random.integers(1000)),
    }
    if random.random() < 0.1:
        options["min_impurity_decrease"] = 1e9  # constant trees
    if kind in FORESTS:
        # One thread: with more, predict adds its trees in the order in which they finish.
        options |= {"n_estimators": int(random.integers(1, most_trees)), "n_jobs": 1}
        options["class_weight"] = [None, "balanced"][random.integers(2)]
    if kind is GradientBoostingClassifier:
        options |= {
            "n_estimators": int(random.integers(1, most_trees)),
            "learning_rate": float(random.uniform(0.01, 1.0)),
            "subsample": float(random.choice([0.5, 1.0])),
            "init": [None, "zero"][random.integers(2)],
            "loss": ["log_loss", "exponential"][random.integers(2)],
            "n_iter_no_change": [None, 3][random.integers(2)],
        }
    return options
