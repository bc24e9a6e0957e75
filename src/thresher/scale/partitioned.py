"""A table in partitions with its target and weights: which partitions belong together."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np

from thresher.matrix import category_mask
from thresher.scale.partition import not_aligned
from thresher.scale.remote import text_names


@dataclass(frozen=True)
class PartitionedTable:
    """What `fit` was given.

    Attributes
    ----------
    X : a collection with named columns, or an array in blocks of whole rows.
    named : parameters of `fit` that name a column of X.
    given : parameters of `fit` that are collections of their own.
    """

    X: Any
    named: dict[str, Hashable]
    given: dict[str, Any]

    @classmethod
    def of(
        cls, X: Any, y: Any, sample_weight: Any, is_vector: Callable[[Any], bool]
    ) -> "PartitionedTable":
        """Tell names of columns from collections of their own."""
        named, given = {}, {}
        for parameter, values in {"y": y, "sample_weight": sample_weight}.items():
            if is_vector(values):
                given[parameter] = values
            elif isinstance(values, Hashable) and values in getattr(X, "columns", ()):
                named[parameter] = values
            elif parameter == "y" or values is not None:
                shown = repr(values) if isinstance(values, str) else f"a {type(values).__name__}"
                raise TypeError(
                    f"{parameter} must be a one-dimensional collection, such as a dask Series, or "
                    f"the name of a column of X, got {shown}."
                )
        return cls(X, named, given)

    @property
    def columns(self) -> list[Any]:
        """Labels of the columns to learn from; their positions in an array."""
        labels = getattr(self.X, "columns", range(self.X.shape[1]))
        return [label for label in labels if label not in self.named.values()]

    @property
    def names(self) -> tuple[str, ...] | None:
        """Names of these columns; None where they are not text."""
        return text_names(self.columns)

    @property
    def weighted(self) -> bool:
        """Whether there are weights."""
        return "sample_weight" in {*self.named, *self.given}

    def category_mask(self, categorical_features: Any) -> tuple[bool, ...]:
        """Whether each column is a category column, as its type or the parameter tells."""
        if not self.columns:
            raise ValueError("X has no columns to learn from.")
        has_types = hasattr(self.X, "columns")
        without_rows = self.X._meta[self.columns] if has_types else np.empty((0, self.X.shape[1]))
        return category_mask(without_rows, categorical_features)

    def parts(self, columns: list[Any]) -> list[tuple[Any, dict[str, Any]]]:
        """Return the partitions: some columns, None for none, and what is given beside them."""
        wanted = [*columns, *self.named.values()]
        chosen = self.X[wanted] if hasattr(self.X, "columns") else self.X[:, wanted]
        tables = partitions(chosen) if wanted else [None] * self.X.npartitions
        vectors = [self._aligned(name, values) for name, values in self.given.items()]
        return [
            (table, dict(zip(self.given, values, strict=True)))
            for table, *values in zip(tables, *vectors, strict=True)
        ]

    def _aligned(self, parameter: str, values: Any) -> list[Any]:
        """Return the partitions of target or weights; their lengths are compared on the workers."""
        both = values, self.X
        known = all(getattr(of, "known_divisions", False) for of in both)
        differ = known and values.divisions != self.X.divisions
        if differ or values.npartitions != self.X.npartitions:
            raise not_aligned(parameter, *(f"{of.npartitions} partitions" for of in both))
        return partitions(values)


def partitions(collection: Any) -> list[Any]:
    """Return the partitions as delayed values."""
    return list(np.ravel(np.asarray(collection.to_delayed(), dtype=object)))


def dealt(values: list[Any], n_groups: int) -> list[list[Any]]:
    """Deal values to groups of about the same size, none of them empty.

    >>> dealt([1, 2, 3, 4, 5], 2)
    [[1, 3, 5], [2, 4]]
    """
    n_groups = min(n_groups, len(values))
    return [values[start::n_groups] for start in range(n_groups)]
