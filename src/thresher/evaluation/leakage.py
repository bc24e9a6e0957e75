"""Columns that identify the rare class better than all others together, IDs and row numbers.

No data prove a leak, for a column may be truly strong. What can be measured is that one column
knows what all others together do not: `Sample.alone` against `Sample.together`.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom, chi2

from thresher.column import Column, Numbers, Texts, encode, is_missing, levels_of
from thresher.figures.figure import html_table, in_notebook
from thresher.forest.recipe import Recipe
from thresher.forest.training_rows import NumberedRows
from thresher.frames import make_frame, read_columns, read_vector
from thresher.matrix import UncodedTable
from thresher.tables.table import Table, as_text
from thresher.tables.times import read_times
from thresher.tree.growing import Growth
from thresher.tree.sample import Rows
from thresher.validation import draw_seed, read_target
from thresher.wording import SPACE, counted, digits, plain, quoted, share, storable
from thresher.wording import name as clean_name

Flags = NDArray[np.bool_]

MIN_VALUES, MIN_DISTINCT = 30, 0.5
"""Fewer values, or a smaller share of different ones, are no ID."""
DISTINCT, ALL_DISTINCT = 0.95, 0.99
ID_LENGTH, REPEATS = 6, 10.0
"""Digits of an ID; how many times as often numbers drawn from its range would repeat."""
ID_WORDS = re.compile(
    "(ids?|uuid|guid|serial|sn|no|nr|num|number|key|index|idx|row|record|unnamed)"
)
TENTHS, TREND = 10, 1e-4

MAX_ROWS, MAX_CELLS, MIN_DRAWN, MIN_POSITIVES = 20_000, 8_000_000, 100, 10
"""Size of the sample, the positives that it must hold, and those without which there is none."""
FOLDS, TREES = 3, 60

MAX_LEVELS, MAX_CODED, JOINT = 6, 100, 3
"""Values of a column in joint tables, columns in them, and tables that are asked."""
CORRELATED, MAX_DIFFERENCES = 0.8, 40
CORRELATION_WORK, CORRELATION_ROWS = 4e9, 2000
"""Rows times squared columns of correlations; but at least so many rows."""
BLOCK = 16_384
"""Rows that are counted at once."""

LEAST_F1, GAP, PAIR_GAP, NOISE = 0.3, 0.2, 0.3, 0.5
STRONG, SIGN, STATE_GAP, SOLVED = 0.8, 0.05, 0.8, 0.9
SET_ASIDE, MAX_ASIDE, MAX_FORESTS = 0.85, 2, 6
ONLY_ROWS, ONLY_PURE, ONLY_PART, FEW_OTHERS = 10, 0.98, 0.1, 0.01

LEFT_OUT = ("id", "order")
SHARES = ("f1", "without", "share", "share_of_others", "first_tenth", "last_tenth")


@dataclass(frozen=True)
class Finding:
    """A column, or a pair of columns, and what is known about it.

    Attributes
    ----------
    columns : the names.
    kind : "alone" or "pair", by the F1; "state", by the shares of rows in a state; "code", a state
        of positives only; "id" and "order", columns that name rows or number them.
    fact : what was found, as a sentence with spaces at which no line breaks.
    f1 : of a small tree on these columns alone, None for IDs and row numbers.
    without : F1 of a small forest on all other columns.
    share, share_of_others : of positives, and of other rows, in the state that `fact` names.
    first_tenth, last_tenth : shares of positives among the rows with the lowest and the highest
        values of an ID or a row number.
    purpose, way : what a user may want instead, such as "To use it", and how in Python, such as
        "column={'Nr': 'category'}"; "" if there is nothing to add.
        `dataclasses.replace(finding, way=...)` says how elsewhere.
    """

    columns: tuple[str, ...]
    kind: str
    fact: str
    f1: float | None = None
    without: float | None = None
    share: float | None = None
    share_of_others: float | None = None
    first_tenth: float | None = None
    last_tenth: float | None = None
    purpose: str = ""
    way: str = ""

    @property
    def sentence(self) -> str:
        """The fact and the way out, in ordinary spaces."""
        return plain(f"{self.fact} {self.purpose}: {self.way}." if self.way else self.fact)

    def as_data(self) -> dict[str, Any]:
        """Return plain data."""
        return {**asdict(self), "columns": list(self.columns), "sentence": self.sentence}


@dataclass(frozen=True, repr=False)
class Leakage:
    """Columns that may leak the target, and columns that are not used.

    Attributes
    ----------
    findings : the leaks, the strongest first, then IDs and row numbers.
    note : why columns were not checked for leaks, None where they were.

    Examples
    --------
    >>> random = np.random.default_rng(0)
    >>> y = random.random(500) < 0.1
    >>> X = np.column_stack([random.normal(size=500), y])
    >>> leakage = find_leakage(X, y)
    >>> len(leakage), leakage.leaks[0].columns, leakage.is_checked
    (1, ('x[1]',), True)
    """

    findings: tuple[Finding, ...]
    note: str | None = None

    @property
    def is_checked(self) -> bool:
        """Whether there were enough positives to look for leaks."""
        return self.note is None

    @property
    def leaks(self) -> tuple[Finding, ...]:
        """The findings that accuse columns."""
        return tuple(finding for finding in self.findings if finding.kind not in LEFT_OUT)

    @property
    def left_out(self) -> tuple[Finding, ...]:
        """IDs and columns that number the rows."""
        return tuple(finding for finding in self.findings if finding.kind in LEFT_OUT)

    def __len__(self) -> int:
        return len(self.findings)

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __repr__(self) -> str:
        return f"<Leakage: {self._heading()}>"

    def __str__(self) -> str:
        sentences = [finding.sentence for finding in self.findings]
        return "\n".join([*sentences, *([self.note] if self.note else [])]) or "No leakage found."

    def _heading(self) -> str:
        leaks, left_out = counted(len(self.leaks), "leaks"), len(self.left_out)
        return f"{leaks if self.is_checked else 'not checked'}, {left_out} left out"

    def to_dict(self) -> dict[str, Any]:
        """Return the findings as data that JSON can hold."""
        findings = [finding.as_data() for finding in self.findings]
        return {"is_checked": self.is_checked, "note": self.note, "findings": findings}

    def to_frame(self, kind: str | None = None) -> Any:
        """Return a data frame ("pandas", "polars", "pyarrow") with a row for each finding."""
        texts = [(", ".join(each.columns), each.kind, each.sentence) for each in self.findings]
        cells = np.array([list(map(storable, row)) for row in texts], dtype=object).reshape(-1, 3)
        columns = dict(zip(("columns", "kind", "sentence"), cells.T, strict=True))
        for name in SHARES:
            columns[name] = np.array([getattr(each, name) for each in self.findings], dtype=float)
        return make_frame(columns, kind)

    def _repr_html_(self) -> str:
        rows = [[finding.sentence] for finding in self.findings]
        table = html_table(["Finding"], rows) if rows else ""
        return in_notebook(f"Leakage: {self._heading()}", table, self.note or "")


def find_leakage(X: Any, y: Any, *, time: Any = None, random_state: Any = 0) -> Leakage:
    """Find columns that leak the target, IDs, and columns that number the rows.

    A column is accused if it alone identifies the rare class better than all other columns
    together. Whether that is a leak, only the people who recorded it know: a leak is known after
    the event, an honest column before. Nothing is found where the other columns are as good
    (F1 .9 and more), and noisy leaks look like good sensors.

    Parameters
    ----------
    X : data frame or array-like of shape (n_samples, n_features)
        pandas, polars, pyarrow or anything that NumPy reads; NaN and null are missing values.
    y : array-like of shape (n_samples,)
        Two classes, of which the rarer one is the positive class.
    time : array-like of shape (n_samples,), default=None
        Times of the rows: numbers, dates, or texts of dates. A column that rises or falls from row
        to row in their order numbers the rows; without times, in the order of X.
    random_state : int, RandomState or None, default=0
        Seed of the sample, the folds and the forests.

    Returns
    -------
    Leakage
        The findings, each with a sentence.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from thresher.evaluation.leakage import find_leakage
    >>> random = np.random.default_rng(0)
    >>> y = pd.Series(random.random(1000) < 0.05, name="scrap")
    >>> X = pd.DataFrame({"speed": random.normal(size=1000) + y, "repaired": y * 7})
    >>> for finding in find_leakage(X, y):
    ...     print(finding.sentence)
    'repaired' differs from its usual value 0 in 100 % of rows with scrap = True and in no other; do
    not use it if it is recorded after the event.
    """
    columns, names = read_columns(X)
    n_rows = len(columns[0].values)
    target, times = read_target(y, n_rows), None
    if time is not None:
        given = np.asarray(read_vector(time, "time"))
        if given.shape != (n_rows,):
            raise ValueError(
                f"time must have one value for each of the {n_rows} rows, got the shape "
                f"{given.shape}."
            )
        is_number = given.dtype.kind in "biuf"
        texts = (None if is_missing(each) else str(each) for each in given)
        cells = given.astype(np.float64) if is_number else Texts.of(texts)
        times = read_times(Table("X", {"time": cells}), "time")
    label, title = target.classes[target.positive].item(), getattr(y, "name", None)
    return leakage_of(
        dict(zip(names or [f"x[{i}]" for i in range(len(columns))], columns, strict=True)),
        target.is_positive.astype(np.bool_),
        target=title if isinstance(title, str) else "target",
        value=as_text(label) if isinstance(label, float) else str(label),
        times=times,
        seed=draw_seed(random_state),
    )


def leakage_of(
    columns: Mapping[str, Column],
    is_positive: Flags,
    *,
    target: str = "target",
    value: str = "1",
    keep: Collection[str] = (),
    times: NDArray[Any] | None = None,
    seed: int = 0,
    n_threads: int = 1,
) -> Leakage:
    """Find leakage in columns that are read already.

    `target` and `value` are the words for the positive class. Columns of `keep` are never left
    out, since a user has said what they are. `times` sort the rows.
    """
    if not columns:
        return Leakage(())
    words = f"{clean_name(target, 40)}{SPACE}={SPACE}{clean_name(value, 40)}"
    order: Any = slice(None) if times is None else np.argsort(times, kind="stable")
    is_positive, n_positives = is_positive[order], int(is_positive.sum())
    n_rows = min(MAX_ROWS, MAX_CELLS // len(columns))
    n_rows = max(n_rows, MIN_DRAWN * len(is_positive) // max(1, n_positives))
    drawn: Any = slice(None)
    if len(is_positive) > n_rows:
        drawn = np.random.default_rng(seed).permutation(len(is_positive))[:n_rows]
    left_out, features = [], {}
    for name, column in columns.items():
        feature = Feature.of(column).take(order)
        role = None if name in keep else feature.role(name)
        if role is not None:
            finding = _left_out(name, role, feature, is_positive, words)
            left_out.append(finding if times is None or role == "id" else replace(finding, way=""))
        elif feature.varies:
            features[name] = feature.take(drawn)
    if n_positives < MIN_POSITIVES:
        note = f"Fewer than {MIN_POSITIVES} rows with {words}"
        return Leakage(tuple(left_out), plain(f"{note}; columns were not checked for leakage."))
    sample = Sample(features, is_positive[drawn], seed, n_threads)
    return Leakage((*_leaks(sample, words), *left_out))


# ----------------------------------------------------------------------------------- the columns


@dataclass(frozen=True)
class Feature:
    """A column: numbers, or the codes of its levels; missing values are NaN."""

    cells: Numbers
    levels: tuple[Any, ...] | None = None

    @classmethod
    def of(cls, column: Column) -> "Feature":
        """Return a column as it was read; an infinite number counts as missing."""
        if isinstance(column.values, Texts):
            codes = np.append(np.arange(len(column.values.levels), dtype=np.float64), np.nan)
            return cls(codes[column.values.codes], column.values.levels)
        cells = np.where(np.isinf(column.values), np.nan, column.values).astype(np.float64)
        if not column.is_category:
            return cls(cells)
        levels = np.unique(cells[~np.isnan(cells)])
        codes = np.where(np.isnan(cells), np.nan, np.searchsorted(levels, cells))
        return cls(codes, tuple(levels.tolist()))

    def take(self, rows: Any) -> "Feature":
        """Return some rows of the column."""
        return Feature(self.cells[rows], self.levels)

    @cached_property
    def distinct(self) -> tuple[Numbers, NDArray[np.intp]]:
        """The different cells, sorted, NaN last, and how many rows each has."""
        return np.unique(self.cells, return_counts=True)

    @property
    def varies(self) -> bool:
        """Whether there are two different values, of which one may be "missing"."""
        return bool((self.cells != self.cells[0]).any() and not np.isnan(self.cells).all())

    @property
    def has_few_values(self) -> bool:
        """Whether joint tables can hold the column; "missing" is a value."""
        return len(self.distinct[0]) <= MAX_LEVELS

    def shown(self, cell: float) -> str:
        """Return a value in words."""
        level = cell if self.levels is None else self.levels[int(cell)]
        return as_text(level) if isinstance(level, float) else str(level)

    def role(self, name: str) -> str | None:
        """Return "id" for a column that names rows, "order" for one that numbers them."""
        present = self.cells[~np.isnan(self.cells)]
        n = len(present)
        if n < MIN_VALUES:
            return None
        is_whole = bool((present == np.floor(present)).all())
        is_sorted = bool((present[1:] >= present[:-1]).all() or (present[1:] <= present[:-1]).all())
        low, high = float(present.min()), float(present.max())
        span = high - low + 1.0
        # The count of different values takes most of the time; few columns need it.
        if not (is_whole or is_sorted) or (is_whole and span < MIN_DISTINCT * n):
            return None
        distinct = len(np.unique(present))
        if self.levels is not None:
            return "id" if distinct >= DISTINCT * n else None
        if is_sorted and distinct >= DISTINCT * n:
            return "order"
        if not is_whole or distinct < MIN_DISTINCT * n:
            return None
        words = re.split(r"[^a-z]+", re.sub(r"([a-z])([A-Z])", r"\1 \2", name).lower())
        lengths = {len(str(int(end))) for end in (max(low, 0.0), high)}
        repeats_due = n * (n - 1) / (2.0 * span)
        is_id = (
            any(ID_WORDS.fullmatch(word) for word in words)
            or (distinct == n and len(lengths) == 1 and min(lengths) >= ID_LENGTH)
            or (distinct >= ALL_DISTINCT * n and repeats_due >= REPEATS * max(1, n - distinct))
        )
        return "id" if is_id else None

    def state(self) -> tuple[Flags, str, str]:
        """Return the rows in a state, the words for it, and for its absence.

        A column "has a value" or, if it always has, "differs from its usual value".
        """
        is_missing = np.isnan(self.cells)
        if is_missing.any():
            return ~is_missing, "has a value", "is missing"
        cells, rows = self.distinct
        usual = float(cells[rows.argmax()])
        value = digits(usual) if self.levels is None else quoted(self.shown(usual))
        words = f"its usual value {value}"
        return self.cells != usual, f"differs from {words}", f"has {words}"


def _left_out(name: str, role: str, feature: Feature, is_positive: Flags, words: str) -> Finding:
    """Return the finding about an ID or a row number, with the positives in its tenths."""
    cells, is_missing = feature.cells, np.isnan(feature.cells)
    first = float(cells[is_missing.argmin()])
    # Rows without a value go with the first one.
    order = np.argsort(np.where(is_missing, first, cells), kind="stable")
    tenths = np.array_split(is_positive[order], TENTHS)
    due = is_positive.mean() * np.array([len(tenth) for tenth in tenths])
    squares = (np.array([tenth.sum() for tenth in tenths]) - due) ** 2
    has_trend = chi2.sf((squares / due).sum() / (1.0 - is_positive.mean()), TENTHS - 1) < TREND
    ends = {"first_tenth": float(tenths[0].mean()), "last_tenth": float(tenths[-1].mean())}
    low, high = map(share, ends.values())
    trend = f" {low} of its first tenth have {words}, {high} of its last."
    if role == "order":
        fact = f"{quoted(name)} numbers the rows in their order; not used.{trend}"
        way = f"time={name!r}" if has_trend else ""
        return Finding((name,), role, fact, **ends, purpose="To evaluate in this order", way=way)
    fact = f"{quoted(name)} looks like an ID ({clean_name(feature.shown(first), 40)}); not used."
    meaning = {name: "number" if feature.levels is None else "category"}
    fact += trend if has_trend else ""
    return Finding((name,), role, fact, **ends, purpose="To use it", way=f"column={meaning}")


# ------------------------------------------------------------------------------------- the models


class Result(NamedTuple):
    """The best cut of a score by F1, and whether each row is above it."""

    f1: float
    decision: Flags


def best_cut(scores: Numbers, group: NDArray[np.intp], is_positive: Flags) -> Result:
    """Return the cut with the largest F1; the score of a row is that of its group.

    >>> best_cut(np.array([0.1, 0.9]), np.array([0, 1, 1]), np.array([False, True, True]))
    Result(f1=1.0, decision=array([False,  True,  True]))
    """
    order = np.argsort(-scores, kind="stable")
    alerts = np.bincount(group, minlength=len(scores))[order].cumsum()
    hits = np.bincount(group[is_positive], minlength=len(scores))[order].cumsum()
    falls = np.append(np.diff(scores[order]) != 0.0, True)
    f1 = np.where(falls, 2.0 * hits / (alerts + hits[-1]), -1.0)
    best = int(f1.argmax())
    return Result(float(f1[best]), (scores >= scores[order[best]])[group])


@dataclass(frozen=True)
class Sample:
    """Rows of the table, and small models that are scored on rows they have not seen."""

    features: dict[str, Feature]
    is_positive: Flags
    seed: int
    n_threads: int

    @property
    def trivial_f1(self) -> float:
        """F1 of an alert on every row."""
        rate = float(self.is_positive.mean())
        return 2.0 * rate / (1.0 + rate)

    @cached_property
    def folds(self) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """Training rows and held-out rows of each fold, with the same share of positives."""
        random, fold = np.random.default_rng(self.seed), np.empty(len(self.is_positive), dtype=int)
        for label in (False, True):
            rows = np.flatnonzero(self.is_positive == label)
            fold[rows] = random.permutation(np.arange(len(rows)) % FOLDS)
        return [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(FOLDS)]

    @cached_property
    def matrix(self) -> tuple[NDArray[Any], NDArray[np.uint8]]:
        """All columns side by side, and which of them are categories."""
        columns = [
            Column(repr(name), feature.cells, feature.levels is not None)
            for name, feature in self.features.items()
        ]
        table = UncodedTable(columns, None, [column.is_category for column in columns])
        matrix, coded = table.coded(self.is_positive)
        return matrix, coded.is_category

    def alone(self, feature: Feature) -> Result:
        """Return what trees of four leaves on one column do on held-out rows."""
        leaf, scores, n_nodes = np.empty(len(self.is_positive), dtype=np.intp), [], 0
        is_category = feature.levels is not None
        for train, test in self.folds:
            labels = self.is_positive[train].view(np.uint8)
            x, x_test = feature.cells[train], feature.cells[test]
            if is_category:
                known = levels_of(Column("", x, True), labels)
                x, x_test = (encode(Column("", cells, True), known) for cells in (x, x_test))
            least = max(2, int(labels.sum()) // 20)
            tree = Growth(max_leaf_nodes=4, min_samples_leaf=least).grow(
                *(x[:, None], labels, None),
                class_weight=(1.0, 1.0),
                is_category=np.array([is_category], dtype=np.uint8),
                seed=0,
                n_threads=self.n_threads,
            )
            leaf[test] = tree.leaves(x_test[:, None]) + n_nodes
            scores.append(tree.probability)
            n_nodes += tree.n_nodes
        return best_cut(np.concatenate(scores).round(9), leaf, self.is_positive)

    def together(self, names: Collection[str]) -> Result:
        """Return what a small forest on some columns does out of bag."""
        if not names:
            return Result(self.trivial_f1, np.ones(len(self.is_positive), dtype=np.bool_))
        matrix, is_category = self.matrix
        if len(names) < len(self.features):
            chosen = [index for index, name in enumerate(self.features) if name in names]
            matrix, is_category = matrix[:, chosen], is_category[chosen]
        rows = NumberedRows(Rows(matrix, self.is_positive.view(np.uint8), None))
        recipe = Recipe(
            *(Growth(max_features="sqrt", max_bins=63), is_category, (1.0, 1.0), self.seed),
            bootstrap="stratified",
            random_cuts=0.0,
            smoothing=None,
            smoothing_m=0.0,
            prior=float(self.is_positive.mean()),
        )
        _, votes = rows.grow(recipe, range(TREES), n_threads=self.n_threads)
        scores, group = np.unique(np.nan_to_num(votes.probability), return_inverse=True)
        return best_cut(scores, group, self.is_positive)


# ------------------------------------------------------------------------------------------ pairs


def _joint_tables(sample: Sample) -> Iterator[tuple[tuple[str, str], Feature]]:
    """Return the best joint tables of two columns with few values."""
    few = {name: each for name, each in sample.features.items() if each.has_few_values}
    # The most balanced columns, in the order of the table.
    chosen = set(sorted(few, key=lambda name: few[name].distinct[1].max())[:MAX_CODED])
    names = [name for name in few if name in chosen]
    if len(names) < 2:
        return
    codes = np.column_stack(
        [np.searchsorted(few[name].distinct[0], few[name].cells) for name in names]
    )
    counts = np.zeros((2, len(names) * MAX_LEVELS, len(names) * MAX_LEVELS))
    # A column for each value: the products of these columns count the cells of all tables.
    for first in range(0, len(codes), BLOCK):
        block = slice(first, first + BLOCK)
        values = codes[block, :, None] == np.arange(MAX_LEVELS)
        hot = values.reshape(-1, counts.shape[1]).astype(np.float32)
        hits = hot[sample.is_positive[block]]
        counts += np.array([hot.T @ hot, hits.T @ hits])
    left, right = np.triu_indices(len(names), 1)
    cells = counts.reshape(2, len(names), MAX_LEVELS, len(names), MAX_LEVELS)
    rows, hits = cells.transpose(0, 1, 3, 2, 4)[:, left, right].reshape(2, len(left), -1)
    order = np.argsort(-hits / np.maximum(rows, 1.0), axis=1, kind="stable")
    alerts, hits = (np.take_along_axis(each, order, 1).cumsum(1) for each in (rows, hits))
    f1 = (2.0 * hits / (alerts + sample.is_positive.sum())).max(axis=1)
    for best in np.argsort(-f1, kind="stable")[:JOINT].tolist():
        a, b = int(left[best]), int(right[best])
        joint = (MAX_LEVELS * codes[:, a] + codes[:, b]).astype(np.float64)
        yield (names[a], names[b]), Feature(joint, tuple(range(MAX_LEVELS**2)))


def _differences(sample: Sample) -> Iterator[tuple[tuple[str, str], Feature]]:
    """Return differences of the most correlated columns of numbers."""
    numbers = {
        name: each.cells
        for name, each in sample.features.items()
        if each.levels is None and not each.has_few_values and not np.isnan(each.cells).any()
    }
    if len(numbers) < 2:
        return
    names, n_rows = list(numbers), len(sample.is_positive)
    n_shown = min(n_rows, max(CORRELATION_ROWS, int(CORRELATION_WORK / len(names) ** 2)))
    rows = np.linspace(0, n_rows - 1, n_shown).astype(np.intp)
    with np.errstate(all="ignore"):
        table = np.array([cells[rows] for cells in numbers.values()])
        correlation = np.triu(np.abs(np.corrcoef(table)), 1)
    left, right = np.nonzero(correlation >= CORRELATED)
    order = np.argsort(-correlation[left, right], kind="stable")[:MAX_DIFFERENCES]
    for a, b in zip(left[order].tolist(), right[order].tolist(), strict=True):
        yield (names[a], names[b]), Feature(numbers[names[b]] - numbers[names[a]])


# ------------------------------------------------------------------------------------ accusations


def _leaks(sample: Sample, words: str) -> list[Finding]:
    """Ask the strongest columns, one after the other, what the others know without them."""
    asked: dict[tuple[str, ...], Result] = {
        (name,): sample.alone(feature) for name, feature in sample.features.items()
    }
    for pair, feature in [*_joint_tables(sample), *_differences(sample)]:
        result = sample.alone(feature)
        if result.f1 >= max(asked[(name,)].f1 for name in pair) + GAP:
            asked[pair] = result
    found: list[Finding] = []
    aside: list[tuple[str, ...]] = []
    left, whole, n_forests = list(sample.features), None, 0
    trivial = sample.trivial_f1
    while n_forests < MAX_FORESTS:
        candidates = [columns for columns in asked if set(columns) <= set(left)]
        best = max(candidates, key=lambda each: (asked[each].f1, -len(each)), default=())
        if not best or asked[best].f1 < LEAST_F1 or asked[best].f1 <= trivial:
            break
        if whole is None:
            whole, n_forests = sample.together(left), n_forests + 1
        rest = [name for name in left if name not in best]
        without, n_forests = sample.together(rest), n_forests + 1
        share_of_whole = (asked[best].f1 - trivial) / (max(whole.f1, asked[best].f1) - trivial)
        if _gives_away(sample, best, asked[best], whole, without):
            # What was set aside is judged again, by the columns that are left now.
            found += [
                _leak(sample, columns, asked[columns].f1, without.f1, words)
                for columns in [*aside, best]
                if _gives_away(sample, columns, asked[columns], whole, without)
            ]
            aside = []
        elif share_of_whole >= SET_ASIDE and len(aside) < MAX_ASIDE:
            aside.append(best)
        else:
            break
        left, whole = rest, without
    return found + _codes(sample, asked, {each.columns for each in found}, words)


def _gives_away(
    sample: Sample, columns: tuple[str, ...], alone: Result, whole: Result, without: Result
) -> bool:
    """Whether columns know what the others do not: far more, half the errors, or by a state."""
    y, w, is_pair = sample.is_positive, without.f1, len(columns) == 2

    def has_fewer_errors(decision: Flags) -> bool:
        """Whether a sign test finds fewer wrong rows than without the columns."""
        is_wrong, is_wrong_without = decision != y, without.decision != y
        better = int((is_wrong_without & ~is_wrong).sum())
        worse = int((is_wrong & ~is_wrong_without).sum())
        return bool(binom.sf(better - 1, better + worse, 0.5) < SIGN)

    if w >= SOLVED:
        return False
    is_wide = alone.f1 >= w + (PAIR_GAP if is_pair else GAP) + NOISE / np.sqrt(y.sum())
    is_half = alone.f1 >= STRONG and 1.0 - alone.f1 <= (1.0 - w) / 2.0
    if is_wide or (is_half and has_fewer_errors(alone.decision)):
        return True
    if is_pair or whole.f1 - w < (1.0 - w) / 3.0:
        return False
    in_state = sample.features[columns[0]].state()[0]
    is_far = bool(abs(in_state[y].mean() - in_state[~y].mean()) >= STATE_GAP)
    return is_far and has_fewer_errors(whole.decision)


def _codes(
    sample: Sample,
    asked: Mapping[tuple[str, ...], Result],
    accused: Collection[tuple[str, ...]],
    words: str,
) -> list[Finding]:
    """Accuse columns with a state, or its absence, that many positives and hardly others have."""
    y = sample.is_positive
    least = max(ONLY_ROWS, ONLY_PART * y.sum())
    others = {name: each for name, each in sample.features.items() if (name,) not in accused}
    codes = []
    for name, feature in others.items():
        in_state = feature.state()[0]
        hits = [((rows & y).sum(), rows.sum()) for rows in (in_state, ~in_state)]
        if any(n >= max(least, ONLY_PURE * n_rows) for n, n_rows in hits):
            codes.append(name)
    rest = [name for name in others if name not in codes]
    without = sample.together(rest).f1 if codes else 1.0
    if without >= SOLVED:
        return []
    leaks = [_leak(sample, (name,), asked[(name,)].f1, without, words) for name in codes]
    return [replace(leak, kind="code") for leak in leaks]


def _leak(
    sample: Sample, columns: tuple[str, ...], f1: float, without: float, words: str
) -> Finding:
    """Return the finding about accused columns."""
    measured = f"(F1 {f1:.2f}; all other columns together {without:.2f})"
    names = " and ".join(map(quoted, columns))
    if len(columns) == 2:
        fact = f"{names} together identify {words} {measured}; do not use them if they are"
        return Finding(columns, "pair", f"{fact} recorded after the event.", f1, without)
    ending = "do not use it if it is recorded after the event."
    rows, being, lacking = sample.features[columns[0]].state()
    for in_state, state in ((rows, being), (~rows, lacking)):
        inside = float(in_state[sample.is_positive].mean())
        others = float(in_state[~sample.is_positive].mean())
        if inside >= ONLY_PART and (inside - others >= STATE_GAP or others <= FEW_OTHERS):
            rest = f"in {share(others)} of others" if others else "in no other"
            fact = f"{names} {state} in {share(inside)} of rows with {words} and {rest}; {ending}"
            return Finding(columns, "state", fact, f1, without, inside, others)
    fact = f"{names} alone identifies {words} {measured}; {ending}"
    return Finding(columns, "alone", fact, f1, without)
