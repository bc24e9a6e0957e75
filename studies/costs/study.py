"""Costs of each row beside empulse, on the data sets of its package: `make study NAME=costs`."""

import warnings
from argparse import ArgumentParser
from pathlib import Path
from time import process_time

import numpy as np
import pandas as pd
import sympy
from empulse import datasets
from empulse.models import CSForestClassifier, CSLogitClassifier, CSThresholdClassifier
from scipy import stats
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from studies.page import markdown_table, say, show
from thresher import ImbalancedForestClassifier, ThresholdClassifier

SETS = {
    "TV churn": datasets.load_churn_tv_subscriptions,
    "bank upsell": datasets.load_upsell_bank_telemarketing,
    "VUB credit": datasets.load_vub_credit_scoring,
    "PAKDD credit": datasets.load_credit_scoring_pakdd,
}
MOST_ROWS = 8_000
MOST_LEVELS = 20
TREES = 100
OUTCOMES = ("tp", "fp", "tn", "fn")


def read(load):
    """Return the columns as numbers, the labels, and the four costs of each row."""
    found = load(backend="pandas")
    many = [
        name
        for name in found.data.columns
        if not pd.api.types.is_numeric_dtype(found.data[name])
        and found.data[name].nunique() > MOST_LEVELS
    ]
    X = pd.get_dummies(found.data.drop(columns=many), dtype=float).astype(float).to_numpy()
    y = np.asarray(found.target).astype(int)
    matrix = found.cost_matrix
    values = {**matrix._defaults, **found.instance_costs}
    costs = {
        f"{name}_cost": evaluated(getattr(matrix, f"{name}_cost"), values, len(y))
        for name in OUTCOMES
    }
    if len(y) > MOST_ROWS:
        rows = np.random.default_rng(0).choice(len(y), MOST_ROWS, replace=False)
        X, y, costs = X[rows], y[rows], {name: one[rows] for name, one in costs.items()}
    return X, y, costs


def evaluated(formula, values, n_rows):
    formula = sympy.sympify(formula)
    names = sorted(map(str, formula.free_symbols))
    found = sympy.lambdify(names, formula, "numpy")(*(values[name] for name in names))
    return np.broadcast_to(np.asarray(found, dtype=float), n_rows).copy()


def own_costs(costs):
    return {
        "cost_fp": np.maximum(costs["fp_cost"] - costs["tn_cost"], 0.0),
        "cost_fn": np.maximum(costs["fn_cost"] - costs["tp_cost"], 0.0),
    }


def line():
    return make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))


class Ours:
    """One of our models with costs of rows, or with their means."""

    def __init__(self, make, *, by_row):
        self.make, self.by_row = make, by_row

    def decide(self, train, test):
        (X, y, costs), (new, _, new_costs) = train, test
        given, wanted = own_costs(costs), own_costs(new_costs)
        if not self.by_row:
            fp, fn = given["cost_fp"][y == 0].mean(), given["cost_fn"][y == 1].mean()
            return self.make(cost_fp=fp, cost_fn=fn).fit(X, y).predict(new)
        return self.make().fit(X, y, **given).predict(new, **wanted)


class Theirs:
    """One of empulse's; costs go to fit, or to predict where they decide there."""

    def __init__(self, make, *, at_predict):
        self.make, self.at_predict = make, at_predict

    def decide(self, train, test):
        (X, y, costs), (new, _, new_costs) = train, test
        if self.at_predict:
            return self.make().fit(X, y).predict(new, **new_costs)
        return self.make().fit(X, y, **costs).predict(new)


def our_line(**costs):
    return ThresholdClassifier(line(), "cost", pos_label=1, n_bootstrap=0, **costs)


def our_forest(**costs):
    return ImbalancedForestClassifier(
        TREES, rule="cost", pos_label=1, n_bootstrap=0, min_samples_leaf=5, random_state=0, **costs
    )


def sklearn_forest():
    return RandomForestClassifier(TREES, min_samples_leaf=5, random_state=0)


def around_forest(**costs):
    return ThresholdClassifier(sklearn_forest(), "cost", cv=2, pos_label=1, n_bootstrap=0, **costs)


def their_forest():
    return CSThresholdClassifier(sklearn_forest(), pos_label=1, random_state=0)


CONTENDERS = {
    "thresher, logistic": Ours(our_line, by_row=True),
    "thresher, logistic, mean costs": Ours(our_line, by_row=False),
    "thresher, forest": Ours(our_forest, by_row=True),
    "thresher, forest, mean costs": Ours(our_forest, by_row=False),
    "thresher, scikit-learn's forest": Ours(around_forest, by_row=True),
    "empulse CSThreshold, logistic": Theirs(
        lambda: CSThresholdClassifier(line(), pos_label=1, random_state=0), at_predict=True
    ),
    "empulse CSThreshold, forest": Theirs(their_forest, at_predict=True),
    "empulse CSLogit": Theirs(lambda: Scaled(CSLogitClassifier()), at_predict=False),
    "empulse CSForest": Theirs(
        lambda: CSForestClassifier(TREES, min_samples_leaf=5, random_state=0), at_predict=False
    ),
}


class Scaled:
    """A model on scaled columns, with costs passed to its fit."""

    def __init__(self, model):
        self.scaler, self.model = StandardScaler(), model

    def fit(self, X, y, **costs):
        self.model.fit(self.scaler.fit_transform(X), y, **costs)
        return self

    def predict(self, X):
        return self.model.predict(self.scaler.transform(X))


def cost_of(decisions, y, costs):
    alert, truth = np.asarray(decisions) == 1, y == 1
    right = np.where(truth, costs["tp_cost"], costs["tn_cost"])
    wrong = np.where(truth, costs["fn_cost"], costs["fp_cost"])
    return float(np.where(alert == truth, right, wrong).sum())


def savings(decisions, y, costs):
    base = min(cost_of(np.full(len(y), one), y, costs) for one in (0, 1))
    return 1.0 - cost_of(decisions, y, costs) / base


def runs(sets, contenders, repeats):
    for name in sets:
        X, y, costs = read(SETS[name])
        say(f"{name}: {len(y)} rows, {X.shape[1]} columns, {100 * y.mean():.1f} % positive")
        folds = RepeatedStratifiedKFold(n_splits=5, n_repeats=repeats, random_state=0)
        for number, (train, test) in enumerate(folds.split(X, y)):
            parts = [
                (X[rows], y[rows], {key: one[rows] for key, one in costs.items()})
                for rows in (train, test)
            ]
            for contender in contenders:
                start = process_time()
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    decisions = CONTENDERS[contender].decide(*parts)
                seconds = process_time() - start
                yield name, contender, number, savings(decisions, *parts[1][1:]), seconds


def interval(values):
    reach = stats.sem(values) * stats.t.ppf(0.975, len(values) - 1)
    mean, low, high = (100 * (values.mean() + side * reach) for side in (0, -1, 1))
    return f"{mean:.1f} ({low:.1f} to {high:.1f})"


def table_of(found):
    sets = list(dict.fromkeys(found["set"]))
    rows = []
    for contender in dict.fromkeys(found["contender"]):
        part = found[found["contender"] == contender]
        cells = [interval(part[part["set"] == name]["savings"]) for name in sets]
        rows.append([contender, *cells, f"{part['seconds'].mean():.2f}"])
    return markdown_table(["savings in %, 95 % interval", *sets, "CPU s"], rows)


def main():
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--sets", nargs="+", choices=SETS, help="some of them fill no page")
    parser.add_argument("--repeats", type=int, default=2)
    options = parser.parse_args()
    columns = ["set", "contender", "fold", "savings", "seconds"]
    sets = options.sets or list(SETS)
    found = pd.DataFrame(runs(sets, CONTENDERS, options.repeats), columns=columns)
    page = None if options.sets else Path(__file__).parent / "README.md"
    show({"savings": table_of(found)}, page)


if __name__ == "__main__":
    main()
