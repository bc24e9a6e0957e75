"""What people use on a table of their own, by name, each with its threshold tuned alike.

The threshold is chosen on scores of rows that the model has not seen: out of bag where a forest of
ours votes, else out of fold.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from types import MappingProxyType
from typing import Any, NamedTuple

from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from thresher.benchmark.methods import (
    TREES,
    Factory,
    balanced_forest,
    light_gbm,
    random_forest,
)
from thresher.tree.classifier import ImbalancedTreeClassifier

RULES = ("f1", "bcr", "gmean", "mcc")
"""What a threshold may be tuned for here: measures that need no parameter."""

INNER_FOLDS = 5
LEAVES = 32
"""Of the tree, so that it can be read."""
LEAST_ROWS = 5
"""Of a leaf of the tree."""


def tuned(factory: Factory, rule: str, *, random_state: Any = None) -> BaseEstimator:
    """Return a method with its threshold chosen by a rule on out-of-fold scores."""
    from thresher.threshold.classifier import ThresholdClassifier

    folds = StratifiedKFold(INNER_FOLDS, shuffle=True, random_state=random_state)
    estimator = factory(random_state=random_state)
    return ThresholdClassifier(estimator, rule, cv=folds, n_bootstrap=0)


def forest(rule: str, *, random_state: Any = None) -> BaseEstimator:
    """Forest: ours, with the threshold chosen out of bag."""
    from thresher.forest.classifier import ImbalancedForestClassifier

    return ImbalancedForestClassifier(TREES, rule=rule, n_bootstrap=0, random_state=random_state)


def blend(rule: str, *, random_state: Any = None) -> BaseEstimator:
    """Blend: ours, of unlike members, with the threshold chosen on their unseen scores."""
    classifier: Any = import_module("thresher.blend.classifier").ImbalancedBlendClassifier
    estimator: BaseEstimator = classifier(rule=rule, random_state=random_state)
    return estimator


def readable_tree(*, random_state: Any = None) -> BaseEstimator:
    """Tree: one of ours that people can read."""
    return ImbalancedTreeClassifier(
        max_leaf_nodes=LEAVES, min_samples_leaf=LEAST_ROWS, pruning=None, random_state=random_state
    )


def scaled_logistic_regression(*, random_state: Any = None) -> BaseEstimator:
    """Logistic regression on columns of mean 0 and variance 1, with an L2 penalty, C = 1."""
    return make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))


USUAL_METHODS: Mapping[str, Any] = MappingProxyType(
    {
        "tree": partial(tuned, readable_tree),
        "forest": forest,
        **({"blend": blend} if find_spec("thresher.blend") else {}),
        "LightGBM": partial(tuned, light_gbm),
        "RandomForest": partial(tuned, random_forest),
        "BalancedRandomForest": partial(tuned, balanced_forest),
        "logistic regression": partial(tuned, scaled_logistic_regression),
    }
)
"""Functions of a rule and `random_state` by the names of their methods."""


class Offer(NamedTuple):
    """The methods that can be used here, and a sentence for each that cannot."""

    factories: Mapping[str, Factory]
    left_out: list[str]


def usual_methods(rule: str = "f1", names: Sequence[str] = ()) -> Offer:
    """Return methods with their thresholds tuned by a rule; all that are installed by default.

    >>> offer = usual_methods()
    >>> list(offer.factories)[:2]
    ['tree', 'forest']
    """
    factories = {name: partial(USUAL_METHODS[name], rule) for name in names or USUAL_METHODS}
    why = {name: _what_is_missing(factory) for name, factory in factories.items()}
    there = {name: factory for name, factory in factories.items() if why[name] is None}
    return Offer(there, [f"{name} is left out: {text}" for name, text in why.items() if text])


def _what_is_missing(factory: Factory) -> str | None:
    try:
        factory()
    except ImportError as error:
        return str(error)
    return None
