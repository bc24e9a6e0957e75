"""The plan of reading in a model file, taken apart again and checked."""

from thresher.model_file.record import Record, is_number, require
from thresher.tables.dates import ORDERS
from thresher.tables.notation import COMMA, EITHER, POINT, Notation
from thresher.tables.plan import LABEL, MEANINGS, ColumnPlan, Plan, Unread

MAX_COUNT = 2**53


def read_plan(record: Record) -> Plan:
    """Read what `Plan.as_data` wrote; a DamagedModelError where it is not sound."""
    columns = {one.text("name"): _read_column(one) for one in record.records("columns")}
    require(len(columns) == len(record.items("columns")), "a column is planned twice")
    lines = record.items("lines")
    require(all(type(line) is str for line in lines), f"{record.place}.lines is not texts")
    return Plan(columns, tuple(lines))


def _read_column(record: Record) -> ColumnPlan:
    meaning, order = record.text("meaning"), record.text("order")
    require(meaning in (*MEANINGS, LABEL), f"{record.place}.meaning is unknown")
    require(order in ("", *ORDERS), f"{record.place}.order is unknown")
    return ColumnPlan(
        meaning,
        _read_notation(record),
        record.text("unit"),
        order,
        tuple(_read_unread(one) for one in record.records("unread")),
        _read_sentinels(record),
        tuple(_read_unread(one) for one in record.records("doubtful")),
        record.integer("levels", 0, MAX_COUNT),
        record.truth("is_given"),
    )


def _read_notation(record: Record) -> Notation:
    decimal, thousands = record.text("decimal"), record.text("thousands")
    is_sound = decimal in (POINT, COMMA, EITHER) and thousands in ("", POINT, COMMA, "'", " ")
    require(is_sound and decimal != thousands, f"{record.place} has no such marks of numbers")
    return Notation(decimal, thousands)


def _read_sentinels(record: Record) -> tuple[float, ...]:
    numbers = record.items("sentinels")
    require(all(map(is_number, numbers)), f"{record.place}.sentinels are not numbers")
    return tuple(map(float, numbers))


def _read_unread(record: Record) -> Unread:
    return Unread(record.text("text"), record.integer("rows", 0, MAX_COUNT), record.text("place"))
