"""How a model is made: which estimators compete, which rule chooses the threshold, which costs."""

from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from thresher.errors import ParameterError
from thresher.forest.classifier import ImbalancedForestClassifier
from thresher.tables.features import Features
from thresher.threshold.counts import Counts
from thresher.threshold.rules import Costs, FixedRule, Rule, make_rule, rule_words
from thresher.tree.classifier import ImbalancedTreeClassifier
from thresher.validation import check_choice, check_integer, is_integer

MODELS = ("auto", "tree", "forest")
MAX_LEAVES = 32
"""A tree that people read; larger ones did not decide better on plants' tables."""
MIN_PARTS = 5
"""Least rows of a leaf, so that its share of positives means something."""
TREES = 200
CRITERIA = {"adaptive_renyi": "adaptive Renyi", "entropy": "entropy"}
"""Of the trees that compete, and their names for people."""
PRUNING = {"f1": "f1", "cost": "cost", "bcr": "bcr", "gmean": "gmean", "prior": "bcr"}
"""What a tree may be pruned for, by the rule of its threshold; other rules leave it as it grew."""


class Candidate(NamedTuple):
    """An estimator that competes, not fitted, and its name for people."""

    name: str
    estimator: Any


@dataclass(frozen=True)
class Recipe:
    """The choices that a user makes for a model.

    Attributes
    ----------
    model : "tree", "forest", or "auto" for the better one on unseen rows.
    rule : name of the rule that chooses the threshold.
    cost_fp, cost_fn : cost of a false alarm and of a miss, None where they are not known.
    beta, floor, per_1000 : parameters of some rules.
    trees : of a forest.
    seed, jobs : seed of all that is drawn; threads.
    """

    model: str = "auto"
    rule: str = "f1"
    cost_fp: float | None = None
    cost_fn: float | None = None
    beta: float = 1.0
    floor: float | None = None
    per_1000: float | None = None
    trees: int = TREES
    seed: int = 0
    jobs: int | None = 1

    def __post_init__(self) -> None:
        # As a file gives them back: 5 and 5.0 are one cost.
        for name in ("cost_fp", "cost_fn", "beta", "floor", "per_1000"):
            if is_integer(value := getattr(self, name)):
                object.__setattr__(self, name, float(value))

    def as_data(self) -> dict[str, Any]:
        """Return the choices that shape the model, for its file."""
        return {name: value for name, value in asdict(self).items() if name != "jobs"}

    @property
    def costs(self) -> Costs | None:
        """The costs, None unless both are known."""
        if self.cost_fp is None or self.cost_fn is None:
            return None
        return Costs(self.cost_fp, self.cost_fn)

    def check(self) -> None:
        """Refuse choices that do not go together."""
        try:
            check_choice("model", self.model, MODELS)
            check_integer("trees", self.trees, low=1)
        except (TypeError, ValueError) as error:
            raise ParameterError(str(error)) from None
        self.make_rule()

    def make_rule(self) -> Rule:
        """Return the rule."""
        if (self.cost_fp is None) != (self.cost_fn is None):
            raise ParameterError("cost_fp and cost_fn belong together.")
        if self.rule == "cost" and self.costs is None:
            raise ParameterError("rule='cost' needs cost_fp and cost_fn.")
        try:
            return make_rule(self.rule, costs=self.costs or Costs(), **self._rule_parameters)
        except (TypeError, ValueError) as error:
            raise ParameterError(str(error)) from None

    @property
    def rule_words(self) -> str:
        """What the threshold is chosen for, in words."""
        return rule_words(self.rule, self.beta, self.floor, self.per_1000)

    @property
    def _rule_parameters(self) -> dict[str, Any]:
        return {"beta": self.beta, "floor": self.floor, "per_1000": self.per_1000}

    @property
    def measure(self) -> str:
        """The name of what `value` returns; of a cost it is the negative."""
        names = {
            "f1": "F1",
            "fbeta": f"F{self.beta:g}",
            "cost": "cost a row",
            "prior": "BCR",
            "precision_at_recall": "precision",
            "recall_at_precision": "recall",
            "budget": "recall",
        }
        return names.get(self.rule, self.rule.upper())

    def value(self, counts: Counts) -> float:
        """Return by what candidates are compared: what the rule is after, larger is better."""
        rule = self.make_rule()
        if self.rule == "budget":
            return float(counts.recall[0])
        if isinstance(rule, FixedRule):
            # The share of positives is the threshold of balanced rates (the paper, section 3).
            costs = self.costs if self.rule == "cost" else None
            return float(counts.bcr[0]) if costs is None else -float(costs.per_row(counts)[0])
        return float(rule.objective(counts)[0])

    def candidates(
        self, features: Features, positive: str, *, may_vote: bool = True
    ) -> list[Candidate]:
        """Return the estimators that compete, the simplest first.

        A forest whose votes `may_vote` for its training rows chooses its threshold on them itself.
        """
        shared = {
            "categorical_features": features.categorical,
            "pos_label": positive,
            "random_state": self.seed,
            "n_jobs": self.jobs,
        }
        trees = self._trees(shared) if self.model in ("auto", "tree") else []
        forests = [self._forest(shared, may_vote)] if self.model in ("auto", "forest") else []
        return [*trees, *forests]

    def _trees(self, shared: dict[str, Any]) -> list[Candidate]:
        """Return trees, pruned for what the rule is after and as they grew.

        The threshold that pruning labels leaves by follows from the rule alone, never from the
        threshold that is chosen afterwards: all folds and the final fit prune alike.
        """
        metric = PRUNING.get(self.rule)
        prunings = [None] if metric is None else [metric, None]
        by_rule: dict[str, Any] = {"prior": "prior"}
        if self.costs is not None:
            by_rule["cost"] = self.costs.threshold
        return [
            Candidate(
                f"tree ({words}, {'not pruned' if pruning is None else f'pruned for {pruning}'})",
                ImbalancedTreeClassifier(
                    criterion,
                    max_leaf_nodes=MAX_LEAVES,
                    min_samples_leaf=MIN_PARTS,
                    pruning=pruning,
                    threshold=by_rule.get(self.rule, 0.5),
                    **shared,
                ),
            )
            for pruning in prunings
            for criterion, words in CRITERIA.items()
        ]

    def _forest(self, shared: dict[str, Any], may_vote: bool) -> Candidate:
        rule: dict[str, Any] = {"rule": None}
        if may_vote:
            rule = {"rule": self.rule, **self._rule_parameters}
            if self.costs is not None:
                rule |= {"cost_fp": self.costs.fp, "cost_fn": self.costs.fn}
        estimator = ImbalancedForestClassifier(self.trees, n_bootstrap=0, **rule, **shared)
        return Candidate(f"forest ({self.trees} trees)", estimator)
