"""The choice of a threshold: counts, exact search, rules, changes of the prior, the estimator.

Nothing but `classifier`, `out_of_fold` and `plot` knows estimators or tables.
"""

from thresher.threshold.classifier import ThresholdClassifier
from thresher.threshold.rules import RuleNotMetError

__all__ = ["RuleNotMetError", "ThresholdClassifier"]
