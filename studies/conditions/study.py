"""How far a confirmed condition may be trusted: `make study NAME=conditions`.

Twenty simulated lines: are the planted conditions recovered? Two hundred tables of pure noise: how
often is a condition named as a cause, by `find_conditions` of a tree and by `thresher.train`?
"""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from studies.page import markdown_table, show
from thresher import ImbalancedTreeClassifier, find_conditions, train
from thresher.condition.clause import Clause, Interval, LevelSet
from thresher.condition.condition import Condition
from thresher.condition.shortening import atoms
from thresher.condition.table import ConditionTable
from thresher.datasets import AssemblyLine, make_assembly_line

PAGE = Path(__file__).parent / "README.md"
LINES, NOISE_TABLES = range(20), range(200)
TOLERANCE = 0.1
"""A cut is recovered if it is off by at most this many standard deviations of its column."""
MODELS = {
    "`max_leaf_nodes=16`": {"max_leaf_nodes": 16},
    "`min_samples_leaf=20`": {"min_samples_leaf": 20},
    "the default tree": {},
}
IMITATED = {
    "pipeline": "LightGBM in a pipeline, through 16 leaves",
    "LightGBM": "LightGBM on its own categories, through 16 leaves",
}
COUNTED = ("conditions", "columns", "cuts")


def main() -> None:
    """Fill the page."""
    show({"recovery": recovery_table(), "noise": [noise_sentence()]}, PAGE)


def recovery_table() -> list[str]:
    """Return the precision and recall of what is claimed on twenty lines."""
    rows = [
        recovery_row(name, (recovered(seed, parameters) for seed in LINES))
        for name, parameters in MODELS.items()
    ]
    rows += [
        recovery_row(name, (recovered_through(kind, seed) for seed in LINES))
        for kind, name in IMITATED.items()
    ]
    columns = ("tree", "claims", *(f"{name}: precision, recall" for name in COUNTED))
    return markdown_table(columns, rows)


def recovery_row(name: str, counts: Iterable[Counter[str]]) -> list[object]:
    """Return precision and recall of what is claimed on all lines."""
    total = sum(counts, Counter[str]())
    cells = [
        f"{total[f'right {what}'] / total[f'claimed {what}']:.2f}, "
        f"{total[f'found {what}'] / total[f'planted {what}']:.2f}"
        for what in COUNTED
    ]
    return [name, total["claimed conditions"], *cells]


def noise_sentence() -> str:
    """Return how often something is claimed where nothing is to be found."""
    by_tree = sum(claims_on_noise(seed) for seed in NOISE_TABLES)
    by_training = sum(named_on_noise(seed) for seed in NOISE_TABLES)
    by_imitation = sum(imitation_claims_on_noise(seed, "imitation") for seed in NOISE_TABLES)
    rates = 100 * np.mean([rates_on_noise(seed) for seed in NOISE_TABLES], axis=0)
    return (
        f"`find_conditions` of a tree named a cause on {by_tree} of {len(NOISE_TABLES)} tables "
        f"({100 * by_tree / len(NOISE_TABLES):.1f} %), `train` on {by_training} "
        f"({100 * by_training / len(NOISE_TABLES):.1f} %), `find_conditions` of LightGBM with "
        f'`refit="imitation"` on {by_imitation} ({100 * by_imitation / len(NOISE_TABLES):.1f} %). '
        "Parts under any condition of the tree: "
        f"{rates[0]:.0f} % scrap on the training rows, {rates[1]:.0f} % out of fold; all parts: "
        f"{rates[2]:.0f} %."
    )


def recovered(seed: int, parameters: dict[str, int]) -> Counter[str]:
    """Fit a tree on a simulated line and compare what it claims with the truth."""
    line = make_assembly_line(random_state=seed)
    model = ImbalancedTreeClassifier(**parameters).fit(line.X, line.y)
    options = {"n_bootstrap": 0, "n_permutations": 39}
    table = find_conditions(model, line.X, line.y, output="table", **options)
    return compared(line, [table.conditions[place] for place in np.flatnonzero(table.is_confirmed)])


def boosted(line: AssemblyLine, y: Any, *, trees: int = 50) -> Any:
    """Return LightGBM behind a step that turns texts into indicator columns, fitted."""
    from lightgbm import LGBMClassifier

    encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    texts = make_column_selector(dtype_exclude=float)
    steps = make_column_transformer((encoder, texts), remainder="passthrough")
    steps.set_output(transform="pandas")
    model = LGBMClassifier(n_estimators=trees, num_leaves=15, verbose=-1, random_state=0, n_jobs=1)
    return make_pipeline(steps, model).fit(line.X, y)


def lightgbm_alone(line: AssemblyLine, y: Any) -> tuple[Any, Any]:
    """Return LightGBM on its own categories, fitted, and the table with these."""
    from lightgbm import LGBMClassifier

    X = line.X.astype(dict.fromkeys(line.X.select_dtypes(exclude=float), "category"))
    model = LGBMClassifier(n_estimators=50, num_leaves=15, verbose=-1, random_state=0, n_jobs=1)
    return model.fit(X, y), X


def recovered_through(kind: str, seed: int) -> Counter[str]:
    """Do as `recovered` for a "pipeline" or "LightGBM" through the tree that imitates it."""
    line = make_assembly_line(random_state=seed)
    model, X = (
        (boosted(line, line.y), line.X) if kind == "pipeline" else lightgbm_alone(line, line.y)
    )
    options = {"n_bootstrap": 0, "refit": "imitation", "max_leaf_nodes": 16}
    table = find_conditions(model, X, line.y, output="table", **options)
    return compared(line, [table.conditions[place] for place in np.flatnonzero(table.is_confirmed)])


def imitation_claims_on_noise(seed: int, refit: str, n_permutations: int = 39) -> bool:
    """Whether a cause is named through the imitation of LightGBM on labels that mean nothing."""
    line, y = shuffled_line(seed)
    model = boosted(line, y, trees=20)
    options: dict[str, Any] = {"n_bootstrap": 0, "max_leaf_nodes": 8, "random_state": seed}
    if refit == "model":
        options["n_permutations"] = n_permutations
    table = find_conditions(model, line.X, y, output="table", refit=refit, **options)
    return bool(table.is_confirmed.any())


def compared(line: AssemblyLine, claimed: list[Condition]) -> Counter[str]:
    """Compare each claim with the planted condition that shares most columns with it.

    A claim is right if all its cuts are those of its planted condition. A planted condition is
    found as far as the best claim for it goes.
    """
    planted = [(set(truth.columns), parts_of(truth.clauses)) for truth in line.truth]
    best = [Counter[str]() for _ in planted]
    total = Counter[str]()
    for condition in claimed:
        columns, parts = set(condition.columns), parts_of(condition.clauses)
        near = max(range(len(planted)), key=lambda place: len(columns & planted[place][0]))
        right = sum(any(same_cut(part, true, line) for true in planted[near][1]) for part in parts)
        shared = len(columns & planted[near][0])
        total.update({"claimed conditions": 1, "right conditions": int(right == len(parts))})
        total.update({"claimed columns": len(columns), "right columns": shared})
        total.update({"claimed cuts": len(parts), "right cuts": right})
        best[near] |= Counter({"columns": shared, "cuts": right})
    for (columns, parts), reached in zip(planted, best, strict=True):
        total.update({"planted conditions": 1, "found conditions": reached["cuts"] == len(parts)})
        total.update({"planted columns": len(columns), "found columns": reached["columns"]})
        total.update({"planted cuts": len(parts), "found cuts": reached["cuts"]})
    return total


def parts_of(clauses: Iterable[Clause]) -> list[Clause]:
    """Return cuts and level sets one by one, whatever they say of missing values."""
    plain = [Interval(c.column, c.low, c.high) if isinstance(c, Interval) else c for c in clauses]
    return [part for clause in plain for part in atoms(clause)]


def same_cut(claimed: Clause, planted: Clause, line: AssemblyLine) -> bool:
    """Whether two parts of conditions ask the same: the side, and the cut within the tolerance."""
    if claimed.column != planted.column:
        return False
    if isinstance(claimed, LevelSet) and isinstance(planted, LevelSet):
        return set(claimed.levels) == set(planted.levels)
    if not (isinstance(claimed, Interval) and isinstance(planted, Interval)):
        return False
    reach = TOLERANCE * float(line.X[claimed.column].std())
    ends = [(claimed.low, planted.low), (claimed.high, planted.high)]
    return all(one == other or abs(one - other) <= reach for one, other in ends)


def claims_on_noise(seed: int, n_permutations: int = 99) -> bool:
    """Whether a cause is named on a table whose labels have nothing to do with it."""
    return bool(noise_table(seed, n_permutations=n_permutations).is_confirmed.any())


def named_on_noise(seed: int) -> bool:
    """Whether the whole training names a cause there."""
    line, y = shuffled_line(seed)
    model = train(line.X.assign(scrap=y), "scrap", random_state=seed)
    return bool(model.conditions.is_confirmed.any())


def shuffled_line(seed: int) -> tuple[AssemblyLine, NDArray[Any]]:
    """Return a small line, and labels that have nothing to do with it."""
    line = make_assembly_line(300, random_state=seed)
    return line, np.random.default_rng(seed).permutation(line.y)


def rates_on_noise(seed: int) -> tuple[float, float, float]:
    """Return the scrap rate under all conditions, in training and out of fold, and of all parts."""
    table = noise_table(seed, cv=5, n_permutations=0)
    counts, held = table.training, table.held
    base = counts.all_hits / counts.all_n
    if held is None or not held.n.sum():
        return base, base, base
    return counts.hits.sum() / counts.n.sum(), held.hits.sum() / held.n.sum(), base


def noise_table(seed: int, **options: int | None) -> ConditionTable:
    """Read conditions from a tree grown on shuffled labels."""
    line, y = shuffled_line(seed)
    model = ImbalancedTreeClassifier(max_leaf_nodes=8, threshold=0.3).fit(line.X, y)
    more = {"output": "table", "random_state": seed, "n_bootstrap": 0}
    table: ConditionTable = find_conditions(model, line.X, y, **more, **options)
    return table


if __name__ == "__main__":
    main()
