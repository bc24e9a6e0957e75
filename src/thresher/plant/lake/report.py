"""The report of a training on a lake: made of counts, and of one pass over the rows held out."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from thresher.condition.picture import PictureCounts
from thresher.judging.monitoring import Monitoring
from thresher.judging.recipe import MAX_LEAVES
from thresher.plant.lake.columns import KnownColumns
from thresher.plant.lake.evidence import ConditionCounts
from thresher.plant.lake.lake import Lake
from thresher.plant.lake.rows import Block, Reader
from thresher.plant.lake.sample import draw
from thresher.plant.lake.scores import scores_of
from thresher.report.summary.case import Case, CountedScores, Judged
from thresher.report.summary.comparison import comparison_data
from thresher.report.summary.conditions import MAX_CONDITIONS, UNSEEN, counted_data
from thresher.report.summary.daily import daily_data
from thresher.report.summary.line import line_data
from thresher.report.summary.summarize import HOW_TO_GET, Heading, put_together
from thresher.report.summary.tree import tree_data
from thresher.validation import Target
from thresher.wording import number

if TYPE_CHECKING:
    from thresher.plant.model import PlantModel

NOT_ON_A_LAKE = {
    "early": "How early it is known takes a fit for each station, so it is left out for tables "
    "that are read batch by batch.",
    "daily": "The rate of each day is shown where --time (time=...) names a column of dates.",
}


class DayCounts:
    """Rows, positives, probabilities and alerts of each day, as rows come."""

    def __init__(self, threshold: float) -> None:
        self._threshold = threshold
        self._days: dict[Any, NDArray[np.float64]] = {}

    def add(self, times: Any, scores: NDArray[np.float64], is_positive: NDArray[np.bool_]) -> None:
        """Count some rows."""
        days, place = np.unique(np.asarray(times).astype("datetime64[D]"), return_inverse=True)
        alert = scores > self._threshold
        columns = (np.ones(len(scores)), is_positive, scores, alert, alert & is_positive)
        sums = np.array([np.bincount(place, one, minlength=len(days)) for one in columns]).T
        for day, of_day in zip(days.tolist(), sums, strict=True):
            self._days[day] = self._days.get(day, 0.0) + of_day

    def monitoring(self) -> Monitoring:
        """Return one entry a day; no threshold follows the rate, which would need the scores."""
        days = sorted(self._days)
        rows, hits, scores, alerts, found = np.array([self._days[day] for day in days]).T
        unknown = np.full(len(days), np.nan)
        return Monitoring(
            np.array(days, dtype="datetime64[D]"),
            rows.astype(np.int64),
            hits.astype(np.int64),
            scores / rows,
            float(hits.sum() / rows.sum()),
            self._threshold,
            None,
            *(unknown,) * 4,
            alerts,
            found,
        )


@dataclass(frozen=True)
class LakeOrigin:
    """The training on a lake, for its report.

    Attributes
    ----------
    held : the rows that judge.
    reader : what is read of them.
    known : the columns of the training rows.
    time : column with the time of a row.
    title, description : of the report.
    """

    held: Lake
    reader: Reader
    known: KnownColumns
    time: str | None = None
    title: str | None = None
    description: str | None = None

    def summarize(self, model: "PlantModel") -> dict[str, Any]:
        """Return the report: its figures are those of the judgement."""
        facts, terms = model.facts, model.facts.terms
        conditions, days, pictures = self._counted(model)
        case = self._case(model)
        scored = CountedScores(facts.folds[0].outer, facts.held_out)
        judged = Judged(scored, model.judgement, facts.folds)
        shown = [None if one is None else one.as_data(self.known.complete) for one in pictures]
        together = conditions.together()
        rows = counted_data(model.conditions, self.known.complete, together, shown)
        rows["pictured"] = UNSEEN
        stations = facts.stations
        sections = {
            "conditions": rows | terms._asdict(),
            "line": None
            if stations is None
            else line_data(
                stations, model.conditions.stations, None, model.conditions.is_confirmed.tolist()
            ),
            "tree": tree_data(case, MAX_LEAVES, terms.unit),
            "early": None,
            "daily": None if days is None else daily_data(days.monitoring()),
        }
        title = self.title or f"What leads to {facts.target} = {facts.positive}?"
        costs, words = facts.recipe.costs, model.setting.words
        return put_together(
            Heading(title, self.description, terms),
            case,
            judged,
            model.setting,
            model.conditions,
            sections=sections,
            costs=costs,
            comparison=comparison_data(
                case, judged, words, costs, resampling=False, seed=facts.recipe.seed
            ),
            quality=self.known.quality().as_data(dict(stations or {}), self._notes(model)),
            name_of_model=facts.model,
            candidates=facts.candidates_table,
            missing={**HOW_TO_GET, **NOT_ON_A_LAKE},
        )

    def _counted(
        self, model: "PlantModel"
    ) -> tuple[ConditionCounts, DayCounts | None, list[PictureCounts | None]]:
        """Count the rows held out by condition, for its picture and, with dates, by day."""
        columns = model.reader.columns_
        conditions = ConditionCounts(model.conditions.conditions, columns.wide_names)
        pictures = self._pictures(model)
        days = DayCounts(float(model.estimator.threshold_)) if self._has_dates else None
        more = [] if days is None else [str(self.time)]
        for block in self.reader.blocks(self.held, "writing the report", more):
            matrix = block.matrix(columns)
            conditions.add(matrix, block.is_positive)
            for picture in filter(None, pictures):
                picture.add(matrix, block.is_positive)
            if days is not None:
                scores = scores_of(model.estimator, matrix)
                days.add(self._times(block), scores, block.is_positive)
        return conditions, days, pictures

    def _pictures(self, model: "PlantModel") -> list[PictureCounts | None]:
        """Return pictures to count rows in; a sample of the training tells their bins."""
        columns = model.reader.columns_
        sample = columns.matrix(self.known.sample, "report")
        unknown = np.zeros(len(sample), dtype=np.bool_)
        return [
            PictureCounts(one, columns.wide_names, sample, unknown) if one.clauses else None
            for one in model.conditions.conditions[:MAX_CONDITIONS]
        ]

    @property
    def _has_dates(self) -> bool:
        import pyarrow as pa

        if self.time is None:
            return False
        kind = self.held.schema.field(self.time).type
        return bool(pa.types.is_timestamp(kind) or pa.types.is_date(kind))

    def _times(self, block: Block) -> Any:
        times = block.batch.column(self.time)
        return times.to_numpy(zero_copy_only=False)

    @staticmethod
    def _case(model: "PlantModel") -> Case:
        """Return the model and its target, without rows."""
        facts, estimator = model.facts, model.estimator
        positives = float(facts.positives or 0)
        totals = (float(facts.rows or 0) - positives, positives)
        nobody = np.zeros(0, dtype=np.uint8)
        target = Target(estimator.classes_, model.place, nobody, totals)
        return Case(estimator, None, nobody, target, [], held_out=True, is_bound=True)

    def _notes(self, model: "PlantModel") -> list[str]:
        """Return what is to be known of the columns, and what was left out."""
        drift = self.known.drift(draw(self.held, self.reader.names, model.facts.recipe.seed))
        rows, of_all = self.known.sample.num_rows, self.known.counts.rows
        return [
            *model.facts.remarks,
            *(f"The rows held out are not as those of the training: {one}" for one in drift),
            *(
                [
                    "Counts of rows, conditions and missing values are of all rows; distinct "
                    f"values, ranges and drift are of {number(rows)} training rows drawn at random."
                ]
                if rows < of_all
                else []
            ),
            "Left out, since the table was read batch by batch: rows that repeat an earlier one, "
            "resampled classes, columns made of two others, p-values by permutation and how often "
            "a condition is found again (the rows held out test it instead).",
        ]
