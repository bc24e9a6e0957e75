"""Whether `PairFeatures` keeps pairs where they matter, and only there: `make study NAME=pairs`."""

import time
import warnings
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from scipy.stats import spearmanr
from sklearn.metrics import f1_score
from sklearn.model_selection import StratifiedKFold

from studies.page import markdown_table, say, show
from studies.pairs.tables import Made, with_pair, without_pair
from thresher import ImbalancedForestClassifier, ImbalancedTreeClassifier, PairFeatures
from thresher.datasets import load_dataset

HERE = Path(__file__).parent
WITHOUT, WITH, SEEDS = 200, 50, 3
FIRST_SEED = 1000
ALIKE = 0.98


class Outcome(NamedTuple):
    """What became of one table; costs are fits of a default forest."""

    seed: int
    sort: str
    pairs: str
    p_value: float
    is_found: bool
    cost: float
    cost_of_choice: float


def run(make: Callable[[int], Made], seed: int, *, with_costs: bool = True) -> Outcome:
    """Fit on one table."""
    made = make(seed)
    fitted, spent = _timed(PairFeatures(), made)
    costs = (np.nan, np.nan)
    if with_costs:
        forest = _timed(ImbalancedForestClassifier(random_state=0), made)[1]
        costs = (spent / forest, _timed(PairFeatures(test=False), made)[1] / forest)
    names = [f"c{place}" for place in range(made.X.shape[1])]
    shown = ", ".join(pair.name(names) for pair in fitted.pairs_)
    return Outcome(seed, made.sort, shown, fitted.p_value_, _is_found(fitted, made), *costs)


def _timed(estimator: Any, made: Made) -> tuple[Any, float]:
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        estimator.fit(made.X, made.y)
    return estimator, time.process_time() - start


def _is_found(fitted: PairFeatures, made: Made) -> bool:
    """Whether a kept pair says what the planted one does."""
    if made.truth is None:
        return False
    values = [pair.values(made.X) for pair in fitted.pairs_]
    likeness = [spearmanr(one, made.truth, nan_policy="omit").statistic for one in values]
    return bool(np.any(np.abs(likeness) > ALIKE))


def ai4i(seeds: int) -> list[str]:
    """Return F1 on AI4I with and without derived columns."""
    X, y = load_dataset("ai4i2020")
    small = {"max_leaf_nodes": 32, "min_samples_leaf": 5, "pruning": "f1"}
    rows = []
    for name, make in {
        "tree of 32 leaves": lambda **more: ImbalancedTreeClassifier(**small, **more),
        "forest": lambda **more: ImbalancedForestClassifier(random_state=0, **more),
    }.items():
        figures = [
            np.mean([_nested_f1(make(**more), X, y, seed) for seed in range(seeds)])
            for more in ({}, {"pairs": PairFeatures()})
        ]
        rows.append([name, *(f"{figure:.3f}" for figure in figures)])
    columns = ("AI4I, F1 of unseen rows", "as it is", "with `pairs=PairFeatures()`")
    return markdown_table(columns, rows)


def _nested_f1(model: Any, X: Any, y: Any, seed: int) -> float:
    decided = np.zeros_like(y)
    for train, test in StratifiedKFold(5, shuffle=True, random_state=seed).split(X, y):
        decided[test] = model.fit(X[train], y[train]).predict(X[test])
    return float(f1_score(y, decided))


def kept_table(outcomes: list[Outcome]) -> list[str]:
    """Return on how many tables without a pair some are kept, by sort."""
    rows = [[sort, len(group), kept_in(group)] for sort, group in by_sort(outcomes)]
    return markdown_table(("tables without a pair", "tables", "pairs kept"), rows)


def found_table(outcomes: list[Outcome]) -> list[str]:
    """Return on how many lines the planted pair is found, by operation."""
    rows = [
        [sort, len(group), kept_in(group), sum(one.is_found for one in group)]
        for sort, group in by_sort(outcomes)
    ]
    columns = ("planted", "lines", "pairs kept", "the planted one among them")
    return markdown_table(columns, rows)


def by_sort(outcomes: list[Outcome]) -> Iterator[tuple[str, list[Outcome]]]:
    for sort in dict.fromkeys(one.sort for one in outcomes):
        yield sort, [one for one in outcomes if one.sort == sort]
    yield "**all**", outcomes


def kept_in(outcomes: list[Outcome]) -> int:
    return sum(bool(one.pairs) for one in outcomes)


def cost_line(outcomes: list[Outcome]) -> str:
    """Return what a fit costs."""
    costs = np.array([(one.cost, one.cost_of_choice) for one in outcomes])
    (middle, choice), (largest, most) = np.median(costs, axis=0), costs.max(axis=0)
    return (
        f"Cost in fits of a default forest: {middle:.1f} (at most {largest:.1f}); without the test "
        f"{choice:.2f} (at most {most:.2f})."
    )


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--share", type=float, default=1.0, help="less than all fills no page")
    options = parser.parse_args()
    pool = Parallel(options.jobs, return_as="generator")
    results: list[list[Outcome]] = []
    for make, count in ((without_pair, WITHOUT), (with_pair, WITH)):
        seeds = range(FIRST_SEED, FIRST_SEED + int(count * options.share))
        results.append([])
        for outcome in pool(delayed(run)(make, seed) for seed in seeds):
            say(str(outcome))
            results[-1].append(outcome)
    parts = {
        "kept": kept_table(results[0]),
        "found": found_table(results[1]),
        "costs": [cost_line(results[0] + results[1])],
        "ai4i": ai4i(max(1, int(SEEDS * options.share))),
    }
    show(parts, HERE / "README.md" if options.share == 1.0 else None)


if __name__ == "__main__":
    main()
