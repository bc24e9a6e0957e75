"""Rules as texts, turned into the flat parameters of 0.2."""

from typing import Any


def flat(rule: str) -> dict[str, Any]:
    """Return the parameters of 0.2's estimators for a rule."""
    first, *more = rule.split("+")
    name, _, value = first.partition("=")
    clauses = dict(clause.split("=") for clause in more)
    names = {"fp": "cost_fp", "fn": "cost_fn", "price": "price", "confidence": "confidence"}
    found = {names[key]: float(text) for key, text in clauses.items() if key in names}
    match name:
        case "0.5":
            return {"rule": None}
        case "fbeta":
            return {"rule": "fbeta", "beta": float(value)}
        case "recall":
            return {"rule": "precision_at_recall", "floor": float(value), **found}
        case "precision":
            return {"rule": "recall_at_precision", "floor": float(value), **found}
        case "alerts":
            return {"rule": "budget", "per_1000": float(value.removesuffix("/1000")), **found}
        case "review" if "price" in found:
            return {"rule": "refer", **found}
        case "review":
            # 1 - 0.85 is not the float 0.15.
            miss, false_alarm = (
                round(1.0 - float(clauses[k]), 12) for k in ("recall", "precision")
            )
            return {"rule": "refer", "miss": miss, "false_alarm": false_alarm, **found}
        case _:
            return {"rule": name, **found}


def flat_of_training(rule: str) -> dict[str, Any]:
    """Return the parameters of 0.2's `train`, where a cost may be a column."""
    numbers = [clause for clause in rule.split("+") if clause != "fn=value"]
    found = flat("+".join(numbers))
    return found if "fn=value" not in rule else {**found, "cost_fn_column": "value"}
