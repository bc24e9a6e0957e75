"""Columns that identify the rare class better than all others together, IDs and row numbers.

No data prove a leak, for a column may be truly strong. What can be measured is that one column
knows what all others together do not: `Sample.alone` against `Sample.together`.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom, chi2

from thresher.column import Column, Numbers, Texts, Values, encode, levels_of
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

# IDs and row numbers.
MIN_VALUES, MIN_DISTINCT = 30, 0.5
"""Fewer values, or a smaller share of different ones, are no ID."""
DISTINCT, ALL_DISTINCT = 0.95, 0.99
ID_LENGTH = 6
"""Digits of whole numbers that are all different and of one length."""
REPEATS = 10.0
"""Numbers drawn from the same range would repeat so many times as often."""
ID_WORDS = frozenset(
    "id ids uuid guid serial sn no nr number num key index idx row record unnamed".split()
)
TENTHS, TREND = 10, 1e-4

# The sample and its models.
MAX_ROWS, MIN_DRAWN, MIN_POSITIVES = 20_000, 100, 10
FOLDS, TREES = 3, 60
STUMP = Growth(max_leaf_nodes=4)
MEMBER = Growth(max_features="sqrt", max_bins=63)

# Pairs.
MAX_LEVELS, MAX_CODED, JOINT = 6, 100, 3
CORRELATED, MAX_DIFFERENCES = 0.8, 40
CORRELATION_WORK = 4e9
"""Rows times pairs of columns for correlations, but at least `CORRELATION_ROWS`."""
CORRELATION_ROWS = 2000
BLOCK = 65_536

# Accusations.
LEAST_F1, GAP, PAIR_GAP, NOISE = 0.3, 0.2, 0.3, 0.5
STRONG, SIGN, STATE_GAP, SOLVED = 0.8, 0.05, 0.8, 0.9
SET_ASIDE, MAX_ASIDE, MAX_FORESTS = 0.85, 2, 6
ONLY_ROWS, ONLY_PURE, ONLY_PART, FEW_OTHERS = 10, 0.98, 0.1, 0.01

LEAKS, LEFT_OUT = ("alone", "pair", "state", "code"), ("id", "order")


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
        "column={'Nr': 'category'}". `dataclasses.replace(finding, way=...)` writes another way.
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
        return tuple(finding for finding in self.findings if finding.kind in LEAKS)

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
        findings = [
            {
                **{name: value for name, value in asdict(finding).items() if name != "fact"},
                "columns": list(finding.columns),
                "sentence": finding.sentence,
            }
            for finding in self.findings
        ]
        return {"is_checked": self.is_checked, "note": self.note, "findings": findings}

    def to_frame(self, kind: str | None = None) -> Any:
        """Return a data frame ("pandas", "polars", "pyarrow") with a row for each finding."""
        numbers = ("f1", "without", "share", "share_of_others", "first_tenth", "last_tenth")
        texts = {
            "columns": [", ".join(finding.columns) for finding in self.findings],
            "kind": [finding.kind for finding in self.findings],
            "sentence": [finding.sentence for finding in self.findings],
        }
        columns: dict[str, NDArray[Any]] = {
            name: np.array([storable(text) for text in column], dtype=object)
            for name, column in texts.items()
        }
        for name in numbers:
            columns[name] = np.array([getattr(f, name) for f in self.findings], dtype=np.float64)
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
    read, names = read_columns(X)
    target = read_target(y, len(read[0].values))
    names = names or tuple(f"x[{index}]" for index in range(len(read)))
    columns = dict(zip(names, map(_values, read), strict=True))
    is_positive = target.is_positive.astype(np.bool_)
    if time is not None:
        order = _time_order(time, len(is_positive))
        columns = {name: _take(values, order) for name, values in columns.items()}
        is_positive = is_positive[order]
    label = target.classes[target.positive].item()
    title = getattr(y, "name", None)
    return leakage_of(
        columns,
        is_positive,
        target=title if isinstance(title, str) else "target",
        value=as_text(label) if isinstance(label, float) else str(label),
        has_time=time is not None,
        seed=draw_seed(random_state),
    )


def leakage_of(
    columns: Mapping[str, Values],
    is_positive: Flags,
    *,
    target: str = "target",
    value: str = "1",
    keep: Collection[str] = (),
    has_time: bool = False,
    seed: int = 0,
    n_threads: int = 1,
) -> Leakage:
    """Find leakage in columns that are read already: numbers, or texts for categories.

    `target` and `value` are the words for the positive class. Columns of `keep` are never left
    out, since a user has said what they are. `has_time`: the rows are in the order of their times.
    """
    words = f"{clean_name(target, 40)}{SPACE}={SPACE}{clean_name(value, 40)}"
    left_out, asked = [], {}
    for name, values in columns.items():
        values = _without_infinity(values)
        role = None if name in keep else _role(name, values)
        if role is not None:
            left_out.append(_left_out(name, role, values, is_positive, words, has_time))
        elif _varies(values):
            asked[name] = values
    sample = Sample.drawn(asked, is_positive, seed, n_threads)
    if int(sample.is_positive.sum()) < MIN_POSITIVES:
        note = f"Fewer than {MIN_POSITIVES} rows with {words}; columns were not checked for leakage."
        return Leakage(tuple(left_out), plain(note))
    accused = _accused(sample, _asked(sample)) if asked else []
    leaks = [_leak(sample, accusation, words) for accusation in accused]
    return Leakage((*leaks, *left_out))


# ------------------------------------------------------------------------------ reading the columns


def _values(column: Column) -> Values:
    """Return a column as numbers, or as texts where it is a category."""
    if not column.is_category or isinstance(column.values, Texts):
        return column.values
    return Texts.of(None if v != v else as_text(v) for v in column.values.tolist())


def _without_infinity(values: Values) -> Values:
    if isinstance(values, Texts):
        return values
    numbers = values.astype(np.float64, copy=False)
    is_infinite = np.isinf(numbers)
    return np.where(is_infinite, np.nan, numbers) if is_infinite.any() else numbers


def _varies(values: Values) -> bool:
    """Whether a column has two different values, of which one may be "missing"."""
    cells = values.codes if isinstance(values, Texts) else values
    return bool((cells[1:] != cells[:1]).any() and not np.isnan(cells).all())


def _take(values: Values, rows: NDArray[Any]) -> Values:
    return Texts(values.codes[rows], values.levels) if isinstance(values, Texts) else values[rows]


def _time_order(time: Any, n_rows: int) -> NDArray[np.intp]:
    """Return the rows in the order of their times."""
    times = np.asarray(read_vector(time, "time"))
    if times.shape != (n_rows,):
        raise ValueError(
            f"time must have one value for each of the {n_rows} rows, got the shape {times.shape}."
        )
    if times.dtype.kind == "M":
        times = np.where(np.isnat(times), None, times.astype("datetime64[us]").astype(str))
    if times.dtype.kind in "biuf":
        cells: Numbers | Texts = times.astype(np.float64)
    else:
        cells = Texts.of(None if v is None or v != v else str(v) for v in times.tolist())
    return np.argsort(read_times(Table("X", {"time": cells}), "time"), kind="stable")


# --------------------------------------------------------------------------- IDs and row numbers


def _role(name: str, values: Values) -> str | None:
    """Return "id" for a column that names rows, "order" for one that numbers them, else None."""
    if isinstance(values, Texts):
        present = values.codes[values.codes >= 0]
        n, distinct = len(present), len(np.unique(present))
        return "id" if n >= MIN_VALUES and distinct >= DISTINCT * n else None
    present = values[~np.isnan(values)]
    n = len(present)
    if n < MIN_VALUES:
        return None
    is_whole = bool((present == np.floor(present)).all())
    is_sorted = bool((present[1:] >= present[:-1]).all() or (present[1:] <= present[:-1]).all())
    low, high = float(present.min()), float(present.max())
    width = high - low + 1.0
    if not (is_whole or is_sorted) or (is_whole and width < MIN_DISTINCT * n):
        return None
    distinct = len(np.unique(present))
    if is_sorted and distinct >= DISTINCT * n:
        return "order"
    if not is_whole or distinct < MIN_DISTINCT * n:
        return None
    words = re.split(r"[^a-z]+", re.sub(r"([a-z])([A-Z])", r"\1 \2", name).lower())
    lengths = {len(str(int(max(end, 0.0)))) for end in (low, high)}
    # Repeats that numbers drawn from this range would have.
    due = n * (n - 1) / (2.0 * width)
    is_id = (
        not ID_WORDS.isdisjoint(words)
        or (distinct == n and len(lengths) == 1 and lengths.pop() >= ID_LENGTH)
        or (distinct >= ALL_DISTINCT * n and due >= REPEATS * max(1, n - distinct))
    )
    return "id" if is_id else None


def _left_out(
    name: str, role: str, values: Values, is_positive: Flags, words: str, has_time: bool
) -> Finding:
    """Return the finding about an ID or a row number."""
    is_text = isinstance(values, Texts)
    cells = values.codes if isinstance(values, Texts) else values
    first = cells[int(np.argmax(cells >= 0 if is_text else ~np.isnan(cells)))]
    # Rows without a value go with the first one.
    filled = np.where(cells < 0 if is_text else np.isnan(cells), first, cells)
    tenths = np.array_split(is_positive[np.argsort(filled, kind="stable")], TENTHS)
    rate = float(is_positive.mean())
    due = np.array([rate * len(tenth) for tenth in tenths])
    surplus = np.array([tenth.sum() for tenth in tenths]) - due
    has_trend = chi2.sf((surplus**2 / (due * (1.0 - rate))).sum(), TENTHS - 1) < TREND
    ends = float(tenths[0].mean()), float(tenths[-1].mean())
    trend = f" {share(ends[0])} of its first tenth have {words}, {share(ends[1])} of its last."
    if role == "order":
        fact = f"{quoted(name)} numbers the rows in their order; not used.{trend}"
        way = f"time={name!r}" if has_trend and not has_time else ""
        return Finding(
            *((name,), role, fact),
            first_tenth=ends[0],
            last_tenth=ends[1],
            purpose="To evaluate in this order" if way else "",
            way=way,
        )
    example = values.levels[int(first)] if isinstance(values, Texts) else as_text(float(first))
    return Finding(
        *((name,), role),
        f"{quoted(name)} looks like an ID ({clean_name(example, 40)}); not used."
        + (trend if has_trend else ""),
        first_tenth=ends[0],
        last_tenth=ends[1],
        purpose="To use it",
        way=f"column={ {name: 'category' if is_text else 'number'} }".replace("{ {", "{"),
    )


# ------------------------------------------------------------------------------------- the sample


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
class Feature:
    """A column with its different values: numbers, or codes of texts with -1 for missing."""

    values: Values

    @property
    def cells(self) -> NDArray[Any]:
        """The value or the code of each row."""
        return self.values.codes if isinstance(self.values, Texts) else self.values

    @cached_property
    def distinct(self) -> tuple[NDArray[Any], NDArray[np.intp]]:
        """The different cells, sorted, missing numbers last, and how many rows each has."""
        return np.unique(self.cells, return_counts=True)

    @property
    def is_missing(self) -> Flags:
        """Whether each row has no value."""
        return self.cells < 0 if isinstance(self.values, Texts) else np.isnan(self.cells)

    @property
    def codes(self) -> NDArray[np.intp]:
        """The number of each row's value; "missing" is a value."""
        return np.searchsorted(self.distinct[0], self.cells)

    def state(self) -> tuple[Flags, str, str]:
        """Return rows in a state, the words for being in it, and for not being in it.

        A column "has a value" or, if it always has, "differs from its usual value".
        """
        is_missing = self.is_missing
        if is_missing.any():
            return ~is_missing, "has a value", "is missing"
        cells, rows = self.distinct
        usual = cells[rows.argmax()]
        is_text = isinstance(self.values, Texts)
        shown = quoted(self.values.levels[usual]) if is_text else digits(float(usual))
        words = f"its usual value {shown}"
        return self.cells != usual, f"differs from {words}", f"has {words}"


@dataclass(frozen=True)
class Sample:
    """Rows of the table, and small models that are scored on rows they have not seen."""

    features: dict[str, Feature]
    is_positive: Flags
    folds: tuple[tuple[NDArray[np.intp], NDArray[np.intp]], ...]
    seed: int
    n_threads: int

    @classmethod
    def drawn(
        cls, columns: Mapping[str, Values], is_positive: Flags, seed: int, n_threads: int
    ) -> "Sample":
        """Draw 20,000 rows, or as many as hold 100 positives, and deal them to folds."""
        rate = float(is_positive.mean())
        n_rows = max(MAX_ROWS, int(MIN_DRAWN / rate))
        if len(is_positive) > n_rows:
            rows = np.random.default_rng(seed).permutation(len(is_positive))[:n_rows]
            is_positive = is_positive[rows]
            columns = {name: _take(values, rows) for name, values in columns.items()}
        random, fold = np.random.default_rng(seed), np.empty(len(is_positive), dtype=np.intp)
        for label in (False, True):
            of_class = np.flatnonzero(is_positive == label)
            fold[of_class] = random.permutation(np.arange(len(of_class)) % FOLDS)
        folds = tuple((np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(FOLDS))
        features = {name: Feature(values) for name, values in columns.items()}
        return cls(features, is_positive, folds, seed, n_threads)

    @property
    def trivial_f1(self) -> float:
        """F1 of an alert on every row."""
        rate = float(self.is_positive.mean())
        return 2.0 * rate / (1.0 + rate)

    @cached_property
    def matrix(self) -> tuple[NDArray[Any], NDArray[np.uint8]]:
        """All columns side by side, and which of them are categories."""
        columns = [
            Column(repr(name), feature.values, isinstance(feature.values, Texts))
            for name, feature in self.features.items()
        ]
        is_category = [column.is_category for column in columns]
        matrix, coded = UncodedTable(columns, None, is_category).coded(self.is_positive)
        return matrix, coded.is_category

    def alone(self, values: Values) -> Result:
        """Return what trees of four leaves on one column do on the rows of the other fold."""
        labels, is_category = self.is_positive.view(np.uint8), isinstance(values, Texts)
        leaf, scores, n_nodes = np.empty(len(labels), dtype=np.intp), [], 0
        for train, test in self.folds:
            if isinstance(values, Texts):
                known = Column("", Texts(values.codes[train], values.levels).used(), True)
                levels = levels_of(known, labels[train])
                x = encode(known, levels)
                x_test = encode(Column("", _take(values, test), True), levels)
            else:
                x, x_test = values[train], values[test]
            STUMP.min_samples_leaf = max(2, int(labels[train].sum()) // 20)
            tree = STUMP.grow(
                *(x[:, None], labels[train], None),
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
        how = (is_category, (1.0, 1.0), self.seed, "stratified", 0.0, None, 2.0, 0.5)
        _, votes = rows.grow(Recipe(MEMBER, *how), range(TREES), n_threads=self.n_threads)
        scores, group = np.unique(np.nan_to_num(votes.probability), return_inverse=True)
        return best_cut(scores, group, self.is_positive)


# -------------------------------------------------------------------------------- single and pairs

Asked = dict[tuple[str, ...], Result]


def _asked(sample: Sample) -> Asked:
    """Return what each column does alone, and pairs that are much better than both parts."""
    asked = {(name,): sample.alone(each.values) for name, each in sample.features.items()}
    for pair, values in [*_joint_tables(sample), *_differences(sample)]:
        result = sample.alone(values)
        if result.f1 >= max(asked[(name,)].f1 for name in pair) + GAP:
            asked[pair] = result
    return asked


def _is_coded(feature: Feature) -> bool:
    return len(feature.distinct[0]) <= MAX_LEVELS


def _joint_tables(sample: Sample) -> list[tuple[tuple[str, str], Texts]]:
    """Return the best joint tables of two columns with few values, best first."""
    coded = {name: each for name, each in sample.features.items() if _is_coded(each)}
    names = sorted(coded, key=lambda name: coded[name].distinct[1].max())[:MAX_CODED]
    if len(names) < 2:
        return []
    codes = np.column_stack([coded[name].codes for name in names])
    size = len(names) * MAX_LEVELS
    counts = np.zeros((2, size, size))
    # One column for each value of each column: their products count the cells of all tables.
    for first in range(0, len(codes), BLOCK):
        of_block = codes[first : first + BLOCK, :, None] == np.arange(MAX_LEVELS)
        hot = of_block.reshape(-1, size).astype(np.float32)
        is_positive = sample.is_positive[first : first + BLOCK]
        counts += hot.T @ hot, hot[is_positive].T @ hot[is_positive]
    left, right = np.triu_indices(len(names), 1)
    cells = counts.reshape(2, len(names), MAX_LEVELS, len(names), MAX_LEVELS)
    rows, hits = (
        each.transpose(0, 2, 1, 3)[left, right].reshape(len(left), MAX_LEVELS**2) for each in cells
    )
    order = np.argsort(-hits / np.maximum(rows, 1.0), axis=1, kind="stable")
    alerts = np.take_along_axis(rows, order, axis=1).cumsum(axis=1)
    found = np.take_along_axis(hits, order, axis=1).cumsum(axis=1)
    f1 = (2.0 * found / (alerts + sample.is_positive.sum())).max(axis=1)
    levels = tuple(f"{cell:02}" for cell in range(MAX_LEVELS**2))
    return [
        (
            (names[left[pair]], names[right[pair]]),
            Texts((codes[:, left[pair]] * MAX_LEVELS + codes[:, right[pair]]), levels),
        )
        for pair in np.argsort(-f1, kind="stable")[:JOINT].tolist()
    ]


def _differences(sample: Sample) -> list[tuple[tuple[str, str], Numbers]]:
    """Return differences of the most correlated numeric columns."""
    numbers = {
        name: each.values
        for name, each in sample.features.items()
        if not isinstance(each.values, Texts)
        and not _is_coded(each)
        and not np.isnan(each.values).any()
    }
    if len(numbers) < 2:
        return []
    names, n_rows = list(numbers), len(sample.is_positive)
    n_rows = min(n_rows, max(CORRELATION_ROWS, int(CORRELATION_WORK / len(names) ** 2)))
    rows = np.linspace(0, len(sample.is_positive) - 1, n_rows).astype(np.intp)
    with np.errstate(all="ignore"):
        table = np.column_stack([values[rows] for values in numbers.values()])
        correlation = np.triu(np.abs(np.corrcoef(table, rowvar=False)), 1)
    left, right = np.nonzero(correlation >= CORRELATED)
    order = np.argsort(-correlation[left, right], kind="stable")[:MAX_DIFFERENCES]
    pairs = [(names[left[index]], names[right[index]]) for index in order.tolist()]
    return [((first, second), numbers[second] - numbers[first]) for first, second in pairs]


# ------------------------------------------------------------------------------------ accusations


class Accusation(NamedTuple):
    """Columns, their F1 alone, and that of all others."""

    columns: tuple[str, ...]
    f1: float
    without: float
    is_code: bool = False


def _accused(sample: Sample, asked: Asked) -> list[Accusation]:
    """Ask the strongest columns, one after the other, what the others know without them."""
    found: list[Accusation] = []
    left, aside, whole, n_forests = list(sample.features), [], None, 0
    while n_forests < MAX_FORESTS:
        candidates = [columns for columns in asked if set(columns) <= set(left)]
        best = max(candidates, key=lambda one: (asked[one].f1, -len(one)), default=())
        if not best or asked[best].f1 < LEAST_F1:
            break
        if whole is None:
            whole, n_forests = sample.together(left), n_forests + 1
        rest = [name for name in left if name not in best]
        without, n_forests = sample.together(rest), n_forests + 1
        trivial = sample.trivial_f1
        part = (asked[best].f1 - trivial) / (max(whole.f1, asked[best].f1) - trivial)
        if _gives_away(sample, best, asked[best], whole, without):
            found += [
                Accusation(columns, asked[columns].f1, without.f1)
                for columns in [*aside, best]
                if columns == best or _gives_away(sample, columns, asked[columns], whole, without)
            ]
            aside = []
        elif part >= SET_ASIDE and len(aside) < MAX_ASIDE:
            # It may hide another leak, and be hidden by it.
            aside.append(best)
        else:
            break
        left, whole = rest, without
    return found + _codes(sample, asked, [each.columns for each in found])


def _gives_away(
    sample: Sample, columns: tuple[str, ...], alone: Result, whole: Result, without: Result
) -> bool:
    """Whether columns know what the others do not: far more, half the errors, or by a state."""
    y, w, is_pair = sample.is_positive, without.f1, len(columns) == 2

    def is_luck(decision: Flags) -> bool:
        """Whether a sign test finds no fewer wrong rows than without the columns."""
        is_wrong, is_wrong_without = decision != y, without.decision != y
        better = int((is_wrong_without & ~is_wrong).sum())
        worse = int((is_wrong & ~is_wrong_without).sum())
        return bool(binom.sf(better - 1, better + worse, 0.5) >= SIGN)

    if w >= SOLVED:
        return False
    if alone.f1 >= w + (PAIR_GAP if is_pair else GAP) + NOISE / np.sqrt(y.sum()):
        return True
    if alone.f1 >= STRONG and 1.0 - alone.f1 <= (1.0 - w) / 2.0 and not is_luck(alone.decision):
        return True
    if is_pair or whole.f1 - w < (1.0 - w) / 3.0:
        return False
    in_state = sample.features[columns[0]].state()[0]
    is_far = abs(in_state[y].mean() - in_state[~y].mean()) >= STATE_GAP
    return bool(is_far) and not is_luck(whole.decision)


def _codes(
    sample: Sample, asked: Asked, accused: Collection[tuple[str, ...]]
) -> list[Accusation]:
    """Accuse columns with a state, or its absence, that many positives and hardly others have."""
    y = sample.is_positive
    least = max(ONLY_ROWS, ONLY_PART * y.sum())

    def holds_only_for_positives(feature: Feature) -> bool:
        in_state = feature.state()[0]
        return any(
            (rows & y).sum() >= max(least, ONLY_PURE * rows.sum()) for rows in (in_state, ~in_state)
        )

    others = {name: each for name, each in sample.features.items() if (name,) not in accused}
    codes = [name for name, each in others.items() if holds_only_for_positives(each)]
    if not codes:
        return []
    without = sample.together([name for name in others if name not in codes]).f1
    if without >= SOLVED:
        return []
    return [Accusation((name,), asked[(name,)].f1, without, is_code=True) for name in codes]


def _leak(sample: Sample, accusation: Accusation, words: str) -> Finding:
    """Return the finding about accused columns."""
    columns, f1, without, is_code = accusation
    measured = f"(F1 {f1:.2f}; all other columns together {without:.2f})"
    names = " and ".join(map(quoted, columns))
    if len(columns) == 2:
        fact = f"{names} together identify {words} {measured}; do not use them if they are"
        return Finding(columns, "pair", f"{fact} recorded after the event.", f1, without)
    ending = "; do not use it if it is recorded after the event."
    rows, being, lacking = sample.features[columns[0]].state()
    for in_state, state in ((rows, being), (~rows, lacking)):
        inside = float(in_state[sample.is_positive].mean())
        others = float(in_state[~sample.is_positive].mean())
        if inside >= ONLY_PART and (inside - others >= STATE_GAP or others <= FEW_OTHERS):
            rest = f"in {share(others)} of others" if others else "in no other"
            fact = f"{names} {state} in {share(inside)} of rows with {words} and {rest}{ending}"
            kind = "code" if is_code else "state"
            return Finding(columns, kind, fact, f1, without, inside, others)
    fact = f"{names} alone identifies {words} {measured}{ending}"
    return Finding(columns, "alone", fact, f1, without)
