"""What the columns of a lake look like: exact counts of all rows, the rest from a sample."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.column import Matrix
from thresher.errors import TableError
from thresher.judging.column_summary import ColumnSummary, summarize
from thresher.judging.drift import drift_sentences, find_drift
from thresher.judging.row_prints import MAX_PRINTS, RowPrints
from thresher.judging.suspects import Findings, suspects_of
from thresher.matrix import Columns
from thresher.report.summary.quality import TableQuality, columns_quality
from thresher.tables.arrow import columns_of
from thresher.tables.features import match_columns
from thresher.tables.plan import NUMBER
from thresher.tables.reading import read_table
from thresher.tables.table import Column, Table
from thresher.tables.vocabulary import MISSING
from thresher.texts import Texts
from thresher.wording import first_of

SOURCE = "The files"


class Prints:
    """Hashes of rows as they come; the smallest are kept, with exact counts."""

    def __init__(self) -> None:
        self._hashes, self._counts = np.zeros(0, dtype=np.uint64), np.zeros(0, dtype=np.int64)

    def add(self, hashes: NDArray[np.uint64]) -> None:
        """Take the hashes of some rows."""
        both = np.concatenate([self._hashes, hashes])
        weights = np.concatenate([self._counts, np.ones(len(hashes), dtype=np.int64)])
        distinct, place = np.unique(both, return_inverse=True)
        counts = np.bincount(place, weights).astype(np.int64)
        self._hashes, self._counts = distinct[:MAX_PRINTS], counts[:MAX_PRINTS]

    def found(self) -> RowPrints:
        """Return what is kept."""
        repeated = self._counts[self._counts > 1].sum()
        return RowPrints(self._hashes, int(self._counts.sum()), int(repeated))


class ColumnCounts:
    """Missing values, extremes and complete rows of all rows, as they come."""

    def __init__(self, width: int) -> None:
        self.rows = self.complete_rows = 0
        self.missing = np.zeros(width, dtype=np.int64)
        self.least, self.most = np.full(width, np.nan), np.full(width, np.nan)

    def add(self, matrix: Matrix) -> None:
        """Count some rows."""
        gaps = np.isnan(matrix)
        self.rows += len(matrix)
        self.complete_rows += int((~gaps.any(axis=1)).sum())
        self.missing += gaps.sum(axis=0)
        self.least = np.fmin(self.least, np.fmin.reduce(matrix))
        self.most = np.fmax(self.most, np.fmax.reduce(matrix))


def texts_and_numbers(X: Any, columns: Columns) -> list[tuple[str, Column]]:
    """Return the columns of a table of Arrow as a model knows them."""
    table = Table(SOURCE, columns_of(X, (), SOURCE))
    return match_columns(table, columns.names or (), columns.levels)


@dataclass(frozen=True)
class KnownColumns:
    """The columns that a model has learnt from.

    Attributes
    ----------
    columns : names and levels.
    counts : of all training rows.
    sample : of these rows.
    """

    columns: Columns
    counts: ColumnCounts
    sample: Any

    @property
    def complete(self) -> frozenset[str]:
        """The columns without a missing value."""
        names = self.columns.wide_names
        return frozenset(names[place] for place in np.flatnonzero(self.counts.missing == 0))

    def summaries(self) -> tuple[ColumnSummary, ...]:
        """Return what each column looked like, by the sample and the extremes of all rows."""
        ends = zip(self.counts.least, self.counts.most, strict=True)
        found = texts_and_numbers(self.sample, self.columns)
        return tuple(
            summarize(_with_ends(column, end), levels)
            for (_, column), levels, end in zip(found, self.columns.levels, ends, strict=True)
        )

    def quality(self) -> TableQuality:
        """Return what the report tells of the columns: ranges and levels are of the sample."""
        counts = self.counts
        found = columns_quality(self.columns.matrix(self.sample, "train"), self.columns)
        shares = (counts.missing / counts.rows).tolist()
        lines = [one._replace(missing=share) for one, share in zip(found, shares, strict=False)]
        missing = float(counts.missing.sum()) / (counts.rows * len(self.columns))
        return TableQuality(
            lines, len(self.columns), counts.rows, counts.complete_rows, missing, None
        )

    def drift(self, later: Any) -> list[str]:
        """Return what is different in later rows, in words."""
        found = texts_and_numbers(later, self.columns)
        return drift_sentences(find_drift(found, self.columns.levels, self.summaries()))


def _with_ends(column: Column, ends: tuple[float, float]) -> Column:
    """Return a column with two rows more: the extremes of all rows, which a sample may miss."""
    if isinstance(column, Texts):  # has none; all columns need as many rows
        return Texts(np.concatenate([column.codes, column.codes[:2]]), column.levels)
    return np.concatenate([column, ends])


def find_suspects(sample: Any, is_positive: Any, stay: Sequence[str]) -> Findings:
    """Look for columns that a model should not learn from, in a sample of the training rows.

    Values are learnt as the files have them: what would be read otherwise is told.
    """
    try:
        table = read_table(sample, texts=list(stay))
    except TableError:  # about texts that can be read in two ways; here they are texts
        table = Table(SOURCE, columns_of(sample, (), SOURCE))
    found = suspects_of(table.without(stay), is_positive)
    return found._replace(warnings=[*found.warnings, *_read_otherwise(table, sample)])


def _read_otherwise(table: Table, sample: Any) -> list[str]:
    written_as = columns_of(sample, (), SOURCE)
    plans = {} if table.plan is None else table.plan.columns
    written = [
        name
        for name, plan in plans.items()
        if plan.meaning == NUMBER and isinstance(written_as.get(name), Texts)
    ]
    sentinels = [
        f"{name} ({first_of(map(str, plan.sentinels), 3)})"
        for name, plan in plans.items()
        if plan.sentinels
    ]
    odd = [
        f"{name} ({first_of(map(repr, levels), 3)})"
        for name, column in written_as.items()
        if name in plans and isinstance(column, Texts) and (levels := _read_as_others(column))
    ]
    found = []
    if odd:
        found.append(
            "Texts that predict reads as missing or without their spaces are learnt as they are: "
            f"{first_of(odd, 3)}; write them as null, or without spaces."
        )
    if written:
        found.append(
            f"Numbers that are written as texts are learnt as categories: {first_of(written, 3)}; "
            "write them as numbers."
        )
    if sentinels:
        found.append(
            "Numbers that seem to stand for missing values are learnt as they are: "
            f"{first_of(sentinels, 3)}; write them as null."
        )
    return found


def _read_as_others(column: Texts) -> list[str]:
    """Return the texts that tables are not read with: words for "missing", spaces around."""
    return [level for level in column.levels if level != level.strip() or level.lower() in MISSING]
