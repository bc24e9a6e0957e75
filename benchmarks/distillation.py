"""One tree for a forest, with its front of referred rows, counted in fits of that forest."""

from functools import partial

from figures import Figure
from measure import best_seconds
from tables import Shape, make_table

from thresher import ImbalancedForestClassifier

ROWS, COLUMNS, TREES = 20_000, 20, 200


def compare_distillation(seconds: float, rows: int = ROWS, trees: int = TREES) -> list[Figure]:
    """Return the time of to_tree without and with rows to refer; a fit of the forest = 1."""
    shape = Shape(rows, COLUMNS)
    table = make_table(shape)
    forest = ImbalancedForestClassifier(trees, n_bootstrap=0, random_state=0)
    forest.fit(table.X, table.y)
    fit = "fit of the forest"
    calls = {
        fit: lambda: ImbalancedForestClassifier(trees, n_bootstrap=0, random_state=0).fit(
            table.X, table.y
        ),
        "to_tree(32)": partial(forest.to_tree, cv=None),
        "to_tree(32, refer=.1)": partial(forest.to_tree, refer=0.1, cv=None),
    }
    best = best_seconds(calls, seconds)
    return [
        Figure("distillation", contender, shape, time / best[fit], time, trees=trees)
        for contender, time in best.items()
    ]
