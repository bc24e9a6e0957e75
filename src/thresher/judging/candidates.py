"""The estimators that compete for a model, the simplest first."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

from thresher.boosted.classifier import BoostedTreesClassifier
from thresher.boosted.lightgbm import has_lightgbm
from thresher.forest.classifier import ImbalancedForestClassifier
from thresher.judging.competitor import USES_THEM
from thresher.judging.recipe import AUTO, CRITERIA, LEAVES, MIN_PARTS, PRUNING, Recipe
from thresher.pair import NamedPair
from thresher.pairs.features import PairFeatures
from thresher.tables.features import Features
from thresher.tree.classifier import ImbalancedTreeClassifier

KINDS = ("tree", "forest", "boosted")
"""Kinds of models, the simplest first."""


class Candidate(NamedTuple):
    """An estimator that competes, not fitted, its name for people, and how hard it is to read."""

    name: str
    estimator: Any
    complexity: int

    @property
    def kind(self) -> str:
        """Its kind of model."""
        return KINDS[self.complexity // 2]


@dataclass(frozen=True)
class Candidates:
    """What competes by a recipe on a table.

    Attributes
    ----------
    recipe : the choices of the user.
    features : the table.
    positive : the class to find.
    may_vote : whether votes of a forest for its training rows may choose its threshold.
    pairs : columns made of two others, with which each estimator competes a second time.
    """

    recipe: Recipe
    features: Features
    positive: Any
    may_vote: bool = True
    pairs: Sequence[NamedPair] = ()

    def listed(self) -> list[Candidate]:
        """Return the candidates, the simplest first."""
        makers = {"tree": self._trees, "forest": self._forests, "boosted": self._boosted}
        wanted = KINDS if self.recipe.model == AUTO else (self.recipe.model,)
        derived = [None, PairFeatures(self.pairs, test=False)] if self.pairs else [None]
        return [
            Candidate(
                name if pairs is None else f"{name}{USES_THEM}",
                estimator.set_params(pairs=pairs),
                2 * KINDS.index(kind) + (pairs is not None),
            )
            for kind in wanted
            for pairs in derived
            for name, estimator in makers[kind]()
        ]

    @property
    def _shared(self) -> dict[str, Any]:
        return {
            "categorical_features": "from_dtype",
            "pos_label": self.positive,
            "random_state": self.recipe.seed,
            "n_jobs": self.recipe.jobs,
        }

    def _trees(self) -> list[tuple[str, Any]]:
        """Return trees: pruned for what the rule is after, and as they grew, of several sizes.

        The threshold that pruning labels leaves by follows from the rule alone, never from the
        threshold that is chosen afterwards: all folds and the final fit prune alike.
        """
        recipe = self.recipe
        criteria = CRITERIA if recipe.criterion is None else (recipe.criterion,)
        shapes = product(self._shapes(), criteria)
        by_rule: dict[str, Any] = {"prior": "prior"}
        if recipe.costs is not None:
            by_rule["cost"] = recipe.costs.threshold
        least = recipe.min_samples_leaf
        shared = {
            "min_samples_leaf": least if isinstance(least, int) else MIN_PARTS,
            "threshold": by_rule.get(recipe.rule, 0.5),
            **self._shared,
        }
        return [
            (
                _tree_name(criterion, pruning, leaves),
                ImbalancedTreeClassifier(
                    criterion, max_leaf_nodes=leaves, pruning=pruning, **shared
                ),
            )
            for (pruning, leaves), criterion in shapes
        ]

    def _shapes(self) -> list[tuple[str | None, int]]:
        """Return how trees are pruned, and their most leaves; smaller ones only as they grew."""
        recipe = self.recipe
        sizes = LEAVES if recipe.leaves is None else (recipe.leaves,)
        metric = PRUNING.get(recipe.rule) if recipe.pruning == "auto" else recipe.pruning
        pruned = [] if metric in (None, "none") else [(metric, max(sizes))]
        if pruned and recipe.pruning != "auto":
            return [(metric, size) for size in sizes]
        return [*pruned, *((None, size) for size in sorted(sizes, reverse=True))]

    @property
    def _rule(self) -> dict[str, Any]:
        """Return the rule of models that choose their threshold on their own unseen scores."""
        recipe = self.recipe
        rule: dict[str, Any] = {"n_bootstrap": 0, "rule": None}
        if self.may_vote:
            rule |= {"rule": recipe.rule, **recipe.rule_parameters}
            if recipe.costs is not None:
                rule |= {"cost_fp": recipe.costs.fp, "cost_fn": recipe.costs.fn}
        return rule | self._shared

    def _forests(self) -> list[tuple[str, Any]]:
        recipe = self.recipe
        estimator = ImbalancedForestClassifier(
            recipe.trees,
            criterion=recipe.criterion or "adaptive_renyi",
            min_samples_leaf=recipe.min_samples_leaf,
            **self._rule,
        )
        return [(f"forest ({recipe.trees} trees)", estimator)]

    def _boosted(self) -> list[tuple[str, Any]]:
        """Return boosted trees; none among several candidates where LightGBM is missing."""
        if self.recipe.model == AUTO and not has_lightgbm():
            return []
        return [("boosted trees", BoostedTreesClassifier(**self._rule))]


def _tree_name(criterion: str, pruning: str | None, leaves: int) -> str:
    words = criterion.replace("_renyi", " Renyi")
    shape = "not pruned" if pruning is None else f"pruned for {pruning}"
    return f"tree ({words}, {leaves} leaves, {shape})"
