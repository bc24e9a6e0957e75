"""A simulated pump line: stations, end-of-line tests, and scrap with causes that are known.

The data behind section 5.2 of the paper are private. These are made up after its description: 16
factors, 5,000 parts of two months, a daily scrap rate that moves between 6 and 16 %.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.condition.clause import Clause, inside, joined
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
    chosen_stations,
    daily_rate,
    line_state,
    lose_values,
    solve_rates,
)
from thresher.frames import make_frame
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
    station : the station at which it is known.
    """

    clauses: tuple[Clause, ...]
    holds: Rows
    station: str

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
    stations : the station of each column, in the order of the line, end-of-line tests last.
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
    stations: dict[str, str]
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

    Five production stations are followed by three end-of-line tests. Shifts change, press tools
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
    table, stations = _measured(values, n_factors, random)
    X, stations = _as_asked(table, stations, as_frame)
    return AssemblyLine(
        X,
        y,
        time=START + (3600.0 * hours).astype("timedelta64[s]"),
        stations=stations,
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
    stations = chosen_stations(MIN_FACTORS)
    last = max((clause.column for clause in clauses), key=list(stations).index)
    return PlantedCondition(clauses, holds, stations[last])


def _measured(
    values: Values, n_factors: int, random: np.random.Generator
) -> tuple[Values, dict[str, str]]:
    """Return what the line's computers keep: sensors drop out, and further ones tell nothing."""
    stations = chosen_stations(n_factors)
    table = {}
    for name in stations:
        column = values.get(name)
        column = random.normal(size=len(values["flow"])) if column is None else column
        table[name] = lose_values(column, random) if name in FAILING else column
    return table, stations


def _as_asked(
    table: Values, stations: dict[str, str], as_frame: bool | str
) -> tuple[Any, dict[str, str]]:
    """Return the table as a data frame or an array, and the stations of its columns."""
    if as_frame is False:
        columns = dict(_indicators(table))
        return np.column_stack(list(columns.values())), {
            name: stations[name.partition("=")[0]] for name in columns
        }
    if as_frame is not True:
        check_choice("as_frame", as_frame, ("pandas", "polars", "pyarrow"))
    texts = {
        name: np.array(CATEGORIES[name])[column.astype(np.intp)] if name in CATEGORIES else column
        for name, column in table.items()
    }
    return make_frame(texts, "pandas" if as_frame is True else str(as_frame)), stations


def _indicators(table: Values) -> Iterator[tuple[str, Vector]]:
    for name, column in table.items():
        if name not in CATEGORIES:
            yield name, column
            continue
        for code, level in enumerate(CATEGORIES[name]):
            yield f"{name}={level}", (column == code).astype(np.float64)
