"""The report of several codes, to look at in a notebook and to save as one file."""

from thresher.plant.report import Report
from thresher.report.codes import render_codes


class CodedReport(Report):
    """The report of a CodedModel: one page of HTML that needs nothing from outside.

    Attributes
    ----------
    summary : all that the page shows, as plain data.
    """

    @property
    def html(self) -> str:
        """The page."""
        return render_codes(self.summary)
