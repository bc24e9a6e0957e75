"""Whether limits avoid what `actions` says: `make study NAME=actions`.

Twenty simulated lines: is the scrap that a limit really avoids within the interval that `actions`
tells? And a line on which humidity causes scrap, and an oven only follows it.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from studies.page import new_figure, save_figure, show
from thresher import ImbalancedTreeClassifier, actions
from thresher.datasets import make_assembly_line

HERE = Path(__file__).parent
TRIGGERS = ["press_force", "torque_3", "oven_temperature", "leak_rate"]
"""The column of each planted condition that is out of range, taken for a setting."""
LINES = range(20)


def main() -> None:
    """Put how often the interval covers the truth into the page, and draw its figure."""
    found = [pair for seed in LINES for pair in avoided_and_truth(seed)]
    inside = sum(low <= truth <= high for _, low, high, truth in found)
    named = sum("humidity" in confounders_named(seed)[0] for seed in LINES)
    sentence = (
        f"Of {len(found)} levers on {len(LINES)} lines, {inside} have the truth inside their "
        f"interval ({100 * inside / len(found):.0f} %). On {named} of {len(LINES)} lines where "
        "humidity causes scrap and the oven follows it, humidity is named."
    )
    show({"proof": [sentence]}, HERE / "README.md")
    draw(found)


def avoided_and_truth(seed: int) -> list[tuple[float, float, float, float]]:
    """Return scrap avoided with its interval, and what the simulator says, for each lever."""
    line = make_assembly_line(random_state=seed)
    model = ImbalancedTreeClassifier(max_leaf_nodes=16).fit(line.X, line.y)
    options: dict[str, Any] = {"n_permutations": 0, "n_bootstrap": 0, "output": "table"}
    found = []
    for action in actions(model, line.X, line.y, settings=TRIGGERS, **options).actions:
        limit = action.limit
        if limit is None or np.isnan(action.avoided[0]):  # nothing is told
            continue
        met = meets(line.X, (limit.bad, *limit.context))
        after = line.limited_probability(limit.lever, limit.is_kept, met, random_state=seed)
        found.append((*action.avoided, float((line.probability - after)[met].sum())))
    return found


def meets(X: pd.DataFrame, clauses: Any) -> NDArray[np.bool_]:
    """Whether parts meet clauses, by the words of these."""
    met = np.ones(len(X), dtype=np.bool_)
    for clause in clauses:
        values = X[clause.column]
        if hasattr(clause, "levels"):
            inside = values.isin(clause.levels)
        else:
            inside = (values > clause.low) & (values <= clause.high)
        met &= (inside | (values.isna() & clause.missing)).to_numpy()
    return met


def confounded_line(seed: int) -> tuple[pd.DataFrame, NDArray[np.int64]]:
    """Return a line on which humidity causes scrap, and the oven follows humidity.

    The humidity sensor drops out a third of the time, so that the oven tells more.
    """
    random = np.random.default_rng(seed)
    n_parts = 4000
    humidity = random.normal(45.0, 5.0, n_parts)
    table = pd.DataFrame(
        {
            "oven_temperature": 155.0 + 0.8 * (humidity - 45.0) + random.normal(0.0, 0.6, n_parts),
            "humidity": np.where(random.random(n_parts) < 0.35, np.nan, humidity),
            "noise": random.normal(size=n_parts),
            "torque": random.normal(12.0, 1.0, n_parts),
        }
    )
    rate = np.where(humidity > 53.0, 0.8, 0.02)
    return table, (random.random(n_parts) < rate).astype(np.int64)


def confounders_named(seed: int) -> tuple[list[str], list[str]]:
    """Return what is named as a possible reason, and what merely moves with the lever."""
    X, y = confounded_line(seed)
    model = ImbalancedTreeClassifier(max_leaf_nodes=4).fit(X, y)
    options: dict[str, Any] = {"n_permutations": 0, "n_bootstrap": 0, "output": "table"}
    found = actions(model, X, y, settings="oven_temperature", **options)
    named, others = [], []
    for action in found.actions:
        named += action.suspects
        others += [one.column for one in action.confounders if not one.explains]
    return named, others


def draw(found: list[tuple[float, float, float, float]]) -> None:
    """Draw predicted scrap avoided with its interval against the truth."""
    figure, (axes,) = new_figure(6.0, 4.2)
    avoided, low, high, truth = np.array(found).T
    axes.errorbar(
        truth, avoided, (avoided - low, high - avoided), fmt="o", ms=3, lw=0.8, color="#2b6cb0"
    )
    ends = [truth.min() * 0.9, truth.max() * 1.05]
    axes.plot(ends, ends, color="#888888", lw=0.8)
    axes.set_xlabel("scrap avoided when the limit is kept in the simulator")
    axes.set_ylabel("scrap avoided as told, with interval")
    save_figure(figure, HERE / "actions.svg")


if __name__ == "__main__":
    main()
