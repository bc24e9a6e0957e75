"""Another threshold for a trained model: what its facts say then, without a new fit."""

from dataclasses import replace
from typing import Any, NamedTuple

from thresher.errors import TableError
from thresher.judging.facts import Facts
from thresher.judging.judgement import Judgement, judged_at, judged_by
from thresher.threshold.rules import METRIC_RULES, RULE_PARAMETERS, choose_pair

SAME_SCORES = (
    "the scores that chose the threshold, for the file has no others: they flatter; train again"
)


class Moved(NamedTuple):
    """What is known of a model with another threshold, or with two where rows are referred."""

    facts: Facts
    threshold: float
    threshold_alert: float | None = None


def moved_to(facts: Facts, value: float) -> Moved:
    """Judge a number, which is marked as fixed by the user."""
    if facts.folds:
        judgement = judged_at(facts.folds, value, facts.held_out, **_judged_like(facts))
    else:
        judgement = _judged_on_same(facts, value)
    return Moved(replace(facts, judgement=judgement, threshold_interval=None, promise=None), value)


def moved_by(facts: Facts, name: str, parameters: dict[str, Any], unseen: str) -> Moved:
    """Let a rule choose again, in each fold without the rows that judge it.

    `unseen` tells how the models that scored the training rows came not to know them.
    """
    costs = {one: getattr(facts.recipe, one) for one in ("cost_fp", "cost_fn")}
    smooth = facts.recipe.smooth and name in METRIC_RULES
    given = {**dict.fromkeys(RULE_PARAMETERS), **costs, "beta": 1.0, "smooth": smooth}
    recipe = replace(facts.recipe, rule=name, **(given | parameters))
    recipe.check()
    rule = recipe.make_rule()
    if facts.scores is None or facts.share is None:
        raise TableError("The model has no scores to choose a threshold on; train it again.")
    value, alert = choose_pair(rule, facts.scores.cuts(), facts.share)
    promise = recipe.promise(facts.scores, value, unseen)
    facts = replace(facts, recipe=recipe, threshold_interval=None, promise=promise)
    if not facts.folds:
        judgement = _judged_on_same(facts, value, alert)
        return Moved(replace(facts, judgement=judgement), value, alert)
    folds = tuple(fold.by_rule(rule) for fold in facts.folds)
    like = {**_judged_like(facts), "price": recipe.price}
    judgement = judged_by(folds, facts.held_out, **like)
    return Moved(replace(facts, folds=folds, judgement=judgement), value, alert)


def _judged_like(facts: Facts) -> dict[str, Any]:
    judgement = facts.judgement
    never = None if judgement is None else judgement.never_judged
    return {"never_judged": never, "costs": facts.recipe.costs}


def _judged_on_same(facts: Facts, threshold: float, alert: float | None = None) -> Judgement:
    """Judge by the scores that choose, where a file of 0.1.0 has no others."""
    if facts.scores is None:
        raise TableError("The model has no scores to choose a threshold on; train it again.")
    found = facts.scores.answered_at(threshold, threshold if alert is None else alert)
    answered = None if alert is None else found
    others: dict[str, Any] = {"never_judged": None, "costs": facts.recipe.costs}
    return Judgement.of(found.low, SAME_SCORES, answered, **others)
