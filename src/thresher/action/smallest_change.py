"""What if this part had been made otherwise: the smallest change with which it passes.

Branch and bound over the cells between a model's cuts. A box of cells is bounded by the least leaf
of each tree that it reaches; boxes are opened in the order of what their nearest corner costs, so
that the first corner that passes costs least.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from heapq import heappop, heappush
from itertools import count
from math import inf, isnan, log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.action.cells import Leaves, Setting
from thresher.action.limit import read_windows
from thresher.converters.classifier import ConvertedTreesClassifier
from thresher.forest.classifier import ImbalancedForestClassifier
from thresher.frames import added_columns, is_frame, make_frame
from thresher.matrix import Columns
from thresher.threshold.prior_shift import odds
from thresher.tree.classifier import ImbalancedTreeClassifier
from thresher.validation import check_integer, check_number
from thresher.wording import digits, finite, first_of, listed

ROUNDING = 1e-9
"""By how much a sum of leaves may differ from the model's score; the model has the last word."""

KINDS = (ImbalancedTreeClassifier, ImbalancedForestClassifier, ConvertedTreesClassifier)
"""Models whose score is the sum of their leaves, or what it is made of."""

Box = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Change:
    """A setting, what it is, and what it would have to be: a level, a number, None if missing."""

    column: str
    now: Any
    then: Any

    def __str__(self) -> str:
        now = "missing" if self.now is None else _shown(self.now)
        then = repr(self.then) if _needs_more(self.then) else _shown(self.then)
        if not isinstance(self.then, float) or not isinstance(self.now, float):
            return f"{self.column} from {now} to {then}"
        how = "lower" if self.then < self.now else "raise"
        return f"{how} {self.column} from {now} to {then}"


@dataclass(frozen=True)
class WhatIf:
    """The smallest change that turns an alert into a pass.

    Attributes
    ----------
    changes : of settings; none where the part passes as it is, or where no change is found.
    cost : of the changes, infinite where none is found.
    bound : no change that costs less turns the alert into a pass.
    is_alert : whether the part alerts as it is.
    row : the part with the changes, as a table of one row; None where none is found.
    boxes : that were opened.
    """

    changes: tuple[Change, ...]
    cost: float
    bound: float
    is_alert: bool
    row: Any
    boxes: int

    @property
    def is_exact(self) -> bool:
        """Whether it is proved that no smaller change does it, or that none at all does."""
        return self.bound >= self.cost

    def as_data(self) -> dict[str, Any]:
        """Return plain data, without the row; a size that is not finite is None."""
        return {
            "is_alert": self.is_alert,
            "changes": [asdict(change) for change in self.changes],
            "size": finite(self.cost),
            "at_least": finite(self.bound),
            "is_exact": self.is_exact,
            "sentence": str(self),
        }

    def __str__(self) -> str:
        if not self.is_alert:
            return "The part passes as it is."
        if self.changes:
            words = listed(map(str, self.changes))
            proof = (
                "no smaller change does" if self.is_exact else f"at best {self.bound:.3g} would do"
            )
            return f"It would pass: {words} (size {self.cost:.3g}; {proof})."
        if self.is_exact:
            return "No change of these settings turns the alert into a pass."
        return f"No change was found; one would have a size of {self.bound:.3g} at least."


def what_if(
    model: Any,
    row: Any,
    *,
    settings: str | int | Collection[str | int],
    limits: Mapping[str, Any] | None = None,
    scales: Mapping[str, float] | None = None,
    X: Any = None,
    max_boxes: int = 20_000,
) -> WhatIf:
    """Return the smallest change of settings that turns the alert of a part into a pass.

    Of the model: it says what the model would answer, not what would become of the part.

    Parameters
    ----------
    model : model of trees
        A tree, a forest or what `convert` returns, alone or inside a ThresholdClassifier; fitted.
    row : data frame of one row, mapping or array
        The part.
    settings : names of columns
        What may be changed; places of columns where the model knows no names.
    limits : mapping, default=None
        What a setting may be: a pair (lowest, highest) of numbers, or levels.
    scales : mapping, default=None
        Of a setting: a change by this much has the size 1; of a category the size of another level.
        By default the standard deviation of the column in X, without X the span of the model's
        cuts; 1 for categories.
    X : table, default=None
        Rows to take scales from.
    max_boxes : int, default=20_000
        After so many boxes of cells the search stops, and tells a bound.

    Returns
    -------
    WhatIf
        The size is the sum of changes over their scales.

    Examples
    --------
    >>> from thresher import ImbalancedTreeClassifier
    >>> from thresher import what_if
    >>> from thresher.datasets import make_assembly_line
    >>> line = make_assembly_line(random_state=0)
    >>> model = ImbalancedTreeClassifier(max_leaf_nodes=16).fit(line.X, line.y)
    >>> alert = line.X[model.predict(line.X) == 1].iloc[[0]]
    >>> found = what_if(model, alert, settings=["press_force", "oven_temperature"], X=line.X)
    >>> print(found.changes[0], found.is_exact)
    raise oven_temperature from 147.839 to 148.008 True
    """
    check_integer("max_boxes", max_boxes, low=1)
    explained = getattr(model, "estimator_", model)
    if not isinstance(explained, KINDS):
        raise TypeError(
            "what_if needs a tree, a forest or what convert returns, alone or inside a "
            f"ThresholdClassifier, got {type(explained).__name__}; of what train returns, call the "
            "method what_if."
        )
    table = _one_row(row)
    trees, columns = explained.weighed_trees(), explained.columns_
    matrix = np.asarray(columns.matrix(table, "what_if"), dtype=np.float64)
    if len(matrix) != 1:
        raise ValueError(f"row must be one part, got {len(matrix)}.")
    places = _places(settings, columns)
    _refuse_parts(places, columns, trees)
    spreads = _spreads(places, columns, X, trees)
    found = _settings(places, columns, matrix[0], limits, scales, spreads)
    decides = _Decision(model, table, columns)
    if not decides.is_alert(table):
        return WhatIf((), 0.0, 0.0, False, table, 0)
    leaves = Leaves(trees, matrix[0], found)
    search = _Search(leaves, _highest(model, explained, table) + ROUNDING, max_boxes)
    return search.run(found, decides)


def _one_row(row: Any) -> Any:
    if isinstance(row, Mapping):
        return make_frame({name: np.array([value]) for name, value in row.items()}, None)
    if is_frame(row):
        return row
    array = np.asarray(row)
    return array[None, :] if array.ndim == 1 else array


def _places(settings: Any, columns: Columns) -> list[int]:
    """Return the places of the settings."""
    given = [settings] if isinstance(settings, str | int) else list(settings)
    names = columns.given_names
    if not given:
        raise ValueError("settings is empty; name the columns that may be changed.")
    for name in given:
        if name not in names and not (isinstance(name, int) and 0 <= name < len(columns)):
            raise ValueError(
                f"settings names {name!r}, which is no column of the model; choose from "
                f"{first_of(names)}."
            )
    return [names.index(name) if isinstance(name, str) else int(name) for name in given]


def _refuse_parts(places: Sequence[int], columns: Columns, trees: Any) -> None:
    used = {part for pair in columns.derived for part in pair.parts}
    for place in places:
        name = columns.given_names[place]
        if place in used:
            raise ValueError(
                f"{name!r} is part of a column that the model made of two, which what_if cannot "
                "follow; leave it out of settings=, or train with pairs=False."
            )
        if trees.zero_is_missing[place]:
            raise ValueError(
                f"0 is a missing value of {name!r} for this model, which what_if cannot follow; "
                "leave it out of settings."
            )


def _spreads(places: Sequence[int], columns: Columns, X: Any, trees: Any) -> dict[int, float]:
    """Return the default scale of each setting."""
    found = {}
    matrix = None if X is None else columns.matrix(X, "what_if")
    for place in places:
        if columns.levels[place] is not None:
            found[place] = 1.0
        elif matrix is not None:
            found[place] = float(np.nanstd(matrix[:, place])) or 1.0
        else:
            cuts = trees.cut[(trees.feature == place) & (trees.level_set < 0)]
            found[place] = float(np.ptp(cuts)) or 1.0 if len(cuts) else 1.0
    return found


def _settings(
    places: Sequence[int],
    columns: Columns,
    row: NDArray[np.float64],
    limits: Mapping[str, Any] | None,
    scales: Mapping[str, float] | None,
    spreads: Mapping[int, float],
) -> list[Setting]:
    names = {place: columns.given_names[place] for place in places}
    levels = {name: columns.levels[place] for place, name in names.items()}
    windows = read_windows(limits, names.values(), levels)
    for name, scale in (scales or {}).items():
        if name not in names.values():
            raise ValueError(f"scales names {name!r}, which is not in settings; add it there.")
        check_number(f"scales[{name!r}]", scale, 0.0, above=True)
    return [
        Setting(
            name,
            place,
            columns.levels[place],
            float(row[place]),
            windows.get(name),
            float((scales or {}).get(name, spreads[place])),
        )
        for place, name in names.items()
    ]


def _highest(model: Any, explained: Any, table: Any) -> float:
    """Return the largest sum of leaves that passes."""
    cut = model.threshold_
    if hasattr(model, "cuts_of"):
        cut = float(np.ravel(model.cuts_of(table, 1))[0])
    state = getattr(model, "threshold_state_", None)
    if state is not None and state.factor != 1.0 and 0.0 < cut < 1.0:
        moved = odds(cut) / state.factor
        cut = moved / (1.0 + moved)
    adds_log_odds = isinstance(explained, ConvertedTreesClassifier) and (
        explained.trees_.slope is not None
    )
    if not adds_log_odds:
        return float(cut)
    return -inf if cut <= 0.0 else inf if cut >= 1.0 else log(odds(cut))


@dataclass(frozen=True)
class _Decision:
    """The model's own word on a changed part."""

    model: Any
    table: Any
    columns: Columns

    def changed(self, settings: Sequence[Setting], values: Sequence[float]) -> Any:
        """Return the part with other values of its settings."""
        new = {
            one.column: _told(one, value)
            for one, value in zip(settings, values, strict=True)
            if not (value == one.now or (isnan(value) and isnan(one.now)))
        }
        if not is_frame(self.table):
            array = np.array(self.table, dtype=object if self.table.dtype == object else None)
            if array.dtype.kind in "iu":
                array = array.astype(np.float64)
            for place, value in new.items():
                array[0, place] = value
            return array
        names = self.columns.given_names
        return added_columns(self.table, {names[place]: [value] for place, value in new.items()})

    def is_alert(self, table: Any) -> bool:
        """Whether the model alerts on a part."""
        return bool(np.asarray(self.model.predict(table))[0] == self.model.pos_label_)


@dataclass
class _Search:
    """Best first over boxes of cells."""

    leaves: Leaves
    highest: float
    max_boxes: int
    opened: int = 0

    def run(self, settings: Sequence[Setting], decides: _Decision) -> WhatIf:
        """Return the cheapest cell that passes, or how far the search has come."""
        cells, number = self.leaves.cells, count()
        whole: Box = tuple((0, len(one)) for one in cells)
        heap = [(0.0, next(number), whole)] if self._may_pass(whole) else []
        while heap and self.opened < self.max_boxes:
            cost, _, box = heappop(heap)
            self.opened += 1
            found = self._passing(box, settings, decides)
            if found is not None:
                return self._told(box, settings, found, cost)
            for part in _halves(box):
                if self._may_pass(part):
                    heappush(heap, (self._cost(part), next(number), part))
        if not heap:
            return WhatIf((), inf, inf, True, None, self.opened)
        return self._dive(heap, settings, decides)

    def _dive(self, heap: list[Any], settings: Sequence[Setting], decides: _Decision) -> WhatIf:
        """Return any change that passes, from the boxes with the lowest scores, and the bound."""
        bound = heap[0][0]
        for _, _, box in sorted(heap, key=lambda one: self.leaves.lowest(one[2]))[:20]:
            here: Box | None = box
            while here is not None:
                found = self._passing(here, settings, decides)
                if found is not None:
                    return self._told(here, settings, found, bound)
                parts = [part for part in _halves(here) if self._may_pass(part)]
                here = min(parts, key=self.leaves.lowest) if parts else None
        return WhatIf((), inf, bound, True, None, self.opened)

    def _passing(self, box: Box, settings: Sequence[Setting], decides: _Decision) -> Any:
        """Return the part at the nearest corner of a box, None where it does not pass there."""
        corner = tuple((first, first + 1) for first, _ in box)
        if not self._may_pass(corner):
            return None
        table = decides.changed(settings, self._values(box))
        return None if decides.is_alert(table) else table

    def _may_pass(self, box: Box) -> bool:
        return self.leaves.lowest(box) <= self.highest

    def _values(self, box: Box) -> list[float]:
        pairs = zip(self.leaves.cells, box, strict=True)
        return [cells.told(first) for cells, (first, _) in pairs]

    def _cost(self, box: Box) -> float:
        pairs = zip(self.leaves.cells, box, strict=True)
        return float(sum(cells.cost[first] for cells, (first, _) in pairs))

    def _told(self, box: Box, settings: Sequence[Setting], table: Any, bound: float) -> WhatIf:
        pairs = zip(settings, self._values(box), box, strict=True)
        changes = tuple(
            Change(one.name, _told(one, one.now), _told(one, value))
            for one, value, (first, _) in pairs
            if first > 0
        )
        return WhatIf(changes, self._cost(box), bound, True, table, self.opened)


def _halves(box: Box) -> list[Box]:
    """Return a box cut in two at its longest side, the near half first; nothing for one cell."""
    side = max(range(len(box)), key=lambda place: box[place][1] - box[place][0])
    first, last = box[side]
    if last - first == 1:
        return []
    middle = (first + last) // 2
    return [(*box[:side], part, *box[side + 1 :]) for part in ((first, middle), (middle, last))]


def _told(setting: Setting, value: float) -> Any:
    """Return a value as the table has it."""
    if isnan(value):
        return None
    return value if setting.levels is None else setting.levels[int(value)]


def _shown(value: Any) -> str:
    return digits(value) if isinstance(value, float) else str(value)


def _needs_more(value: Any) -> bool:
    """Whether a number that somebody is to set would be another one with the usual digits."""
    return isinstance(value, float) and float(digits(value)) != value
