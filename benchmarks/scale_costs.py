"""What each kernel of growth over blocks costs: nanoseconds a value, a row or a node.

benchmarks/scale.md derives the cost of large fits from these figures. One thread, least of repeats.
"""

import numpy as np
from measure import best_seconds
from scale_table import part_table

from thresher import _core
from thresher.matrix import read_matrix
from thresher.scale.engine import CodedBlock
from thresher.scale.growing_tree import GrowingTree, count_block
from thresher.tree.growing import Growth

ROWS = 250_000
SECONDS = 4.0


def main() -> None:
    """Measure and print."""
    table = part_table(0, ROWS)
    X, labels = table.drop_columns(["scrap"]), np.asarray(table["scrap"]).astype(np.uint8)
    matrix, columns = read_matrix(X)
    n_values, is_category = matrix.size, columns.is_category
    limits = (_core.sketch_limit(10**9), _core.sketch_limit(10**7))
    whole = (2**64 - 1,) * 2
    sketches = _core.sketch_rows(matrix, labels, None, whole)
    edges = _core.find_edges(*sketches, is_category, 255)
    block = CodedBlock(_core.bin_rows(matrix, edges, is_category), labels, None)
    tree, growth = grown(block, edges, is_category, levels=8)
    frontier = [node for node, feature in enumerate(tree.feature) if feature < 0]
    question = tree.ask(frontier)
    counts = count_block(block, question)
    path = np.ones(len(frontier), dtype=np.uint64)
    seconds = best_seconds(
        {
            "read a value": lambda: read_matrix(X),
            "sketch a value": lambda: _core.sketch_rows(matrix, labels, None, limits),
            "bin a value": lambda: _core.bin_rows(matrix, edges, is_category),
            "route a row 8 levels": lambda: question.slots(block),
            "route and count a value": lambda: count_block(block, question),
            "split a node by a column": lambda: growth.best_splits(counts, path),
            "add a node's counts of a column": lambda: counts + counts,
        },
        SECONDS,
    )
    n_cells = len(frontier) * matrix.shape[1]
    units = [n_values, n_values, n_values, ROWS, n_values, n_cells, n_cells]
    for (name, time), unit in zip(seconds.items(), units, strict=True):
        print(f"{name:34} {1e9 * time / unit:10.2f} ns")


def grown(
    block: CodedBlock, edges: list[np.ndarray], is_category: np.ndarray, levels: int
) -> tuple[GrowingTree, _core.BlockGrowth]:
    """Return a tree of some levels, whose frontier is to be counted."""
    positives = int(block.labels.sum())
    size = (len(block.labels) - positives, positives)
    options = Growth(max_bins=255, criterion="entropy").core_options(len(edges), (1.0, 1.0), 0)
    growth = _core.BlockGrowth(options, edges, is_category, None, size)
    tree = GrowingTree(size, size)
    frontier = [0]
    for _ in range(levels):
        splits = growth.best_splits(
            count_block(block, tree.ask(frontier)),
            np.array([tree.path[n] for n in frontier], np.uint64),
        )
        frontier = [
            child
            for place, node in enumerate(frontier)
            if splits["feature"][place] >= 0
            for child in tree.divide(node, splits, place)
        ]
    return tree, growth


if __name__ == "__main__":
    main()
