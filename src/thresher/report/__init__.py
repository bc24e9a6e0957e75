"""A report for the plant: `summarize` turns data into a dict, `render` the dict into one HTML page."""

from thresher.report.render import render
from thresher.report.summarize import summarize

__all__ = ["render", "summarize"]
