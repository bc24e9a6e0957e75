"""Candidates grown on a lake: its rows are put into bins once, for all of them."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from thresher.errors import TableError
from thresher.forest.classifier import ImbalancedForestClassifier
from thresher.plant.lake.files import FileLake, reading
from thresher.plant.lake.frames import FrameLake
from thresher.plant.lake.lake import Lake
from thresher.plant.lake.rows import Reader
from thresher.scale.arrow_source import Roles, Source
from thresher.scale.binned_table import BinnedTable
from thresher.scale.fitting import Fit, TableBlocks
from thresher.scale.local import Machine, Monitor, half_of_memory, in_blocks
from thresher.tree.single_leaf import single_leaves_allowed
from thresher.validation import thread_count

MAX_BINS = 255
KINDS = ("tree", "forest")
"""Kinds of models that are grown on a lake, the simplest first."""
FOREST_BYTES = 260
"""Memory that a forest was seen to take for each row beyond its bins: sorting, votes, scores."""


@dataclass(frozen=True)
class SharedBins(Fit):
    """Fits any number of models to one table, whose bins are found once."""

    bins: list[BinnedTable] = field(default_factory=list)

    def bin(self, model: Any, table: TableBlocks) -> BinnedTable:
        """Return the bins of the table; all models have as many, and the same positive class."""
        if not self.bins:
            self.bins.append(super().bin(model, table))
        return self.bins[0]

    def fitted(self, estimator: Any, table: TableBlocks) -> Any:
        """Return an estimator fitted to the table."""
        is_forest = isinstance(estimator, ImbalancedForestClassifier)
        fit = self.forest if is_forest else self.tree
        fit(estimator, table)
        return estimator


@dataclass(frozen=True)
class Workshop:
    """What fits need beside rows.

    Attributes
    ----------
    reader : what is read.
    memory : bytes for binned rows and counts, None for half of the machine's memory.
    jobs : threads.
    """

    reader: Reader
    memory: int | None
    jobs: int | None

    @property
    def bytes(self) -> int:
        """Memory that binned rows and counts may take."""
        return half_of_memory() if self.memory is None else self.memory

    def need(self, lake: Lake, *, has_forest: bool) -> str:
        """Return a sentence on the memory that fits need."""
        if isinstance(lake, FrameLake):
            return f"{lake.n_rows:,} rows stay on the cluster, and come by in parts to be counted."
        assert isinstance(lake, FileLake)
        rows = lake.n_rows
        need = self._roles(Source(lake.dataset)).need(rows, self.bytes)
        more = f", and {rows * FOREST_BYTES / 1e9:.1f} GB for a forest" if has_forest else ""
        return f"{need}{more}."

    def _roles(self, source: Source) -> Roles:
        others = [name for name in source.schema.names if name not in self.reader.names]
        target = self.reader.target
        ignore = tuple(name for name in others if name != target)
        return Roles.of(source, target, None, ignore, "from_dtype")

    @contextmanager
    def opened(self, lake: Lake) -> Iterator["Bench"]:
        """Give what fits models to the rows of a lake; temporary files go away at the end."""
        if isinstance(lake, FrameLake):
            yield Bench(partial(lake.fitted, reader=self.reader))
            return
        assert isinstance(lake, FileLake)
        shown, source = self.reader.shown, Source(lake.dataset)
        with ExitStack() as stack:
            monitor = Monitor(lake.n_rows if shown else 0, shown)
            machine = Machine(self.bytes, None, thread_count(self.jobs), stack, monitor)
            table = in_blocks(source, self._roles(source), machine)
            yield Bench(partial(SharedBins(self.bytes, monitor.say).fitted, table=table))


@dataclass(frozen=True)
class Bench:
    """What fits models to one table: `fit` returns an estimator fitted."""

    fit: Callable[[Any], Any]

    def fitted(self, estimator: Any) -> Any:
        """Return an estimator fitted to the rows."""
        estimator.set_params(max_bins=MAX_BINS, categorical_features="from_dtype")
        try:
            with reading(), single_leaves_allowed():
                return self.fit(estimator)
        except TableError:
            raise
        except ValueError as error:
            raise TableError(str(error)) from None
