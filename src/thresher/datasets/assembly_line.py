"""A simulated pump line: stages, end-of-line tests, and scrap with causes that are known.

The data behind section 5.2 of the paper are private. These are made up after its description: 16
factors, 5,000 parts of two months, a daily scrap rate that moves between 6 and 16 %.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.column import Texts
from thresher.condition.clause import Clause, inside, joined
from thresher.datasets.catalog import TARGET, dataset_info
from thresher.datasets.load import feature_names, load_dataset
from thresher.datasets.pump_line import (
    BACKGROUND,
    CATEGORIES,
    CAUGHT,
    FAILING,
    MIN_FACTORS,
    PLANTED,
    Rows,
    Trigger,
    Values,
    Vector,
    chosen_stages,
    daily_rate,
    line_state,
    lose_values,
    solve_rates,
)
from thresher.frames import make_frame
from thresher.tables.table import Column
from thresher.validation import check_choice, check_integer, check_number, draw_seed

START = np.datetime64("2024-01-01T00:00", "s")
DESCRIPTION = (
    "Simulated: {n_parts} pumps of {days} days on a made-up assembly line with planted causes of "
    "scrap; no plant was measured."
)


@dataclass(frozen=True)
class PlantedCondition:
    """A cause of scrap that was built in.

    Attributes
    ----------
    clauses : what it asks of each column (`Interval` or `LevelSet`).
    holds : whether each part meets it; a value that its sensor lost counts as it was.
    stage : the stage at which it is known.
    """

    clauses: tuple[Clause, ...]
    holds: Rows
    stage: str

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it asks about."""
        return tuple(clause.column for clause in self.clauses)

    def __str__(self) -> str:
        return joined(self.clauses)


@dataclass(frozen=True)
class AssemblyLine:
    """Parts of a simulated line.

    Attributes
    ----------
    X : data frame, or array with indicator columns, one row a part in the order of time.
    y : 1 for a scrapped part, else 0.
    time : when each part was finished.
    stages : the stage of each column, in the order of the line, end-of-line tests last.
    truth : the planted conditions.
    probability : of being scrapped, for each part.
    expected_rate : expected scrap rate of each day.
    description : a sentence that says what these data are.
    true_values : what planted conditions ask about, before sensors dropped out; levels as codes.
    background : probability of scrap without a planted cause, for each part.
    """

    X: Any
    y: NDArray[np.int64]
    time: NDArray[np.datetime64]
    stages: dict[str, str]
    truth: tuple[PlantedCondition, ...]
    probability: Vector
    expected_rate: Vector
    description: str
    true_values: Values = field(default_factory=dict, repr=False)
    background: Vector = field(default_factory=lambda: np.empty(0), repr=False)

    def limited_probability(
        self, column: str, is_kept: Callable[[Vector], Rows], where: Rows, random_state: Any = 0
    ) -> Vector:
        """Return the probability of scrap of each part if a limit had been kept.

        Parameters
        ----------
        column : str
            The setting that is limited.
        is_kept : function
            Whether values (codes of a category) keep the limit.
        where : ndarray of bool
            The parts for which the limit holds. Those that break it get the value of another part
            that keeps it, drawn from all such parts of the line; all else stays.
        random_state : int, RandomState or None, default=0
        """
        random = np.random.default_rng(draw_seed(random_state))
        values = self.true_values[column].copy()
        kept = is_kept(values)
        moved = where & ~kept
        values[moved] = random.choice(values[kept], size=int(moved.sum()))
        now = self.true_values | {column: values}
        holds = [
            np.all([inside(clause, now[clause.column]) for clause in truth.clauses], axis=0)
            for truth in self.truth
        ]
        return scrap_probability(holds, self.background)


def make_assembly_line(
    n_parts: int = 5000,
    n_factors: int = 16,
    days: int = 60,
    scrap: tuple[float, float] = (0.06, 0.16),
    *,
    as_frame: bool | str = True,
    random_state: Any = None,
) -> AssemblyLine:
    """Simulate an assembly line of pumps; none of it was measured in a plant.

    Five production stages are followed by three end-of-line tests. Shifts change, press tools
    wear, batches of material drift, and sensors drop out. A part is scrapped for one of four
    planted reasons (a state of the line together with a measurement out of range, such as
    `torque_3 <= 11.2 and supplier in {B, D}`), or for no reason that the table tells. How often
    measurements leave their range follows the rate of the day.

    Parameters
    ----------
    n_parts : int, default=5000
    n_factors : int, default=16
        Columns, at least 8. The planted conditions take 8, further ones have no effect.
    days : int, default=60
    scrap : (float, float), default=(0.06, 0.16)
        Lowest and highest expected scrap rate of a day; both are reached.
    as_frame : bool or {"pandas", "polars", "pyarrow"}, default=True
        The library of X. False: an array, in which categories are indicator columns
        (`supplier=A`, ...), as `load_dataset` has them.
    random_state : int, RandomState or None, default=None

    Returns
    -------
    AssemblyLine

    Examples
    --------
    >>> from thresher.datasets import make_assembly_line
    >>> line = make_assembly_line(random_state=0)
    >>> line.X.shape, 0.06 < line.y.mean() < 0.16
    ((5000, 16), np.True_)
    >>> for condition in line.truth:
    ...     print(condition)
    tool_age > 38.5 and press_force > 61.5
    supplier in {B, D} and torque_3 <= 11.2
    shift = night and oven_temperature <= 148
    flow <= 31 and leak_rate > 4.1
    """
    _check(n_parts, n_factors, days, scrap)
    random = np.random.default_rng(draw_seed(random_state))
    hours = np.sort(random.random(n_parts)) * 24.0 * days
    day = (hours // 24.0).astype(np.intp)
    values = line_state(hours, days, random)
    rate = daily_rate(days, *scrap, random)
    truth, background = _plant(values, day, rate, random)
    probability = scrap_probability([one.holds for one in truth], background[day])
    y = (random.random(n_parts) < probability).astype(np.int64)
    table, stages = _measured(values, n_factors, random)
    X, stages = _as_asked(table, stages, as_frame)
    return AssemblyLine(
        X,
        y,
        time=START + (3600.0 * hours).astype("timedelta64[s]"),
        stages=stages,
        truth=truth,
        probability=probability,
        expected_rate=rate,
        description=DESCRIPTION.format(n_parts=n_parts, days=days),
        true_values={name: values[name] for one in truth for name in one.columns},
        background=background[day],
    )


def scrap_probability(holds: Sequence[Rows], background: Vector) -> Vector:
    """Return the probability of scrap of parts, given which planted conditions they meet."""
    spared = np.prod([1.0 - CAUGHT * met for met in holds], axis=0)
    probability: Vector = 1.0 - (1.0 - background) * spared
    return probability


def _check(n_parts: Any, n_factors: Any, days: Any, scrap: Any) -> None:
    check_integer("n_parts", n_parts, low=2)
    check_integer("n_factors", n_factors, low=MIN_FACTORS)
    check_integer("days", days, low=1)
    low, high = scrap
    check_number("scrap", low, 0.0, above=True)
    check_number("scrap", high, 0.0, 0.5, above=True)
    if low > high:
        raise ValueError(f"scrap must be the lowest and the highest rate, got {scrap!r}.")


def _plant(
    values: Values, day: NDArray[np.intp], rate: Vector, random: np.random.Generator
) -> tuple[tuple[PlantedCondition, ...], Vector]:
    """Draw the measurements that do harm; return the conditions and each day's other scrap."""
    likely = np.array([inside(state, values[state.column]) for state, _ in PLANTED])
    background = min(BACKGROUND, 0.3 * float(rate.min()))
    out_of_range, others = solve_rates(likely, day, rate, background)
    for _, trigger in PLANTED:
        is_out = random.random(len(day)) < out_of_range[day]
        values[trigger.column] = trigger.draw(is_out, random)
    values["press_depth"] = 0.02 * values["press_force"] + random.normal(8.0, 0.15, len(day))
    return tuple(_planted(state, trigger, values) for state, trigger in PLANTED), others


def _planted(state: Clause, trigger: Trigger, values: Values) -> PlantedCondition:
    clauses = (state, trigger.clause)
    holds = np.all([inside(clause, values[clause.column]) for clause in clauses], axis=0)
    stages = chosen_stages(MIN_FACTORS)
    last = max((clause.column for clause in clauses), key=list(stages).index)
    return PlantedCondition(clauses, holds, stages[last])


def _measured(
    values: Values, n_factors: int, random: np.random.Generator
) -> tuple[Values, dict[str, str]]:
    """Return what the line's computers keep: sensors drop out, and further ones tell nothing."""
    stages = chosen_stages(n_factors)
    table = {}
    for name in stages:
        column = values.get(name)
        column = random.normal(size=len(values["flow"])) if column is None else column
        table[name] = lose_values(column, random) if name in FAILING else column
    return table, stages


def _as_asked(
    table: Values, stages: dict[str, str], as_frame: bool | str
) -> tuple[Any, dict[str, str]]:
    """Return the table as a data frame or an array, and the stages of its columns."""
    if as_frame is False:
        columns = dict(_indicators(table))
        return np.column_stack(list(columns.values())), {
            name: stages[name.partition("=")[0]] for name in columns
        }
    if as_frame is not True:
        check_choice("as_frame", as_frame, ("pandas", "polars", "pyarrow"))
    texts = {
        name: np.array(CATEGORIES[name])[column.astype(np.intp)] if name in CATEGORIES else column
        for name, column in table.items()
    }
    return make_frame(texts, "pandas" if as_frame is True else str(as_frame)), stages


def _indicators(table: Values) -> Iterator[tuple[str, Vector]]:
    for name, column in table.items():
        if name not in CATEGORIES:
            yield name, column
            continue
        for code, level in enumerate(CATEGORIES[name]):
            yield f"{name}={level}", (column == code).astype(np.float64)


# ---------------------------------------------------------------------------- as columns of a table

LINE = "assembly_line"
"""The name of the simulated line among the data sets."""


def dataset_columns(name: str) -> dict[str, Column]:
    """Return the columns of a data set, the target last; indicator columns are one text again.

    >>> list(dataset_columns("Yeast-me1"))[-2:]
    ['nuc', 'target']
    """
    if name == LINE:
        return line_columns(make_assembly_line(as_frame=False, random_state=0))
    X, y = load_dataset(name)
    columns = _with_texts(X, feature_names(name), dataset_info(name).categories)
    return {**columns, TARGET: y.astype(np.float64)}


def line_columns(line: AssemblyLine) -> dict[str, Column]:
    """Return a simulated line (made with `as_frame=False`) with numbers of parts and times."""
    names = list(line.stages)
    categories: dict[str, tuple[str, ...]] = {}
    for column, found, level in (name.partition("=") for name in names):
        if found:
            categories[column] = (*categories.get(column, ()), level)
    parts = Texts.of(f"P{number:05d}" for number in range(1, len(line.y) + 1))
    times = Texts.of(str(time).replace("T", " ") for time in line.time)
    measured = _with_texts(line.X, names, categories)
    return {"part": parts, "finished": times, **measured, "scrap": line.y.astype(np.float64)}


def line_stages(line: AssemblyLine) -> dict[str, Column]:
    """Return the columns of a table that tells the stage of each column."""
    stages = {name.partition("=")[0]: stage for name, stage in line.stages.items()}
    return {"column": Texts.of(stages), "stage": Texts.of(stages.values())}


def _with_texts(
    X: np.ndarray, names: list[str], categories: Mapping[str, tuple[str, ...]]
) -> dict[str, Column]:
    columns: dict[str, Column] = {}
    for place, name in enumerate(names):
        column, _, level = name.partition("=")
        if column not in categories or level not in categories[column]:
            columns[name] = X[:, place]
        elif column not in columns:
            indicators = [names.index(f"{column}={one}") for one in categories[column]]
            codes = X[:, indicators].argmax(axis=1)
            columns[column] = Texts.of(categories[column][code] for code in codes.tolist())
    return columns
