"""The parameters of growth: checked, put into the core's units, and handed to `_core.grow`."""

from dataclasses import dataclass, fields
from math import log2, sqrt
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from thresher import _core
from thresher.tree.structure import Tree
from thresher.validation import check_choice, check_integer, check_number, is_integer

CRITERIA = ("adaptive_renyi", "renyi", "hellinger", "dkm", "entropy", "gain_ratio", "gini")
SPLITTERS = ("best", "random")
MAX_BINS = 255


@dataclass(slots=True)
class Growth:
    """How to grow a tree, in the estimator's own terms.

    `row_weight` is the sample weight that counts as one row in `min_samples_leaf` and
    `min_samples_split`.

    Examples
    --------
    >>> Growth(criterion="renyi", alpha=0.3, max_features="sqrt").n_candidates(n_features=16)
    4
    """

    criterion: str = "adaptive_renyi"
    alpha: float | None = None
    alpha_tolerance: float = 0.5
    max_depth: int | None = None
    max_leaf_nodes: int | None = None
    min_samples_leaf: int = 2
    min_samples_split: int = 2
    min_weight_fraction_leaf: float = 0.0
    min_gain: float = 0.0
    max_features: int | float | str | None = None
    max_bins: int | None = None
    mdl_correction: bool = False
    splitter: str = "best"
    row_weight: float = 1.0

    @classmethod
    def of(cls, estimator: Any, row_weight: float = 1.0) -> Self:
        """Take the parameters from an estimator that has them under the same names."""
        given = estimator.get_params(deep=False)
        names = [field.name for field in fields(cls) if field.name in given]
        return cls(**{name: given[name] for name in names}, row_weight=row_weight)

    def check(self) -> None:
        """Raise an error of one sentence for the first parameter that is out of range."""
        check_choice("criterion", self.criterion, CRITERIA)
        check_number("alpha_tolerance", self.alpha_tolerance, 0.0, 1.0)
        if self.criterion == "renyi":
            if self.alpha is None:
                raise ValueError("criterion='renyi' needs alpha, the order of the entropy.")
            check_number("alpha", self.alpha, low=0.0)
        elif self.alpha is not None:
            raise ValueError(
                f"alpha belongs to criterion='renyi'; leave it out for {self.criterion!r}."
            )
        check_integer("min_samples_leaf", self.min_samples_leaf, low=1)
        check_integer("min_samples_split", self.min_samples_split, low=2)
        check_number("min_weight_fraction_leaf", self.min_weight_fraction_leaf, 0.0, 0.5)
        check_number("min_gain", self.min_gain, low=0.0)
        if self.max_depth is not None:
            check_integer("max_depth", self.max_depth, low=1)
        if self.max_leaf_nodes is not None:
            check_integer("max_leaf_nodes", self.max_leaf_nodes, low=2)
        if self.max_bins is not None:
            check_integer("max_bins", self.max_bins, low=2, high=MAX_BINS)
        check_choice("splitter", self.splitter, SPLITTERS)
        if self.splitter == "random" and self.max_bins is not None:
            raise ValueError(
                "splitter='random' draws cuts between exact values; leave out max_bins, or take "
                "splitter='best'."
            )

    @property
    def draws(self) -> bool:
        """Whether the tree depends on its seed."""
        return self.max_features is not None or self.splitter == "random"

    def n_candidates(self, n_features: int) -> int:
        """Return the number of columns to look at in each node."""
        wanted = self.max_features
        if wanted is None:
            return n_features
        if isinstance(wanted, str):
            check_choice("max_features", wanted, ("sqrt", "log2"))
            return max(1, int(sqrt(n_features) if wanted == "sqrt" else log2(n_features)))
        if is_integer(wanted):
            check_integer("max_features", wanted, low=1, high=n_features)
            return int(wanted)
        check_number("max_features", wanted, 0.0, 1.0, above=True)
        return max(1, int(wanted * n_features))

    def core_options(
        self, n_features: int, class_weight: tuple[float, float], seed: int
    ) -> _core.GrowOptions:
        """Return the parameters in the core's units; `class_weight` is for (negative, positive)."""
        return _core.GrowOptions(
            criterion=self.criterion,
            alpha=0.0 if self.alpha is None else float(self.alpha),
            tolerance=float(self.alpha_tolerance),
            class_weight=class_weight,
            max_depth=-1 if self.max_depth is None else self.max_depth,
            max_leaf_nodes=-1 if self.max_leaf_nodes is None else self.max_leaf_nodes,
            min_leaf_weight=float(self.min_samples_leaf) * self.row_weight,
            min_leaf_fraction=float(self.min_weight_fraction_leaf),
            min_split_weight=float(self.min_samples_split) * self.row_weight,
            min_gain=float(self.min_gain),
            max_features=self.n_candidates(n_features),
            max_bins=self.max_bins or 0,
            seed=seed,
            mdl=bool(self.mdl_correction),
            random_cuts=self.splitter == "random",
        )

    def grow(
        self,
        X: NDArray[Any],
        is_positive: NDArray[np.uint8],
        weights: NDArray[np.float64] | None,
        *,
        class_weight: tuple[float, float],
        is_category: NDArray[np.uint8],
        seed: int,
        n_threads: int,
    ) -> Tree:
        """Grow a tree on a float matrix."""
        options = self.core_options(X.shape[1], class_weight, seed)
        return Tree.from_core(_core.grow(X, is_positive, weights, is_category, options, n_threads))
