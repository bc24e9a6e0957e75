"""How a model is made: what the user chose of models, of the rule of the threshold, of costs."""

from dataclasses import asdict, dataclass
from math import isnan
from typing import Any

from thresher.errors import ParameterError
from thresher.threshold.confidence_set import threshold_interval
from thresher.threshold.counts import Answered, Costs, Counts, Vector
from thresher.threshold.promise import Promise, ReferPromise
from thresher.threshold.rules import (
    RULE_PARAMETERS,
    FixedRule,
    PromisedRule,
    ReferRule,
    Rule,
    make_rule,
    rule_words,
)
from thresher.threshold.score_counts import ScoreCounts
from thresher.tree.growing import CRITERIA as ALL_CRITERIA
from thresher.validation import check_choice, check_integer, check_truth, is_integer

MODELS = ("auto", "tree", "forest", "boosted")
MAX_LEAVES = 32
"""A tree that people read; larger ones did not decide better on plants' tables."""
LEAVES = (8, MAX_LEAVES)
"""Most leaves of the trees that compete."""
AUTO = "auto"
NAMED_CRITERIA = tuple(name for name in ALL_CRITERIA if name != "renyi")  # which needs an order
PRUNINGS = (AUTO, "none", "bcr", "gmean", "error", "f1", "cost")
MIN_PARTS = 5
"""Least rows of a leaf, so that its share of positives means something."""
TREES = 400
BOOTSTRAPS = 200
"""Samples behind the interval of a threshold."""
CRITERIA = ("adaptive_renyi", "entropy")
"""Of the trees that compete."""
PRUNING = {"f1": "f1", "cost": "cost", "bcr": "bcr", "gmean": "gmean", "prior": "bcr"}
"""What a tree may be pruned for, by the rule of its threshold; other rules leave it as it grew."""


@dataclass(frozen=True)
class Recipe:
    """The choices that a user makes for a model.

    Attributes
    ----------
    model : "tree", "forest", "boosted", or "auto" for the simplest one within the
        noise of the best on unseen rows.
    rule : name of the rule that chooses the threshold.
    cost_fp, cost_fn : cost of a false alarm and of a miss, None where they are not known.
    beta, floor, per_1000 : parameters of some rules.
    trees : of a forest.
    criterion : of trees and forest, None for the better of two, and the forest's own.
    leaves : most leaves of a tree, None for the better of two sizes.
    min_samples_leaf : least rows of a leaf; "auto": what out-of-bag votes say for a forest, and a
        few for a tree.
    pruning : what a tree is pruned for, "none", or "auto" for what the rule is after or not at all.
    pairs : whether columns made of two others compete.
    confidence : with which a rule promises what it aims at, None for no promise.
    cost_fp_column, cost_fn_column : columns with the costs of each row; `cost_fp` and `cost_fn` are
        then their means over the rows that such a decision is wrong for.
    threshold_by : column whose groups have cuts of their own.
    miss, false_alarm, price : limits, or the price of a referred row, of the rule "refer".
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
    criterion: str | None = None
    leaves: int | None = None
    min_samples_leaf: int | str = AUTO
    pruning: str = AUTO
    pairs: bool = True
    confidence: float | None = None
    cost_fp_column: str | None = None
    cost_fn_column: str | None = None
    threshold_by: str | None = None
    miss: float | None = None
    false_alarm: float | None = None
    price: float | None = None

    def __post_init__(self) -> None:
        # As a file gives them back: 5 and 5.0 are one cost.
        for name in ("cost_fp", "cost_fn", *RULE_PARAMETERS):
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

    @property
    def cost_columns(self) -> tuple[str | None, str | None]:
        """The columns with the costs of each row."""
        return self.cost_fp_column, self.cost_fn_column

    @property
    def has_cost_columns(self) -> bool:
        """Whether rows have costs of their own."""
        return any(name is not None for name in self.cost_columns)

    def check(self) -> None:
        """Refuse choices that do not go together."""
        try:
            check_choice("model", self.model, MODELS)
            check_integer("trees", self.trees, low=1)
            if self.criterion is not None:
                check_choice("criterion", self.criterion, NAMED_CRITERIA)
            if self.leaves is not None:
                check_integer("leaves", self.leaves, low=2)
            if self.min_samples_leaf != AUTO:
                check_integer("min_samples_leaf", self.min_samples_leaf, low=1)
            check_choice("pruning", self.pruning, PRUNINGS)
            check_truth("pairs", self.pairs)
        except (TypeError, ValueError) as error:
            raise ParameterError(str(error)) from None
        if self.has_cost_columns and self.rule != "cost":
            raise ParameterError(
                f"Columns with costs are for rule='cost', got rule={self.rule!r}; for a budget by "
                "expected saving see thresher.ThresholdClassifier."
            )
        if self.has_cost_columns and self.threshold_by is not None:
            raise ParameterError("threshold_by= and columns with costs do not go together.")
        has_cuts = self.has_cost_columns or self.threshold_by is not None
        if has_cuts and (self.confidence is not None or self.rule == "refer"):
            raise ParameterError(
                "confidence and rule='refer' are of one threshold for all rows, so that they go "
                "neither with threshold_by nor with columns of costs; leave one of the two out."
            )

        self.make_rule()

    def make_rule(self) -> Rule:
        """Return the rule."""
        fp, fn = self.cost_fp, self.cost_fn
        knows_fp = fp is not None or self.cost_fp_column is not None
        knows_fn = fn is not None or self.cost_fn_column is not None
        if knows_fp != knows_fn:
            raise ParameterError("cost_fp and cost_fn belong together.")
        if self.rule == "cost" and not knows_fp:
            raise ParameterError("rule='cost' needs cost_fp and cost_fn.")
        if self.price is not None and self.costs is None:
            raise ParameterError("price needs cost_fp and cost_fn, which it is weighed against.")
        try:
            return make_rule(self.rule, costs=self.costs or Costs(), **self.rule_parameters)
        except (TypeError, ValueError) as error:
            raise ParameterError(str(error)) from None

    def promise(
        self, scores: ScoreCounts, threshold: float, unseen: str
    ) -> Promise | ReferPromise | None:
        """Return what a threshold that the rule chose promises, None where nothing was asked for.

        `unseen` tells how the model came not to know the rows of these scores.
        """
        rule = self.make_rule()
        if isinstance(rule, ReferRule):
            cuts = scores.cuts()
            return rule.promise(cuts, rule.choose_pair(cuts), unseen=unseen)
        if not isinstance(rule, PromisedRule):
            return None
        return rule.promise(scores.cuts(), threshold, unseen=unseen, seed=self.seed)

    def interval(self, scores: ScoreCounts) -> tuple[float, float] | None:
        """Return the 95 % interval of the rule's threshold; None of what is promised or a pair."""
        rule = self.make_rule()
        if isinstance(rule, PromisedRule | ReferRule):
            return None
        low, high = threshold_interval(scores.cuts(), rule, BOOTSTRAPS, self.seed)
        return None if isnan(low) else (low, high)

    @property
    def rule_words(self) -> str:
        """What the threshold is chosen for, in words."""
        return rule_words(self.rule, **{name: getattr(self, name) for name in RULE_PARAMETERS})

    @property
    def rule_parameters(self) -> dict[str, Any]:
        """Parameters of some rules."""
        return {name: getattr(self, name) for name in RULE_PARAMETERS}

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
            "refer": "share decided" if self.price is None else "cost a row",
        }
        return names.get(self.rule, self.rule.upper())

    def value(self, counts: Counts | Answered) -> float:
        """Return by what candidates are compared: what the rule is after, larger is better."""
        return float(self.values(counts)[0])

    def values(self, counts: Counts | Answered) -> Vector:
        """Return `value` for several sets of counts."""
        if isinstance(counts, Answered):
            if self.price is None or self.costs is None:
                return 1.0 - counts.referred
            return -counts.cost_per_row(self.costs, self.price)
        rule = self.make_rule()
        if isinstance(rule, PromisedRule):
            rule = rule.plain
        if self.rule == "budget":
            return counts.recall
        if isinstance(rule, FixedRule):
            # The share of positives is the threshold of balanced rates (the paper, section 3).
            costs = self.costs if self.rule == "cost" else None
            return counts.bcr if costs is None else -costs.per_row(counts)
        assert not isinstance(rule, ReferRule), "Its rows are answered in three ways."
        return rule.objective(counts)
