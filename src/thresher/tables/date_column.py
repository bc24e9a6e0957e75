"""Columns of dates: the order of day, month and year, and what is no date."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.tables import dates
from thresher.tables.cells import Cells
from thresher.tables.clues import FEW, Clues, Read, unread_texts
from thresher.tables.plan import DATE, ColumnPlan
from thresher.texts import Texts


def as_dates(cells: Cells, clues: Clues) -> Read:
    """Keep dates as they are written; their order is in the plan, and what is none is missing."""
    if cells.clock_share > 1 - FEW:
        order, wrong = dates.TIME_OF_DAY, ~_are_clocks(cells.texts.levels)
    else:
        order, wrong = _order_of_dates(cells)
    unread = unread_texts(cells, wrong, clues.place)
    codes = np.where(np.append(wrong, False)[cells.texts.codes], np.int32(-1), cells.texts.codes)
    return Read(
        Texts(codes, cells.texts.levels).used(), ColumnPlan(DATE, order=order, unread=unread)
    )


def _are_clocks(levels: Sequence[str]) -> NDArray[np.bool_]:
    return np.array([dates.is_clock(level) for level in levels], dtype=bool)


def _order_of_dates(cells: Cells) -> tuple[str, NDArray[Any]]:
    known = [date for date in cells.dates if date is not None]
    place = np.full(len(cells.dates) + 1, -1)
    are_dates = np.array([date is not None for date in cells.dates], dtype=bool)
    place[:-1][are_dates] = np.arange(len(known))
    codes = place[cells.texts.codes]
    order = dates.find_order(known, codes[codes >= 0]) if known else dates.YEAR_FIRST
    read_as = dates.DAY_FIRST if order == dates.UNCLEAR else order
    wrong = [date is None or date.moment(read_as) is None for date in cells.dates]
    return order, np.array(wrong, dtype=bool)
