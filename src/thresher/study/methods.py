"""The methods of a study by name: a factory each, which returns a new, unfitted estimator.

A factory takes `random_state`, whether its method draws at random or not, so that whoever runs
them needs to know nothing but their names; each is built of plain functions and can be pickled.
"""

from collections.abc import Mapping
from functools import partial
from importlib import import_module
from types import MappingProxyType
from typing import Any, Protocol

from sklearn.base import BaseEstimator
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from thresher.linear import LeastSquaresClassifier
from thresher.tree.classifier import ImbalancedTreeClassifier

TREES = 200
"""Trees of every forest, ours and the others', so that they are compared at one size."""


class Factory(Protocol):
    """What makes the estimator of a method."""

    def __call__(self, *, random_state: Any = None) -> BaseEstimator:
        """Return a new, unfitted estimator."""


def linear_regression(*, random_state: Any = None, **parameters: Any) -> BaseEstimator:
    """LinR: least squares on the labels 0 and 1."""
    return LeastSquaresClassifier(**parameters)


def logistic_regression(*, random_state: Any = None, **parameters: Any) -> BaseEstimator:
    """LogR: logistic regression with an L2 penalty, C = 1, on the columns as they are.

    On unscaled columns Newton's method comes to the same optimum about 30 times faster than L-BFGS.
    """
    return LogisticRegression(C=1.0, solver="newton-cholesky", max_iter=1000, **parameters)


def under_sampled(factory: Factory, *, random_state: Any = None) -> BaseEstimator:
    """US: random rows of the larger class are left out until both classes are of one size."""
    return _resampled("under_sampling", "RandomUnderSampler", factory, random_state)


def over_sampled(factory: Factory, *, random_state: Any = None) -> BaseEstimator:
    """OS: random rows of the smaller class are repeated until both classes are of one size."""
    return _resampled("over_sampling", "RandomOverSampler", factory, random_state)


def _resampled(module: str, name: str, factory: Factory, random_state: Any) -> BaseEstimator:
    sampler = getattr(_imbalanced_learn(module), name)
    steps = [
        ("sampler", sampler(random_state=random_state)),
        ("classifier", factory(random_state=random_state)),
    ]
    return _imbalanced_learn("pipeline").Pipeline(steps)


def _imbalanced_learn(module: str) -> Any:
    try:
        return import_module(f"imblearn.{module}")
    except ImportError:
        raise ImportError(
            "Methods with random sampling need imbalanced-learn: pip install 'thresher[study]'."
        ) from None


def at_prior(factory: Factory, *, random_state: Any = None) -> BaseEstimator:
    """Direct thresholding: a row is positive if its probability exceeds the share of positives."""
    from thresher.threshold.classifier import ThresholdClassifier

    estimator = factory(random_state=random_state)
    return ThresholdClassifier(estimator, rule="prior", n_bootstrap=0)


def paper_tree(criterion: str, *, random_state: Any = None) -> BaseEstimator:
    """Return a tree grown and pruned as the paper's: tolerance 0.05, BCR on the training rows."""
    return ImbalancedTreeClassifier(
        criterion,
        alpha_tolerance=0.05,
        min_samples_leaf=2,
        pruning="bcr",
        random_state=random_state,
    )


def alpha_trees(*, random_state: Any = None) -> BaseEstimator:
    """EAT: a Renyi tree for each of several orders, grown and pruned as the paper's; they vote."""
    from thresher.forest.alpha_trees import AlphaTreesClassifier

    return AlphaTreesClassifier(min_samples_leaf=2, pruning="bcr", random_state=random_state)


def forest(*, random_state: Any = None) -> BaseEstimator:
    """Forest: ours, with the threshold of the best F1 out of bag."""
    from thresher.forest.classifier import ImbalancedForestClassifier

    return ImbalancedForestClassifier(TREES, rule="f1", random_state=random_state)


def light_gbm(*, random_state: Any = None) -> BaseEstimator:
    """LightGBM with its defaults, at a probability of 0.5."""
    try:
        from lightgbm import LGBMClassifier
    except ImportError:
        raise ImportError(
            "The method LightGBM needs lightgbm: pip install 'thresher[study]'."
        ) from None
    return LGBMClassifier(n_jobs=1, verbosity=-1, random_state=random_state)


def balanced_forest(*, random_state: Any = None) -> BaseEstimator:
    """BalancedRF: each tree of a random forest sees both classes in one size."""
    ensemble = _imbalanced_learn("ensemble")
    return ensemble.BalancedRandomForestClassifier(TREES, random_state=random_state)


def random_forest(*, random_state: Any = None) -> BaseEstimator:
    """RandomForest: scikit-learn's."""
    return RandomForestClassifier(TREES, random_state=random_state)


def decision_tree(*, random_state: Any = None) -> BaseEstimator:
    """DecisionTree: scikit-learn's, with its defaults."""
    return DecisionTreeClassifier(random_state=random_state)


METHODS: Mapping[str, Factory] = MappingProxyType(
    {
        "LinR": linear_regression,
        "LinR+CS": partial(linear_regression, class_weight="balanced"),
        "LinR+US": partial(under_sampled, linear_regression),
        "LinR+OS": partial(over_sampled, linear_regression),
        "LogR": logistic_regression,
        "LogR+CS": partial(logistic_regression, class_weight="balanced"),
        "LogR+US": partial(under_sampled, logistic_regression),
        "LogR+OS": partial(over_sampled, logistic_regression),
        "CDT": partial(paper_tree, "gain_ratio"),
        "DKMDT": partial(paper_tree, "dkm"),
        "HDDT": partial(paper_tree, "hellinger"),
        "EAT": alpha_trees,
        "ARDT": partial(paper_tree, "adaptive_renyi"),
        "LinR@prior": partial(linear_regression, threshold="prior"),
        "LogR@prior": partial(at_prior, logistic_regression),
        "Forest": forest,
        "LightGBM": light_gbm,
        "BalancedRF": balanced_forest,
        "RandomForest": random_forest,
        "DecisionTree": decision_tree,
    }
)
"""The paper's methods under its names, then direct thresholding at the prior, then others."""

PAPER_METHODS = tuple(METHODS)[:13]
"""Names of the 13 methods that the paper compares, in the order of its tables."""

CONTROL = "ARDT"
"""The paper's own method, with which it compares the others."""
