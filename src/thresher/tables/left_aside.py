"""Columns that no model learns from by their meaning, each with the reason and the way back."""

from thresher.tables.plan import CALENDAR, CATEGORY, CONSTANT, DATE, ID, NUMBER, TEXT
from thresher.tables.table import Column, Table, as_text
from thresher.texts import Texts
from thresher.wording import first_of, quoted


def left_aside(table: Table) -> dict[str, str]:
    """Return a sentence for each column that is left out.

    >>> from thresher.tables.reading import read_table
    >>> import pandas as pd
    >>> days = pd.DataFrame({"day": ["2024-01-01", "2024-01-02"], "speed": [1.5, 2.5]})
    >>> left_aside(read_table(days))["day"]
    "Column 'day' is a date and is left out; time='day' judges the model in its order."
    """
    plans = {} if table.plan is None else table.plan.columns
    found = {name: plans[name].meaning for name in table.columns if name in plans}
    constant = [name for name, meaning in found.items() if meaning == CONSTANT]
    return {
        **{name: _date(name) for name, meaning in found.items() if meaning == DATE},
        **{
            name: f"Column {name!r} is left out but for the calendar that is made of it."
            for name, meaning in found.items()
            if meaning == CALENDAR
        },
        **{
            name: _names(name, meaning, table.columns[name])
            for name, meaning in found.items()
            if meaning in (ID, TEXT)
        },
        **dict.fromkeys(constant, _constant(constant)),
    }


def _date(name: str) -> str:
    return (
        f"Column {name!r} is a date and is left out; time={name!r} judges the model in its order."
    )


def _names(name: str, meaning: str, column: Column) -> str:
    kind = "names rows, like a part number," if meaning == ID else "holds free text,"
    is_text = isinstance(column, Texts)
    example = quoted(column.levels[0] if isinstance(column, Texts) else as_text(column[0]))
    otherwise = {name: CATEGORY if is_text else NUMBER}
    return (
        f"Column {name!r} {kind} such as {example}, and is left out; column={otherwise} says "
        "otherwise."
    )


def _constant(names: list[str]) -> str:
    shown = first_of(map(repr, names), 3)
    are = f"Column {shown} is" if len(names) == 1 else f"The columns {shown} are"
    return f"{are} the same in all rows, and left out."
