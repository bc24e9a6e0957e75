"""Where a model comes from, as long as its training is at hand: what its report is made of."""

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from thresher.condition.finding import Findings
from thresher.judging.nested_training import NestedJudgement, Training
from thresher.plant.training_table import TrainingTable

if TYPE_CHECKING:
    from thresher.plant.model import PlantModel


class Origin(Protocol):
    """A training at hand, of which a report can be made."""

    def summarize(self, model: "PlantModel") -> dict[str, Any]:
        """Return the report as data."""


class TableOrigin(NamedTuple):
    """The training in memory, for the report: the table, its rows, and how they were judged."""

    training: Training
    rows: TrainingTable
    judged: NestedJudgement
    title: str | None = None
    description: str | None = None
    found: Findings | None = None

    def summarize(self, model: "PlantModel") -> dict[str, Any]:
        """Return the report as data."""
        from thresher.plant.summary import summarize_training

        return summarize_training(model, self)
