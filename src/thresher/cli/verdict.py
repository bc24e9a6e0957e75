"""The outcome of a training in plain words."""

from typing import TYPE_CHECKING

from thresher.condition.table import LEVEL, ConditionTable

if TYPE_CHECKING:
    from thresher.cli.model_store import TrainedModel

STRONG, FAIR = 0.7, 0.4
"""F1 that held-out rows allow, from which a model is called good, and of some use."""
SHOWN = 5


def verdict_text(model: "TrainedModel") -> str:
    """Return what a model can do, its threshold, and the first conditions."""
    facts, estimator = model.facts, model.estimator
    found, unit, event = facts["judged"], facts["unit"], facts["event"]
    lines = [
        f"{_heading(facts['reachable_f1'], event)} On held-out {unit} ({facts['held_out']}) the "
        f"{facts['recipe']['model']} finds {_of(found['recall'])} of {event}, and "
        f"{_of(found['precision'])} of its alerts are right: precision {found['precision']:.3f}, "
        f"recall {found['recall']:.3f}, F1 {found['f1']:.3f}, {found['alerts_per_1000']:.0f} "
        f"alerts per 1000 {unit}.",
        f"Threshold {estimator.threshold_:.4g} (rule {facts['recipe']['rule']}"
        f"{_interval(facts['threshold_interval'])}): an alert if the probability is above it.",
    ]
    if "cost_per_1000" in found:
        judged = [found[name] for name in ("tp", "fn", "tn", "fp")]
        silent = 1000.0 * facts["recipe"]["cost_fn"] * sum(judged[:2]) / sum(judged)
        lines.append(
            f"It costs {found['cost_per_1000']:,.0f} per 1000 {unit}; without alerts it would be "
            f"{silent:,.0f}."
        )
    return "\n".join([*lines, "", conditions_text(model.conditions, unit, event)])


def conditions_text(table: ConditionTable, unit: str, event: str) -> str:
    """Return the first conditions, or that there are none."""
    if not len(table):
        return f"No condition leads to {event} often enough for an alert."
    more = len(table) - SHOWN
    blocks, count = [], 0
    for line in table.to_text(unit, event).rstrip().split("\n"):
        count += not line.startswith(" ")
        if count <= SHOWN:
            blocks.append(line)
    ending = [f"... and {more} more in conditions.csv."] if more > 0 else []
    heading = f"Conditions that lead to {event}:"
    if table.may_be_chance.all():
        heading = f"No condition is told from chance (p < {LEVEL}). Those with most {event}:"
    return "\n".join([heading, *blocks, *ending])


def _heading(f1: float, event: str) -> str:
    if f1 >= STRONG:
        return f"Most {event} can be seen coming."
    return f"{'Part' if f1 >= FAIR else 'Little'} of {event} can be seen coming."


def _of(share: float) -> str:
    return f"{100.0 * share:.0f} %"


def _interval(interval: tuple[float, float] | None) -> str:
    if interval is None or interval[0] == interval[1]:
        return ""
    return f", 95 % interval {interval[0]:.3g} to {interval[1]:.3g}"
