"""What a trained model shows: its report."""

from typing import TYPE_CHECKING, Any

from thresher.plant.quiet import without_warnings
from thresher.plant.report import Report, readable
from thresher.tables.times import read_times
from thresher.threshold.rules import Costs

if TYPE_CHECKING:
    from thresher.plant.watch import Watch


class ReportingMixin:
    """A plant's model that makes reports."""

    def report(
        self: Any,
        table: Any = None,
        *,
        target: str | None = None,
        time: str | None = None,
        title: str | None = None,
        costs: Costs | None = None,
        watch: "Watch | None" = None,
        allow_training_rows: bool = False,
    ) -> Report:
        """Return the report of the training, or of how the model does on a table of other rows.

        Parameters
        ----------
        table : data frame or path, default=None
            Rows that had no part in the training.
        target, time : names of columns, default=None
            Of `table`.
        title : str, default=None
        costs : Costs, default=None
            Those of the training by default.
        watch : Watch, default=None
            A watch over the model, shown in a section of its own.
        allow_training_rows : bool, default=False
            Take rows that the model was trained on.
        """
        from thresher.plant.summary import summarize_unseen

        if table is None:
            page: Report = self._own_report()
        else:
            rows = self.read_unseen(table, target, time, allow_training_rows=allow_training_rows)
            times = None if time is None else read_times(rows.table, time)
            with without_warnings():
                page = Report(summarize_unseen(self, rows, times, title, costs))
        return page if watch is None else page.with_watch(watch.section_for(self))

    def _own_report(self: Any) -> Report:
        """Return the report of the training."""
        if self.summary is None:
            if self.origin is None:
                raise ValueError(
                    "There is no report for this model and its threshold, and its training table "
                    "is not at hand; give rows that it has not seen: report(table)."
                )
            with without_warnings():
                made = self.origin.summarize(self)
            object.__setattr__(self, "summary", made)
        assert self.summary is not None
        page = Report(self.summary)
        return readable(page) if self.origin is None else page
