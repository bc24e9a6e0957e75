"""The standings of methods as a table, the best first."""

from thresher.benchmark.analysis.comparison import Comparison
from thresher.benchmark.analysis.significance import LEVEL
from thresher.benchmark.analysis.standings import Standings
from thresher.benchmark.method_words import as_entry
from thresher.benchmark.output.tables import HEADINGS
from thresher.text_table import Cell, Row, TextTable

BESIDE = ("f1", "average_precision", "fit_time")
"""What else is shown of a method."""


def standings_table(comparison: Comparison, standings: Standings) -> TextTable:
    """Return the methods in their order, with what tells them from the best."""
    heading = HEADINGS[standings.metric]
    beside = [name for name in BESIDE if name != standings.metric]
    columns = ["method", heading, "spread", "behind the best", "noise", "p", "told apart"]
    rows: list[Row] = []
    for one in standings.order:
        more = [comparison.scores[name].column(one.method)[0] for name in beside]
        known = [None] * 3 if one.p is None else [Cell(one.noise), Cell(one.p, 4), one.is_below]
        tail = [float(value) for value in more]
        rows.append([as_entry(one.method), one.value, one.spread, one.behind, *known, *tail])
    columns += [HEADINGS[name] for name in beside]
    return TextTable(comparison.study.datasets[0], columns, rows, _notes(standings))


def _notes(standings: Standings) -> list[str]:
    notes = [
        f"{HEADINGS[standings.metric]} is the mean over the folds, spread its standard deviation. "
        "Noise: the standard error of how far it is behind, corrected for rows that folds share "
        "(Nadeau and Bengio); p: t-test of that difference, "
        f"adjusted by Holm; told apart at the level of {LEVEL:g}. Fit time in seconds of CPU, the "
        "choice of the threshold included."
    ]
    if standings.unscored:
        entries = ", ".join(as_entry(method) for method in standings.unscored)
        notes.append(f"Without a score, since a run has no outcome: {entries}.")
    return notes
