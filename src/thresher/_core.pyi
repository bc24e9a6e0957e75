"""The compiled core of thresher: growing trees and routing rows."""

from typing import Annotated, overload

import numpy
from numpy.typing import NDArray


class GrowOptions:
    """How trees are grown."""

    def __init__(self, *, criterion: str, alpha: float, tolerance: float, class_weight: tuple[float, float], max_depth: int, max_leaf_nodes: int, min_leaf_weight: float, min_leaf_fraction: float = 0.0, min_split_weight: float, min_gain: float, max_features: int, max_bins: int, seed: int, mdl: bool) -> None: ...

@overload
def grow(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], y: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, categorical: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], options: GrowOptions, n_threads: int = 1) -> dict: ...

@overload
def grow(X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], y: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, categorical: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], options: GrowOptions, n_threads: int = 1) -> dict:
    """Grow a tree; the fields of thresher.tree.structure.Tree."""

@overload
def grow_forest(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], y: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, categorical: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], options: GrowOptions, *, bootstrap: str, first_tree: int, n_trees: int, progress: object | None, n_threads: int = 1) -> dict: ...

@overload
def grow_forest(X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], y: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, categorical: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], options: GrowOptions, *, bootstrap: str, first_tree: int, n_trees: int, progress: object | None, n_threads: int = 1) -> dict:
    """Grow trees; the arrays of thresher.forest.structure.Forest."""

class Forest:
    """Packed trees, ready to vote."""

    def __init__(self, nodes: Annotated[NDArray[numpy.uint8], dict(shape=(None, 16), order='C', device='cpu', writable=False)], begin: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], levels_left: Annotated[NDArray[numpy.uint8], dict(shape=(None, 32), order='C', device='cpu', writable=False)]) -> None: ...

    @overload
    def mean(self, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int = 1) -> NDArray[numpy.float64]: ...

    @overload
    def mean(self, X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int = 1) -> NDArray[numpy.float64]:
        """
        The mean over all trees of the value of each row's leaf; OverflowError where a value is infinite.
        """

    @overload
    def out_of_bag(self, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], y: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, bootstrap: str, seed: int, first_tree: int = 0, permuted: int = -1, n_threads: int = 1) -> tuple: ...

    @overload
    def out_of_bag(self, X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], y: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, bootstrap: str, seed: int, first_tree: int = 0, permuted: int = -1, n_threads: int = 1) -> tuple:
        """
        For each training row: the sum (in units of 2^-40) and the number of the votes of trees that did not see it.
        """

    def tree(self, tree: int, rows: Annotated[NDArray[numpy.uint32], dict(shape=(None, 2), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None, 2), order='C', device='cpu', writable=False)] | None, levels_seen: Annotated[NDArray[numpy.uint8], dict(shape=(None, 32), order='C', device='cpu', writable=False)], options: GrowOptions) -> dict:
        """One tree in full: the fields of thresher.tree.structure.Tree."""

class Router:
    """A tree packed for prediction."""

    def __init__(self, feature: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], cut: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], left: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], right: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], missing_left: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], category: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], levels_left: Annotated[NDArray[numpy.uint8], dict(shape=(None, 32), order='C', device='cpu', writable=False)]) -> None: ...

    @overload
    def leaves(self, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], n_threads: int = 1) -> NDArray[numpy.int32]:
        """The leaf of each row; OverflowError where a value is infinite."""

    @overload
    def leaves(self, X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], n_threads: int = 1) -> NDArray[numpy.int32]: ...

def find_alpha(p: float, tolerance: float) -> float:
    """Twin of criteria.find_alpha."""

def impurity(criterion: str, p: float, alpha: float) -> float:
    """Twin of the impurities of criteria.py."""
