"""What a lake is: rows in the order of time that stay where they are."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Protocol


class Lake(Protocol):
    """Rows that are read batch by batch, as often as needed."""

    @property
    def schema(self) -> Any:
        """Names and types of the columns, in terms of Arrow."""

    @property
    def n_rows(self) -> int:
        """All rows."""

    def batches(self, columns: Sequence[str]) -> Iterator[Any]:
        """Yield some columns of all rows, in their order, as batches of Arrow."""

    def cut(self, share: float) -> "Cut":
        """Return about the last `share` of the rows apart."""


class Cut(NamedTuple):
    """A lake in two: rows that came first, those that came later, and which these are, in words."""

    early: Lake
    late: Lake
    which: str
