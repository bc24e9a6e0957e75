"""Random tables that hold what may go wrong between machines."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from thresher import ImbalancedForestClassifier, ImbalancedTreeClassifier
from thresher.scale import fit

TARGET, WEIGHT = "state", "count"


@dataclass(frozen=True)
class RandomTable:
    """A frame with features, the target and weights."""

    frame: pd.DataFrame

    @property
    def features(self) -> list[str]:
        return [name for name in self.frame.columns if name not in (TARGET, WEIGHT)]

    @property
    def X(self) -> pd.DataFrame:  # noqa: N802
        return self.frame[self.features]

    def fitted(self, *, weighted: bool = False, **parameters: Any) -> ImbalancedTreeClassifier:
        """Return the tree that is grown with all rows in memory."""
        weights = self.frame[WEIGHT] if weighted else None
        model = ImbalancedTreeClassifier(**{"max_bins": 255, **parameters})
        return model.fit(self.X, self.frame[TARGET], weights)

    def forest(self, *, weighted: bool = False, **parameters: Any) -> ImbalancedForestClassifier:
        """Return the forest that is grown on one machine."""
        rows = pa.Table.from_pandas(self.frame, preserve_index=False)
        return fit(ImbalancedForestClassifier(**parameters), rows, **roles(weighted=weighted))

    def shuffled(self, seed: int) -> "RandomTable":
        order = np.random.default_rng(seed).permutation(len(self.frame))
        return RandomTable(self.frame.iloc[order].reset_index(drop=True))

    def parts(self, n_parts: int, seed: int) -> list[pd.DataFrame]:
        """Return the rows in parts of uneven sizes, one of them empty where there are many."""
        random = np.random.default_rng(seed)
        cuts = np.sort(random.integers(0, len(self.frame), n_parts - 1))
        if n_parts > 2:
            cuts[1] = cuts[0]
        bounds = [0, *cuts.tolist(), len(self.frame)]
        return [self.frame.iloc[begin:end] for begin, end in pairwise(bounds)]


def roles(*, weighted: bool) -> dict[str, Any]:
    """Return what `fit` must know of the columns."""
    other = {"sample_weight": WEIGHT} if weighted else {"ignore": [WEIGHT]}
    return {"target": TARGET, **other}


def random_table(seed: int, n_rows: int = 3000, *, many_levels: bool = False) -> RandomTable:
    """Numbers with missing values, ties, both zeros and 32 bits, levels, integers, odd weights.

    With `many_levels`, a column has more of them than a tree has codes.
    """
    random = np.random.default_rng(seed)
    tied = random.integers(-3, 4, n_rows) / 2.0
    tied[random.random(n_rows) < 0.3] *= -1.0  # some of the zeros become -0.0
    holed = random.normal(size=n_rows)
    holed[random.random(n_rows) < 0.1] = np.nan
    frame = pd.DataFrame(
        {
            "tied": tied,
            "holed": holed,
            "single": random.normal(size=n_rows).astype(np.float32),
            "whole": random.integers(0, 1000, n_rows),
            "supplier": random.choice(np.array(["b", "ä", "C d", None], dtype=object), n_rows),
        }
    )
    signal = tied + np.nan_to_num(holed) * frame["single"] + (frame["supplier"] == "ä")
    noisy = signal + random.normal(size=n_rows)
    if many_levels:
        serials = np.array([None, *(f"№ {number}" for number in range(2 * n_rows))], dtype=object)
        codes = (random.random(n_rows) ** 2 * len(serials)).astype(int)
        is_bad = random.random(n_rows) < 0.1
        codes[is_bad] = random.integers(1, 4, is_bad.sum())
        frame.insert(2, "serial", serials[codes])
        noisy += 2.0 * is_bad  # three of them stand out
    frame[TARGET] = np.where(noisy > np.quantile(noisy, 0.9), "scrap", "good")
    frame[WEIGHT] = random.choice(np.array([0.0, 0.3, 1.0, 2.5]), n_rows)
    return RandomTable(frame)


def same_model(one: Any, other: Any) -> bool:
    """Whether two fitted trees are equal byte for byte, with all that belongs to them."""
    arrays: list[NDArray[Any]] = [one.classes_, other.classes_]
    return (
        one.tree_.digest() == other.tree_.digest()
        and one.unpruned_tree_.digest() == other.unpruned_tree_.digest()
        and one.columns_ == other.columns_
        and one.threshold_ == other.threshold_
        and one.pos_label_ == other.pos_label_
        and bool((arrays[0] == arrays[1]).all())
    )


def assert_same_forest(one: Any, other: Any) -> None:
    """Check that two fitted forests are equal byte for byte, with all that belongs to them."""
    for name in ("begin", "nodes", "rows", "weight", "levels_left", "levels_seen"):
        found, expected = getattr(one.forest_, name), getattr(other.forest_, name)
        np.testing.assert_array_equal(found, expected)
    for found, expected in zip(one.forest_state_.votes, other.forest_state_.votes, strict=True):
        np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(one.feature_importances_, other.feature_importances_)
    np.testing.assert_array_equal(one.classes_, other.classes_)
    for name in ("columns_", "threshold_", "threshold_interval_", "pos_label_", "prior_"):
        assert getattr(one, name) == getattr(other, name), name
    assert one.min_samples_leaf_ == other.min_samples_leaf_


def check_tree(
    table: RandomTable, rows: Any, *, weighted: bool, memory: int | None = None, **parameters: Any
) -> ImbalancedTreeClassifier:
    """Check that the tree of rows on an engine is that of all rows in memory, and return it."""
    given = ImbalancedTreeClassifier(**parameters)
    found = fit(given, rows, **roles(weighted=weighted), memory=memory)
    assert type(found) is ImbalancedTreeClassifier
    assert not hasattr(given, "tree_")
    expected = table.fitted(weighted=weighted, **parameters)
    assert same_model(found, expected)
    assert found.get_params() == expected.get_params()
    return found


def check_forest(
    table: RandomTable, rows: Any, *, weighted: bool, memory: int | None = None, **parameters: Any
) -> None:
    """Check that the forest of rows on an engine is that of one machine."""
    few = {"n_estimators": 7, "random_state": 1, "n_bootstrap": 5}
    given = ImbalancedForestClassifier(**{**few, **parameters})
    found = fit(given, rows, **roles(weighted=weighted), memory=memory)
    assert type(found) is ImbalancedForestClassifier
    expected = table.forest(weighted=weighted, **given.get_params())
    assert_same_forest(found, expected)
    assert found.get_params() == expected.get_params()
