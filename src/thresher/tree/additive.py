"""Trees whose leaves are added up as a struct of arrays, with how the sum becomes a probability.

The trees stand one behind the other, each breadth first: the children of the k-th inner node of a
tree are its nodes 2k + 1 and 2k + 2.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from thresher import _core
from thresher.column import Matrix
from thresher.errors import ModelFileError
from thresher.explain.weighed import WeighedTrees

Floats = NDArray[np.float64]
WEIGHED = (
    "begin",
    "feature",
    "cut",
    "missing_left",
    "level_set",
    "set_begin",
    "set_bits",
    "value",
    "zero_is_missing",
)
"""The arrays that trees share with `WeighedTrees`."""


@dataclass(frozen=True, eq=False)
class AdditiveTrees:
    """Trees whose leaves are added up.

    Attributes
    ----------
    begin : first node of each tree, and the number of all nodes.
    feature : column that an inner node asks about, -1 at leaves.
    cut : a number goes left if and only if it is at most this.
    missing_left : whether NaN goes left.
    level_set : set of levels that go left, all others right; -1 where the node cuts numbers.
    set_begin, set_bits : first byte of each set, and the number of all bytes; a bit a level, the
        lowest first.
    value : what each leaf adds.
    zero_is_missing : for each column whether a number that is 0, or within 1e-35, is missing.
    base : what is added to first.
    in_float32 : whether sums and the probability are rounded to 32 bits at every step.
    is_mean : whether the sum is divided by the number of trees.
    slope : the probability is 1 / (1 + exp(-slope * score)); None where it is the score.
    weight : weight of the training rows of each node, as the other library counts it; None where
        it is not known.
    """

    begin: NDArray[np.int64]
    feature: NDArray[np.int32]
    cut: Floats
    missing_left: NDArray[np.bool_]
    level_set: NDArray[np.int32]
    set_begin: NDArray[np.int64]
    set_bits: NDArray[np.uint8]
    value: Floats
    zero_is_missing: NDArray[np.bool_]
    base: float = 0.0
    in_float32: bool = False
    is_mean: bool = False
    slope: float | None = None
    weight: Floats | None = None

    def __len__(self) -> int:
        return len(self.begin) - 1

    def __getstate__(self) -> dict[str, Any]:
        """Keep the fields alone: the compiled trees are made again."""
        return {name: self.__dict__[name] for name in self.__dataclass_fields__}

    @property
    def is_leaf(self) -> NDArray[np.bool_]:
        """Whether each node is a leaf."""
        is_leaf: NDArray[np.bool_] = self.feature < 0
        return is_leaf

    @cached_property
    def compiled(self) -> _core.AdditiveTrees:
        """The compiled reader of these arrays, which it checks."""
        return _core.AdditiveTrees(
            self.begin,
            self.feature,
            self.cut,
            self.missing_left,
            self.level_set,
            self.set_begin,
            self.set_bits,
            self.value,
            self.zero_is_missing,
        )

    def scores(self, matrix: Matrix, n_threads: int = 1) -> Floats:
        """Return the sum, or mean, over the trees; OverflowError where a value is infinite."""
        sums: Floats = self.compiled.sum(matrix, self.base, self.in_float32, n_threads)
        if self.is_mean:
            sums /= len(self)
        return sums

    def probability(self, scores: Floats) -> Floats:
        """Return what scores say of the second class."""
        if self.slope is None:
            return scores
        if not self.in_float32:
            found: Floats = expit(self.slope * scores)
            return found
        rounded: Floats = _core.float32_logistic(self.slope * scores)
        return rounded

    def weighed(self, *, of_second: bool = True) -> WeighedTrees:
        """Return the trees as an explanation reads them.

        Their sum is the log-odds of the second class or, where scores are probabilities, its
        probability; of the first class unless `of_second`.
        """
        if self.weight is None:
            raise ModelFileError(
                "These trees do not tell the weights of their nodes, which contributions need: the "
                "model file is of an older version; take the original over again."
            )
        arrays = {name: getattr(self, name) for name in WEIGHED}
        sign = 1.0 if of_second else -1.0
        trees = WeighedTrees(**arrays, weight=self.weight, base=self.base)
        factor = (1.0 if self.slope is None else self.slope) / (len(self) if self.is_mean else 1)
        # What is no probability of one class is one of the other.
        shift = 1.0 if self.slope is None and not of_second else 0.0
        return trees.scaled(sign * factor, shift)

    def members(self, set_number: int) -> NDArray[np.int64]:
        """Return the levels of a set."""
        first, last = self.set_begin[set_number : set_number + 2]
        return np.flatnonzero(np.unpackbits(self.set_bits[first:last], bitorder="little"))
