"""The compiled core of thresher: growing trees and routing rows."""

from typing import Annotated, overload

import numpy
from numpy.typing import NDArray


@overload
def grow(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], y: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, *, criterion: str, alpha: float, tolerance: float, class_weight: tuple[float, float], max_depth: int, max_leaf_nodes: int, min_leaf_weight: float, min_leaf_fraction: float = 0.0, min_split_weight: float, min_gain: float, max_features: int, max_bins: int, categorical: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], seed: int, mdl: bool, n_threads: int) -> dict: ...

@overload
def grow(X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], y: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, *, criterion: str, alpha: float, tolerance: float, class_weight: tuple[float, float], max_depth: int, max_leaf_nodes: int, min_leaf_weight: float, min_leaf_fraction: float = 0.0, min_split_weight: float, min_gain: float, max_features: int, max_bins: int, categorical: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], seed: int, mdl: bool, n_threads: int) -> dict:
    """Grow a tree; the fields of thresher.tree.structure.Tree as a dict."""

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
