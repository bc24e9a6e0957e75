"""The methods of the study by name: a factory each, which returns a new, unfitted estimator.

A factory takes `random_state`, whether its method draws at random or not, so that whoever runs
them needs to know nothing but their names; each is built of plain functions and can be pickled.
"""

from collections.abc import Mapping
from functools import partial
from types import MappingProxyType
from typing import Any, Protocol

from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression

from thresher.linear import LeastSquaresClassifier
from thresher.tree.classifier import ImbalancedTreeClassifier


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
    _, under_sampling, _ = _imbalanced_learn()
    return _resampled(under_sampling.RandomUnderSampler, factory, random_state)


def over_sampled(factory: Factory, *, random_state: Any = None) -> BaseEstimator:
    """OS: random rows of the smaller class are repeated until both classes are of one size."""
    over_sampling, _, _ = _imbalanced_learn()
    return _resampled(over_sampling.RandomOverSampler, factory, random_state)


def _resampled(sampler: Any, factory: Factory, random_state: Any) -> BaseEstimator:
    _, _, pipeline = _imbalanced_learn()
    steps = [
        ("sampler", sampler(random_state=random_state)),
        ("classifier", factory(random_state=random_state)),
    ]
    return pipeline.Pipeline(steps)


def _imbalanced_learn() -> tuple[Any, Any, Any]:
    try:
        from imblearn import over_sampling, pipeline, under_sampling
    except ImportError:
        raise ImportError(
            "Methods with random sampling need imbalanced-learn: pip install 'thresher[benchmark]'."
        ) from None
    return over_sampling, under_sampling, pipeline


def at_prior(factory: Factory, *, random_state: Any = None) -> BaseEstimator:
    """Direct thresholding: a row is positive if its probability exceeds the share of positives."""
    from thresher.threshold.classifier import ThresholdClassifier

    return ThresholdClassifier(factory(random_state=random_state), rule="prior")


def paper_tree(criterion: str, *, random_state: Any = None) -> BaseEstimator:
    """Return a tree grown and pruned as the paper's: tolerance 0.05, BCR on the training rows."""
    return ImbalancedTreeClassifier(
        criterion,
        alpha_tolerance=0.05,
        min_samples_leaf=2,
        pruning="bcr",
        random_state=random_state,
    )


METHODS: Mapping[str, Factory] = MappingProxyType(
    {
        "LinR": linear_regression,
        "LinR+CS": partial(linear_regression, class_weight="balanced"),
        "LinR+US": partial(under_sampled, linear_regression),
        "LinR+OS": partial(over_sampled, linear_regression),
        "LinR@prior": partial(linear_regression, threshold="prior"),
        "LogR": logistic_regression,
        "LogR+CS": partial(logistic_regression, class_weight="balanced"),
        "LogR+US": partial(under_sampled, logistic_regression),
        "LogR+OS": partial(over_sampled, logistic_regression),
        "LogR@prior": partial(at_prior, logistic_regression),
        "CDT": partial(paper_tree, "gain_ratio"),
        "DKMDT": partial(paper_tree, "dkm"),
        "HDDT": partial(paper_tree, "hellinger"),
        "ARDT": partial(paper_tree, "adaptive_renyi"),
    }
)
"""The paper's methods under its names, and direct thresholding at the prior beside them."""
