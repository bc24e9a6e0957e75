"""How often a model is fitted again to test its conditions."""

from typing import Any, NamedTuple

from thresher.condition.readable_tree import is_taken_over
from thresher.condition.refitting import Again
from thresher.threshold.imitated import ImitatedClassifier
from thresher.validation import check_integer

USUAL_OF_A_TREE, USUAL_OF_A_FOREST = (99, 50, 50_000), (99, 20, 2_000)
"""Permutations, bootstrap samples and rows of these by default; a forest takes far longer."""


class Effort(NamedTuple):
    """How often the model is fitted again, on how many rows, and how."""

    n_permutations: int
    n_bootstrap: int
    max_rows: int
    cv: Any = None
    again: Again = Again()


def can_be_fitted(model: Any) -> bool:
    """Whether a model can be fitted again."""
    if isinstance(model, ImitatedClassifier):
        return model.can_be_fitted
    return not is_taken_over(model)


def effort_for(
    model: Any, n_permutations: int | None, n_bootstrap: int | None, max_rows: int | None
) -> Effort:
    """Return what is asked for, and what is usual for such a model where nothing is."""
    if not can_be_fitted(model):
        if n_permutations or n_bootstrap:
            raise ValueError(
                "Trees that were taken over and cv='prefit' cannot be fitted again, so "
                "n_permutations and n_bootstrap must be left out; give hold-out rows as X_test and "
                "y_test."
            )
        return Effort(0, 0, 1)
    usual = USUAL_OF_A_FOREST if _is_slow(model) else USUAL_OF_A_TREE
    given = (n_permutations, n_bootstrap, max_rows)
    names = ("n_permutations", "n_bootstrap", "max_rows")
    for name, value, low in zip(names, given, (0, 0, 1), strict=True):
        if value is not None:
            check_integer(name, value, low=low)
    pairs = zip(given, usual, strict=True)
    permutations, samples, rows = (other if value is None else value for value, other in pairs)
    return Effort(permutations, samples, rows)


def _is_slow(model: Any) -> bool:
    """Whether a fit takes longer than that of a tree: of several, or with columns to choose."""
    if isinstance(model, ImitatedClassifier):
        return True
    inner = getattr(model, "estimator_", model)
    return hasattr(inner, "n_estimators") or bool(inner.columns_.derived)
