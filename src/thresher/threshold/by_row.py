"""What rows bring along beside score and label: costs of their own, or a group."""

from typing import Any, NamedTuple

from numpy.typing import NDArray

from thresher.threshold.groups import Groups
from thresher.threshold.row_costs import RowCosts


class ByRow(NamedTuple):
    """Costs and groups of rows, None where all have the same."""

    costs: RowCosts | None = None
    groups: Groups | None = None

    def take(self, rows: NDArray[Any]) -> "ByRow":
        """Return those of some rows."""
        costs, groups = self
        return ByRow(
            None if costs is None else costs.take(rows),
            None if groups is None else groups.take(rows),
        )


NOTHING = ByRow()
