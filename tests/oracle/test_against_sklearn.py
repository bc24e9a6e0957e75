"""Entropy and Gini against scikit-learn, node by node on the rows of our own tree.

Whole trees differ legitimately wherever two splits tie, and so does everything below. Therefore
scikit-learn grows a stump at each node of our tree. Data are float32, scikit-learn's type.
"""

import gzip
import io
from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeClassifier

from tests.oracle.brute_force import IntArray, Rules, Table
from tests.oracle.comparison import CoreTree, grow_core, route
from tests.oracle.random_tables import random_large_table, random_table
from tests.requirements import data_file
from thresher.criteria import gini_impurity, information_gain, shannon_entropy
from thresher.datasets import list_datasets, load_dataset

REAL_SETS = (
    "Birds-kinglet",
    "Birds-nighthawk",
    "Birds-s-thrush",
    "Ecoli-om",
    "Glass-containers",
    "Glass-tableware",
    "Led7digit1",
    "Letter-A",
    "Letter-B",
    "Letter-C",
    "Letter-D",
    "Thyroid1",
    "Thyroid2",
    "Yeast-exc",
    "Yeast-me2",
    "Yeast-vac-vs-nuc",
    "ai4i2020",
    "secom",
    "steel_plates-dirtiness",
    "steel_plates-pastry",
    "steel_plates-stains",
    "steel_plates-z_scratch",
)
RANDOM_SMALL, RANDOM_LARGE = range(12), range(24)
SHARES = (0.02, 0.1, 0.3, 0.5, 0.8)
MAX_DEPTH = 8
LEAVES = (1, 2, 5, 20)
IMPURITIES = {"entropy": shannon_entropy, "gini": gini_impurity}
# scikit-learn sums weights and subtracts impurities in its own order, which costs it up to about
# 1e-16 a row; a gain that differs by more than this is that of another split.
SLACK = 1e-9


@pytest.mark.parametrize("criterion", IMPURITIES)
@pytest.mark.parametrize("name", REAL_SETS)
def test_real_sets(name: str, criterion: str) -> None:
    compare(table_of(*read_csv(name)), criterion, LEAVES[len(name) % len(LEAVES)])


@pytest.mark.parametrize("criterion", IMPURITIES)
@pytest.mark.parametrize("name", list_datasets(available=True))
def test_bundled_sets(name: str, criterion: str) -> None:
    compare(table_of(*load_dataset(name)), criterion, 2)


@pytest.mark.parametrize("criterion", IMPURITIES)
@pytest.mark.parametrize("seed", RANDOM_SMALL)
def test_small_random_sets(seed: int, criterion: str) -> None:
    table = random_table(seed)
    compare(table_of(table.X, table.y), criterion, LEAVES[seed % len(LEAVES)])


@pytest.mark.parametrize("criterion", IMPURITIES)
@pytest.mark.parametrize("seed", RANDOM_LARGE)
def test_large_random_sets(seed: int, criterion: str) -> None:
    table = random_large_table(seed, SHARES[seed % len(SHARES)])
    compare(table_of(table.X, table.y), criterion, LEAVES[seed % len(LEAVES)])


def test_there_are_fifty_sets() -> None:
    names = {*REAL_SETS, *list_datasets(available=True)}
    assert len(names) + len(RANDOM_SMALL) + len(RANDOM_LARGE) >= 50


def read_csv(name: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    text = gzip.decompress(data_file(name).read_bytes()).decode()
    table = np.genfromtxt(io.StringIO(text), delimiter=",", skip_header=1)
    return table[:, :-1], table[:, -1]


def table_of(X: NDArray[np.floating], y: NDArray[np.generic]) -> Table:
    """Return a table in float32, without weights and categories."""
    return Table(
        X=np.ascontiguousarray(X, dtype=np.float32),
        y=y.astype(np.uint8),
        weights=np.ones(len(y)),
        categorical=np.zeros(X.shape[1], dtype=bool),
    )


def compare(table: Table, criterion: str, min_samples_leaf: int) -> None:
    """Check that scikit-learn finds no better split at any node, and none at our leaves."""
    rules = Rules(criterion, max_depth=MAX_DEPTH, min_leaf_weight=min_samples_leaf)
    tree = grow_core(table, rules)
    for node, rows, children in nodes_above_the_depth_limit(tree, table):
        ours = decrease(table, criterion, children) if children else 0.0
        theirs = decrease_of_stump(table, criterion, min_samples_leaf, rows)
        assert ours >= theirs - SLACK, f"node {node}: {ours} < {theirs}"


Children = tuple[IntArray, IntArray]


def nodes_above_the_depth_limit(
    tree: CoreTree, table: Table
) -> Iterator[tuple[int, IntArray, Children | None]]:
    """Yield impure nodes with their rows and those of their children, which leaves do not have."""
    stack = [(0, np.arange(len(table.y)), 0)]
    while stack:
        node, rows, depth = stack.pop()
        if depth == MAX_DEPTH or len(np.unique(table.y[rows])) < 2:
            continue
        if tree["feature"][node] < 0:
            yield node, rows, None
            continue
        goes_left = route(tree, node, table, rows)
        left, right = rows[goes_left], rows[~goes_left]
        yield node, rows, (left, right)
        stack.append((int(tree["left"][node]), left, depth + 1))
        stack.append((int(tree["right"][node]), right, depth + 1))


def decrease(table: Table, criterion: str, children: Children) -> float:
    left, right = (np.bincount(table.y[rows], minlength=2) for rows in children)
    return float(information_gain(left[0], left[1], right[0], right[1], IMPURITIES[criterion]))


def decrease_of_stump(table: Table, criterion: str, min_samples_leaf: int, rows: IntArray) -> float:
    """Return the impurity decrease of scikit-learn's best split; 0 where it finds none."""
    stump = DecisionTreeClassifier(
        criterion=criterion, max_depth=1, min_samples_leaf=min_samples_leaf, random_state=0
    )
    fitted = stump.fit(table.X[rows], table.y[rows]).tree_
    if fitted.node_count == 1:
        return 0.0
    share = fitted.weighted_n_node_samples / fitted.weighted_n_node_samples[0]
    return float(fitted.impurity[0] - share[1:] @ fitted.impurity[1:])
