"""How a model is made: which estimator, which rule for its threshold, which costs."""

from dataclasses import asdict, dataclass
from typing import Any

import click

from thresher.forest.classifier import ImbalancedForestClassifier
from thresher.tables.features import Features
from thresher.threshold.rules import Costs, Rule, make_rule
from thresher.tree.classifier import ImbalancedTreeClassifier

MOST_LEAVES = 32
"""A tree that people read; larger ones did not decide better on plants' tables."""
LEAST_PARTS = 5
"""Least rows of a leaf, so that its share of positives means something."""
TREES = 200


@dataclass(frozen=True)
class Recipe:
    """The choices that a user makes for a model.

    Attributes
    ----------
    model : "tree" or "forest".
    rule : name of the rule that chooses the threshold.
    cost_fp, cost_fn : cost of a false alarm and of a miss, None where they are not known.
    beta, floor, per_1000 : parameters of some rules.
    trees : of a forest.
    seed, jobs : seed of all that is drawn; threads.
    """

    model: str = "tree"
    rule: str = "f1"
    cost_fp: float | None = None
    cost_fn: float | None = None
    beta: float = 1.0
    floor: float | None = None
    per_1000: float | None = None
    trees: int = TREES
    seed: int = 0
    jobs: int = 1

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
    def _rule_parameters(self) -> dict[str, Any]:
        return {"beta": self.beta, "floor": self.floor, "per_1000": self.per_1000}

    def checked_rule(self) -> Rule:
        """Return the rule; options that do not go together are a usage error."""
        if (self.cost_fp is None) != (self.cost_fn is None):
            raise click.UsageError("--cost-fp and --cost-fn belong together.")
        if self.rule == "cost" and self.costs is None:
            raise click.UsageError("--rule cost needs --cost-fp and --cost-fn.")
        try:
            return make_rule(self.rule, costs=self.costs or Costs(), **self._rule_parameters)
        except (TypeError, ValueError) as error:
            raise click.UsageError(_as_options(str(error))) from None

    def estimator(self, features: Features, positive: str, threshold: float = 0.5) -> Any:
        """Return an unfitted estimator; a forest chooses its own threshold out of bag."""
        shared: dict[str, Any] = {
            "min_samples_leaf": LEAST_PARTS if self.model == "tree" else 2,
            "categorical_features": features.categorical,
            "pos_label": positive,
            "random_state": self.seed,
            "n_jobs": self.jobs,
        }
        if self.model == "tree":
            return ImbalancedTreeClassifier(
                max_leaf_nodes=MOST_LEAVES, threshold=threshold, **shared
            )
        if self.costs is not None:
            shared |= {"cost_fp": self.costs.fp, "cost_fn": self.costs.fn}
        return ImbalancedForestClassifier(
            self.trees, rule=self.rule, n_bootstrap=0, **self._rule_parameters, **shared
        )


def _as_options(sentence: str) -> str:
    """Return a sentence about parameters as one about options."""
    for name in ("per_1000", "cost_fp", "cost_fn", "floor", "beta"):
        sentence = sentence.replace(name, f"--{name.replace('_', '-')}")
    return sentence.replace("rule=", "--rule ")
