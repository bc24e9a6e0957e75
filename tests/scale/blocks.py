"""The plainest engine: a list of blocks, results merged in a random order."""

import pickle
from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np

from tests.scale.tables import TARGET, WEIGHT, RandomTable
from thresher.matrix import category_mask
from thresher.scale.engine import by_content
from thresher.scale.passes import TableBlock, TableBlocks


class ListBlocks:
    spills = False

    def __init__(self, blocks: list[Any], seed: int = 0) -> None:
        self.blocks, self.seed, self.n_folds = blocks, seed, 0

    def map(self, function: Callable[[Any], Any]) -> "ListBlocks":
        return ListBlocks([function(block) for block in self.blocks], self.seed + 1)

    def fold(self, function: Callable[[Any], Any], merge: Callable[[Any, Any], Any]) -> Any:
        self.n_folds += 1
        results = [function(block) for block in self.blocks]
        np.random.default_rng(self.seed + self.n_folds).shuffle(results)
        return reduce(merge, results)

    def joined(self) -> "ListJoined":
        return ListJoined(by_content(self.blocks), self.seed)


class ListJoined:
    """All rows as one block; what goes to tasks and comes back is sent as bytes."""

    here, n_tasks = None, 3

    def __init__(self, block: Any, seed: int) -> None:
        self.block, self.seed = block, seed

    def fold(self, function: Any, items: list[Any], merge: Callable[[Any, Any], Any]) -> Any:
        sent = [pickle.dumps((function, item)) for item in items]
        results = [pickle.loads(pickle.dumps(self._run(*pickle.loads(task)))) for task in sent]
        np.random.default_rng(self.seed).shuffle(results)
        return reduce(merge, results)

    def _run(self, function: Any, item: Any) -> Any:
        return function(self.block, item)


def table_blocks(table: RandomTable, n_parts: int, *, weighted: bool) -> TableBlocks:
    """Return a table in shuffled parts."""
    is_category = category_mask(table.X)
    categories = [name for name, is_one in zip(table.features, is_category, strict=True) if is_one]

    def of(columns: list[str]) -> ListBlocks:
        return ListBlocks(
            [
                TableBlock(part[columns], part[TARGET], part[WEIGHT] if weighted else None)
                for part in table.shuffled(n_parts).parts(n_parts, seed=n_parts)
            ]
        )

    return TableBlocks(
        of(categories), of(table.features), tuple(table.features), is_category, weighted
    )
