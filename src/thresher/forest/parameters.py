"""What a forest refuses before it reads any data."""

from typing import Any

import numpy as np

from thresher.forest.recipe import SMOOTHINGS
from thresher.threshold.rules import FixedRule, Rule
from thresher.tree.growing import MAX_BINS, Growth
from thresher.validation import check_choice, check_integer, check_number
from thresher.wording import quoted

AUTO = "auto"
"""What a forest chooses itself: the leaf size by out-of-bag votes, bins by its number of rows."""
BOOTSTRAPS = ("plain", "stratified", "balanced")
MAX_TREES = 1_000_000
EXACT_ROWS = 10_000
"""Rows up to which max_bins="auto" compares values; above, bins tell trees as good, and faster."""
IMPORTANCES = ("impurity", "permutation", "shap")


def check_parameters(forest: Any) -> None:
    """Raise an error of one sentence for the first parameter that is out of range."""
    growth = Growth.of(forest)
    for name, stand_in in (("min_samples_leaf", 1), ("max_bins", None)):
        value = getattr(forest, name)
        if isinstance(value, str):
            if value != AUTO:
                raise ValueError(f"{name} must be an integer or {AUTO!r}, got {quoted(value)}.")
            setattr(growth, name, stand_in)
    growth.check()
    check_integer("n_estimators", forest.n_estimators, low=1, high=MAX_TREES)
    check_number("random_cuts", forest.random_cuts, 0.0, 1.0)
    if forest.smoothing is not None:
        check_choice("smoothing", forest.smoothing, SMOOTHINGS)
    check_number("smoothing_m", forest.smoothing_m, low=0.0, above=True)
    check_choice("importance", forest.importance, IMPORTANCES)
    if not isinstance(forest.verbose, bool | np.bool_):
        check_integer("verbose", forest.verbose, low=0)
    if forest.bootstrap is not False:
        check_choice("bootstrap", forest.bootstrap, BOOTSTRAPS)


def bins_for(forest: Any, n_rows: int) -> int | None:
    """Return the bins of a column for so many rows; None where values are compared."""
    if forest.max_bins != AUTO:
        return None if forest.max_bins is None else int(forest.max_bins)
    return None if n_rows <= EXACT_ROWS else MAX_BINS


def checked_rule_of(forest: Any) -> Rule:
    """Check all parameters of a forest, and return the rule of its threshold."""
    check_parameters(forest)
    rule: Rule = forest.checked_rule()
    if forest.bootstrap is False:
        refuse_without_votes(forest, rule)
    return rule


def refuse_without_votes(forest: Any, rule: Rule) -> None:
    """Raise where something is asked for that needs out-of-bag votes."""
    for what, needed in {
        "confidence": forest.confidence is not None,
        f"rule={forest.rule!r}": not isinstance(rule, FixedRule),
        "correct_prior=True": forest.correct_prior,
        "threshold_by": forest.threshold_by is not None,
        "importance='permutation'": forest.importance == "permutation",
        "min_samples_leaf='auto'": forest.min_samples_leaf == AUTO,
    }.items():
        if needed:
            raise ValueError(
                f"{what} needs out-of-bag votes, which bootstrap=False does not give; choose "
                f"bootstrap from {', '.join(map(repr, BOOTSTRAPS))}, or leave it out."
            )
