"""A tree of a single leaf decides nothing: whom to tell, and when not to."""

from collections.abc import Iterator
from contextlib import contextmanager
from warnings import catch_warnings, simplefilter, warn

from thresher.tree.structure import Tree


class SingleLeafWarning(UserWarning):
    """A tree ended as a single leaf, so that every row is decided alike."""


def warn_of_single_leaf(tree: Tree, unpruned: Tree, threshold: float) -> None:
    """Say that a tree decides nothing, and what to do about it."""
    if tree.n_nodes > 1:
        return
    if unpruned.n_nodes > 1:
        why = (
            f"it was pruned, since at threshold {threshold:.3g} its {unpruned.n_leaves} leaves do "
            "no better together"
        )
        way_out = (
            "threshold='prior', pruning=None, or choose the threshold by a rule: "
            "ThresholdClassifier(tree, 'f1')"
        )
    else:
        why = "no split gains anything"
        way_out = "a smaller min_samples_leaf or min_gain, or other columns"
    warn(
        f"The tree is a single leaf, so that every row is decided alike: {why}. Take {way_out}.",
        SingleLeafWarning,
        stacklevel=3,
    )


@contextmanager
def single_leaves_allowed() -> Iterator[None]:
    """Keep the warning away from fits that a user does not see: folds, permuted labels."""
    with catch_warnings():
        simplefilter("ignore", SingleLeafWarning)
        yield
