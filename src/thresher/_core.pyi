"""The compiled core of thresher: growing trees and routing rows."""

from collections.abc import Sequence
from typing import Annotated, overload

import numpy
from numpy.typing import NDArray


class GrowOptions:
    """How trees are grown."""

    def __init__(self, *, criterion: str, alpha: float, tolerance: float, class_weight: tuple[float, float], max_depth: int, max_leaf_nodes: int, min_leaf_weight: float, min_leaf_fraction: float = 0.0, min_split_weight: float, min_gain: float, max_features: int, max_bins: int, seed: int, mdl: bool, random_cuts: bool = False) -> None: ...

@overload
def grow(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], y: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, categorical: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], options: GrowOptions, n_threads: int = 1) -> dict: ...

@overload
def grow(X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], y: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, categorical: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], options: GrowOptions, n_threads: int = 1) -> dict:
    """Grow a tree; the fields of thresher.tree.structure.Tree."""

@overload
def grow_forest(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], y: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, categorical: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], options: GrowOptions, *, bootstrap: str, first_tree: int, n_trees: int, votes: tuple[float, float, float, float] | None = None, random_cuts: float = 0.0, progress: object | None, n_threads: int = 1) -> dict: ...

@overload
def grow_forest(X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], y: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, categorical: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], options: GrowOptions, *, bootstrap: str, first_tree: int, n_trees: int, votes: tuple[float, float, float, float] | None = None, random_cuts: float = 0.0, progress: object | None, n_threads: int = 1) -> dict:
    """
    Grow trees; the arrays of thresher.forest.structure.Forest. With `votes`, what leaves add to their counts, also the sum (in units of 2^-40) and the number of the votes for rows that trees did not draw.
    """

def grow_forest_on_bins(codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, edges: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]], categorical: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], digits: int | None, options: GrowOptions, *, bootstrap: str, first_tree: int, n_trees: int, votes: tuple[float, float, float, float] | None = None, random_cuts: float = 0.0, progress: object | None, n_threads: int = 1) -> dict:
    """Grow trees on rows that are bins already."""

def draw_bag(bootstrap: str, seed: int, tree: int, n_neg: int, n_pos: int) -> tuple:
    """
    How often a tree of a forest draws each row of the negatives and of the positives.
    """

def draws_cuts(tree: int, share: float) -> bool:
    """Whether a tree of a forest draws its cuts, if this share of them does."""

def tree_seed(seed: int, tree: int) -> int:
    """The seed of a tree's own draws."""

class Forest:
    """Packed trees, ready to vote."""

    def __init__(self, nodes: Annotated[NDArray[numpy.uint8], dict(shape=(None, 16), order='C', device='cpu', writable=False)], begin: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], levels_left: Annotated[NDArray[numpy.uint8], dict(shape=(None, 32), order='C', device='cpu', writable=False)]) -> None: ...

    @overload
    def mean(self, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int = 1) -> NDArray[numpy.float64]: ...

    @overload
    def mean(self, X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int = 1) -> NDArray[numpy.float64]: ...

    @overload
    def mean(self, X: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int = 1) -> NDArray[numpy.float64]:
        """
        The mean over all trees of the value of each row's leaf; OverflowError where a value is infinite.
        """

    @overload
    def out_of_bag(self, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], y: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, bootstrap: str, seed: int, first_tree: int = 0, permuted: int = -1, n_threads: int = 1) -> tuple: ...

    @overload
    def out_of_bag(self, X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], y: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, bootstrap: str, seed: int, first_tree: int = 0, permuted: int = -1, n_threads: int = 1) -> tuple: ...

    @overload
    def out_of_bag(self, X: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), device='cpu', writable=False)], y: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, bootstrap: str, seed: int, first_tree: int = 0, permuted: int = -1, n_threads: int = 1) -> tuple:
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

@overload
def sketch_rows(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], y: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, limits: tuple[int, int]) -> tuple: ...

@overload
def sketch_rows(X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], y: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, limits: tuple[int, int]) -> tuple:
    """
    Sketches (hashes, weights, values) of the rows of class 0 and of class 1 whose hashes are up to the limits.
    """

@overload
def bin_rows(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], edges: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]], categorical: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int = 1) -> NDArray[numpy.uint8]: ...

@overload
def bin_rows(X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], edges: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]], categorical: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int = 1) -> NDArray[numpy.uint8]:
    """The bin of each value, 255 where it is missing."""

SKETCH_SIZE: int = 65536

def sketch_limit(n: int) -> int:
    """The hash up to which a sketch of n different rows looks."""

def merge_sketches(one: tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]], other: tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]]) -> tuple:
    """The sketch of the rows of both."""

def find_edges(neg: tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]], pos: tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]], categorical: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], max_bins: int, n_threads: int = 1) -> list[NDArray[numpy.float64]]:
    """The edges of bins, for each column."""

def weight_digits(largest: float, n: int) -> int:
    """
    Binary digits behind the point that n weights up to `largest` are kept with.
    """

def fixed_weights(weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], digits: int) -> NDArray[numpy.int64]:
    """Weights as integers, in units of 2^-digits."""

def hash_rows(codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> NDArray[numpy.uint64]:
    """
    A number that follows from the content of each row, for an order of rows.
    """

def route_rows(codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], feature: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], left: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], goes_left: Annotated[NDArray[numpy.uint8], dict(shape=(None, 32), order='C', device='cpu', writable=False)], n_threads: int = 1) -> NDArray[numpy.int32]:
    """The node of a growing tree's rim that each row falls into."""

def count_rows(codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, slot: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_slots: int) -> object:
    """Counts (slot, plane, column, bin) of the rows whose slot is not -1."""

class BlockGrowth:
    """What the nodes of a tree grown over blocks share."""

    def __init__(self, options: GrowOptions, edges: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]], categorical: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], digits: int | None, whole: tuple[int, int]) -> None: ...

    def may_split(self, weight: Annotated[NDArray[numpy.int64], dict(shape=(None, 2), order='C', device='cpu', writable=False)], depth: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> object:
        """Whether each node may be split."""

    def best_splits(self, cells: Annotated[NDArray[numpy.int64], dict(shape=(None, None, None, None), order='C', device='cpu', writable=False)], path: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int = 1) -> dict:
        """
        The best split of each node from its counts; feature -1 where there is none.
        """

    def describe(self, weight: Annotated[NDArray[numpy.int64], dict(shape=(None, 2), order='C', device='cpu', writable=False)]) -> dict:
        """Weight, alpha and impurity of nodes."""

    def grow(self, codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, depth: int, path: int, n_threads: int = 1) -> dict:
        """The subtree of a node from all its rows."""

class AdditiveTrees:
    """Trees whose leaves are added up."""

    def __init__(self, begin: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], feature: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], cut: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], missing_left: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], level_set: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], set_begin: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], set_bits: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], value: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], zero_is_missing: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    @overload
    def sum(self, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], base: float, in_float32: bool, n_threads: int = 1) -> NDArray[numpy.float64]: ...

    @overload
    def sum(self, X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], base: float, in_float32: bool, n_threads: int = 1) -> NDArray[numpy.float64]:
        """
        The base plus the value of each row's leaf in each tree, added in their order; OverflowError where a value that is asked for is infinite.
        """

def float32_log_odds(share: float) -> float:
    """
    The logarithm of the odds in 32 bits, with the logarithm of this machine's C library.
    """

def float32_logistic(scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> NDArray[numpy.float64]:
    """1 / (1 + exp(-score)) in 32 bits, as XGBoost computes it."""

class WeighedTrees:
    """Trees whose leaves are added up, with the weights of nodes."""

    def __init__(self, begin: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], feature: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], cut: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], missing_left: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], level_set: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], set_begin: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], set_bits: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], value: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], zero_is_missing: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    @property
    def expected(self) -> float:
        """What the trees say where every column is unknown."""

    @overload
    def contributions(self, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], base: float = 0.0, n_threads: int = 1) -> NDArray[numpy.float64]: ...

    @overload
    def contributions(self, X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], base: float = 0.0, n_threads: int = 1) -> NDArray[numpy.float64]:
        """
        For each row the Shapley value of each column, then what the trees say of no column, plus the base; OverflowError where a value that is asked for is infinite.
        """

    @overload
    def named_cuts(self, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_threads: int = 1) -> tuple: ...

    @overload
    def named_cuts(self, X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_threads: int = 1) -> tuple:
        """
        For some columns of each row (-1: none) the cut to name (NaN: none), and whether the value is above it.
        """

def has_wide_instructions() -> bool:
    """Whether kernels run with AVX2 and BMI2 on this processor."""

def find_alpha(p: float, tolerance: float) -> float:
    """Twin of criteria.find_alpha."""

def impurity(criterion: str, p: float, alpha: float) -> float:
    """Twin of the impurities of criteria.py."""
