"""A score card of a forest beside the fit of that forest."""

from figures import Figure
from measure import best_seconds
from tables import Shape, make_table

from thresher import ImbalancedForestClassifier

SHAPE = Shape(20_000, columns=20)


def compare_cards(seconds: float, shape: Shape = SHAPE) -> list[Figure]:
    """Return the CPU time of a card in fits of its forest, both in one thread."""
    table = make_table(shape)
    forest = ImbalancedForestClassifier(random_state=0, n_bootstrap=0).fit(table.X, table.y)
    calls = {
        "forest fit": lambda: forest.fit(table.X, table.y),
        "to_scorecard": forest.to_scorecard,
    }
    best = best_seconds(calls, seconds)
    return [
        Figure("card", name, shape, time / best["forest fit"], time) for name, time in best.items()
    ]
