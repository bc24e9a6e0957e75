"""The struct of arrays: what it derives, what it refuses, what survives copying."""

import copy
import pickle
from dataclasses import replace

import joblib
import numpy as np
import pytest

from tests.table_factory import Table
from thresher import ImbalancedTreeClassifier
from thresher.tree import Tree
from thresher.tree.structure import MAX_DEPTH


def grown(criterion="entropy", **parameters):
    table = Table(rows=300, levels=[range(12)], decimals=1, missing=0.05, noise=1.0)
    X, y = table.numpy()
    model = ImbalancedTreeClassifier(
        criterion, pruning=None, min_samples_leaf=1, categorical_features=[3], **parameters
    )
    return model.fit(X, y).tree_, model.columns_.matrix(X, "tree"), y


TREE, X, Y = grown()


def damaged(name, index, value):
    values = getattr(TREE, name).copy()
    values[index] = value
    return replace(TREE, **{name: values})


def route(tree, row):
    """Follow one row by the definition of the arrays."""
    node = 0
    while tree.feature[node] >= 0:
        value = row[tree.feature[node]]
        if np.isnan(value):
            left = tree.missing_left[node]
        elif tree.category[node] >= 0:
            bits = np.unpackbits(tree.levels_left[tree.category[node]], bitorder="little")
            left = bits[int(value)]
        else:
            left = value <= tree.cut[node]
        node = tree.left[node] if left else tree.right[node]
    return node


def test_a_grown_tree_is_sound():
    assert TREE.n_nodes > 20
    assert (TREE.category >= 0).any()
    TREE.validate(n_features=4)


def test_counts_of_nodes_leaves_and_depth():
    assert TREE.n_leaves == TREE.is_leaf.sum()
    assert grown(max_depth=3)[0].depth == 3
    stump = grown(max_depth=1)[0]
    assert (stump.n_nodes, stump.n_leaves, stump.depth) == (3, 2, 1)


def test_rows_go_where_the_arrays_say():
    expected = [route(TREE, row) for row in X]
    assert TREE.leaves(X).tolist() == expected
    assert TREE.leaves(X, n_threads=2).tolist() == expected


def test_rows_of_each_leaf_are_the_rows_routed_there():
    leaves = TREE.leaves(X)
    for leaf in np.flatnonzero(TREE.is_leaf):
        counts = np.bincount(Y[leaves == leaf], minlength=2)
        assert TREE.rows[leaf].tolist() == counts.tolist()


def test_probability_counts_class_weights():
    tree, _, y = grown(class_weight={0: 1.0, 1: 3.0})
    positives = y.sum()
    share = 3.0 * positives / (3.0 * positives + (y == 0).sum())
    assert tree.probability[0] == pytest.approx(share, rel=1e-15)


def test_subtree_is_a_range():
    end = TREE.subtree_end
    for node in range(TREE.n_nodes):
        below, waiting = set(), [node]
        while waiting:
            current = waiting.pop()
            below.add(current)
            if TREE.feature[current] >= 0:
                waiting += [int(TREE.left[current]), int(TREE.right[current])]
        assert below == set(range(node, end[node] + 1))


def test_parents_have_their_children():
    for node, parent in enumerate(TREE.parent[1:], start=1):
        assert node in (TREE.left[parent], TREE.right[parent])
    assert TREE.parent[0] == -1


def test_decision_path_leads_from_the_root_to_the_leaf():
    path = TREE.decision_path(TREE.leaves(X))
    assert path.shape == (len(X), TREE.n_nodes)
    for row, leaf in enumerate(TREE.leaves(X)):
        nodes = path.indices[path.indptr[row] : path.indptr[row + 1]]
        assert (nodes[0], nodes[-1]) == (0, leaf)
        assert (TREE.parent[nodes[1:]] == nodes[:-1]).all()


def test_importances_are_shares_of_the_weighted_gain():
    importances = TREE.importances(6)
    inner = ~TREE.is_leaf
    gain = TREE.gain[inner] * TREE.weight[inner].sum(axis=1)
    expected = [gain[TREE.feature[inner] == feature].sum() / gain.sum() for feature in range(6)]
    assert importances == pytest.approx(expected, rel=1e-12)
    assert importances[4:].tolist() == [0.0, 0.0]


def test_importances_without_a_split_are_zero():
    assert TREE.collapsed([0]).importances(3).tolist() == [0.0, 0.0, 0.0]


def test_collapsing_keeps_the_rest():
    node = int(TREE.right[0])
    smaller = TREE.collapsed([node])
    smaller.validate(n_features=4)
    end = TREE.subtree_end[node]
    leaves = TREE.leaves(X)
    inside = (leaves >= node) & (leaves <= end)
    assert (smaller.leaves(X)[inside] == node).all()
    assert (smaller.leaves(X)[~inside] == leaves[~inside]).all()
    assert smaller.n_nodes == TREE.n_nodes - (end - node)


def test_collapsing_a_node_below_another_changes_nothing():
    outer = int(TREE.right[0])
    inner = next(node for node in range(outer + 1, TREE.n_nodes) if TREE.feature[node] >= 0)
    assert TREE.collapsed([outer, inner]).digest() == TREE.collapsed([outer]).digest()


def test_collapsing_leaves_returns_the_tree_itself():
    assert TREE.collapsed(np.flatnonzero(TREE.is_leaf)) is TREE


def test_digest_sees_every_array():
    digests = {
        damaged(name, 0, not values[0] if name == "missing_left" else 77).digest()
        for name, values in TREE.arrays().items()
    }
    assert len(digests) == len(TREE.arrays())
    assert TREE.digest() not in digests
    assert TREE.digest() == grown()[0].digest()


@pytest.mark.parametrize(
    "duplicate", [copy.copy, copy.deepcopy, lambda t: pickle.loads(pickle.dumps(t))]
)
def test_copies_are_equal_after_use(duplicate):
    TREE.leaves(X)  # builds the router, which cannot be pickled
    again = duplicate(TREE)
    assert again.digest() == TREE.digest()
    assert (again.leaves(X) == TREE.leaves(X)).all()


def test_joblib_round_trip(tmp_path):
    joblib.dump(TREE, tmp_path / "tree.joblib")
    again = joblib.load(tmp_path / "tree.joblib", mmap_mode="r")
    assert (again.leaves(X) == TREE.leaves(X)).all()


CATEGORY_NODE = int(np.flatnonzero(TREE.category >= 0)[0])
LEAF = int(np.flatnonzero(TREE.is_leaf)[0])


@pytest.mark.parametrize(
    ("tree", "message"),
    [
        (replace(TREE, cut=TREE.cut[:-1]), "cut has the shape"),
        (replace(TREE, cut=TREE.cut.astype(np.float32)), "cut is not of type float64"),
        (replace(TREE, levels_seen=TREE.levels_seen[:, :31]), "levels_seen has the shape"),
        (damaged("feature", 0, -2), "below -1"),
        (damaged("feature", 0, 4), "exceeds the 4 columns"),
        (damaged("feature", 0, -1), "a leaf has a child"),
        (damaged("cut", 0, np.nan), "cut has a number that is not finite"),
        (damaged("weight", 0, -1.0), "weight has a negative"),
        (damaged("weight", 0, 0.0), "a node has no weight"),
        (damaged("weight", (0, 0), TREE.weight[0, 0] + 1.0), "weights of children"),
        (damaged("rows", (0, 0), -1), "rows has a negative"),
        (damaged("rows", (0, 0), TREE.rows[0, 0] + 1), "rows of children"),
        (damaged("class_weight", 0, 0.0), "class_weight is not positive"),
        (damaged("alpha", 0, -0.5), "alpha has a negative"),
        (damaged("alpha", 0, np.inf), "alpha has an infinite"),
        (damaged("left", 0, 2), "left child does not follow"),
        (damaged("left", LEAF, 0), "a leaf has a child"),
        (damaged("right", 0, TREE.n_nodes), "right child is out of order"),
        (damaged("right", 0, 1), "right child is out of order"),
        (damaged("right", 0, TREE.right[0] + 1), "not the child of exactly one"),
        (damaged("category", CATEGORY_NODE, 10_000), "points outside"),
        (damaged("category", CATEGORY_NODE, -1), "does not belong to exactly one node"),
        (damaged("category", LEAF, TREE.category[CATEGORY_NODE]), "a leaf has a category"),
    ],
)  # fmt: skip
def test_unsound_trees_are_refused(tree, message):
    with pytest.raises(ValueError, match=message):
        tree.validate(n_features=4)


def test_a_tree_without_nodes_is_refused():
    empty = {name: values[:0] for name, values in TREE.arrays().items()}
    with pytest.raises(ValueError, match="no nodes"):
        Tree.from_core(empty).validate()


def test_nodes_out_of_preorder_are_refused():
    # Two splits side by side whose right children are exchanged.
    arrays = {name: values[np.zeros(7, dtype=int)] for name, values in TREE.arrays().items()}
    arrays |= {
        "feature": np.array([0, 0, 0, -1, -1, -1, -1], dtype=np.int32),
        "left": np.array([1, 2, 3, -1, -1, -1, -1], dtype=np.int32),
        "right": np.array([4, 5, 6, -1, -1, -1, -1], dtype=np.int32),
        "category": np.full(7, -1, dtype=np.int32),
        "levels_left": TREE.levels_left[:0],
        "levels_seen": TREE.levels_seen[:0],
        "class_weight": TREE.class_weight,
    }
    with pytest.raises(ValueError, match="not in preorder"):
        Tree.from_core(arrays).validate()


def test_a_tree_that_is_too_deep_is_refused():
    """A chain: each inner node has a leaf on the left and the next inner node on the right."""

    def chain(depth):
        nodes = np.arange(2 * depth + 1)
        inner = nodes % 2 == 0
        inner[-1] = False
        arrays = {name: values[np.zeros(len(nodes), int)] for name, values in TREE.arrays().items()}
        rows = np.where(inner, depth + 1 - nodes // 2, 1)[:, None] * np.array([1, 0])
        arrays |= {
            "feature": np.where(inner, 0, -1).astype(np.int32),
            "left": np.where(inner, nodes + 1, -1).astype(np.int32),
            "right": np.where(inner, nodes + 2, -1).astype(np.int32),
            "category": np.full(len(nodes), -1, dtype=np.int32),
            "levels_left": TREE.levels_left[:0],
            "levels_seen": TREE.levels_seen[:0],
            "rows": rows,
            "weight": rows.astype(np.float64),
            "class_weight": TREE.class_weight,
        }
        return Tree.from_core(arrays)

    chain(MAX_DEPTH).validate()
    with pytest.raises(ValueError, match="deeper than 65536 splits"):
        chain(MAX_DEPTH + 1).validate()
