"""The report: `summarize` turns data into a dict, `render` the dict into a page of HTML."""

from thresher.report.page import render
from thresher.report.summary.summarize import summarize

__all__ = ["render", "summarize"]
