"""Exports run where they are meant to run: databases, onnxruntime, plain Python."""

import sqlite3

import numpy as np
import onnxruntime

from thresher.column import has_others
from thresher.sql import identifier

TYPES = {
    "duckdb": {"float32": "FLOAT", "float64": "DOUBLE", "text": "VARCHAR"},
    "postgresql": {"float32": "real", "float64": "float8", "text": "text"},
    "sqlite": {"float32": "REAL", "float64": "REAL", "text": "TEXT"},
}


def plain_columns(rows):
    """Return the columns of a frame as lists, None where a value is missing."""
    return {
        name: [None if value != value or value is None else value for value in rows[name].tolist()]
        for name in rows.columns
    }


def kind_of(values, dtype):
    if any(isinstance(value, str) for value in values):
        return "text"
    return "float32" if dtype == np.float32 else "float64"


def create(engine, rows, columns, quote=identifier):
    kinds = [kind_of(values, rows[name].dtype) for name, values in columns.items()]
    types = [TYPES[engine][kind] for kind in kinds]
    named = ", ".join(f"{quote(name)} {kind}" for name, kind in zip(columns, types, strict=True))
    return f"CREATE TEMPORARY TABLE parts (id INTEGER, {named})"


def records(columns):
    values = list(columns.values())
    return list(zip(range(len(values[0])), *values, strict=True))


def ordered(cursor):
    """Return what a model says of the rows in the order of the first column, the row's number."""
    begin = [column[0] for column in cursor.description].index("probability")
    return [row[begin:] for row in sorted(cursor.fetchall(), key=lambda row: row[0])]


def in_sqlite(query, rows):
    columns = plain_columns(rows)
    database = sqlite3.connect(":memory:")
    try:
        database.execute(create("sqlite", rows, columns))
        places = ", ".join("?" * (len(columns) + 1))
        database.executemany(f"INSERT INTO parts VALUES ({places})", records(columns))
        return ordered(database.execute(query))
    finally:
        database.close()


def in_duckdb(database, query, rows):
    columns = plain_columns(rows)
    database.execute("DROP TABLE IF EXISTS parts")
    database.execute(create("duckdb", rows, columns))
    place = f"({', '.join('?' * (len(columns) + 1))})"
    everything = records(columns)
    values = [value for record in everything for value in record]
    database.execute(f"INSERT INTO parts VALUES {', '.join([place] * len(everything))}", values)
    return ordered(database.execute(query))


def in_postgresql(connection, query, rows):
    columns = plain_columns(rows)
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE IF EXISTS parts")
        cursor.execute(create("postgresql", rows, columns))
        with cursor.copy("COPY parts FROM STDIN") as copy:
            for record in records(columns):
                copy.write_row(record)
        return ordered(cursor.execute(query))


def in_databases(query, rows, duck, postgres):
    """Yield what each database says of the rows; `query` writes one in a dialect."""
    yield in_sqlite(query("sqlite"), rows)
    for dialect in ("duckdb", "ansi"):
        yield in_duckdb(duck, query(dialect), rows)
    yield in_postgresql(postgres, query("postgresql"), rows)


def in_python(text, rows):
    module = {}
    exec(compile(text, "model", "exec"), module)
    columns = plain_columns(rows)
    found = [
        module["predict"](dict(zip(columns, row, strict=True)))
        for row in zip(*columns.values(), strict=True)
    ]
    return [tuple(row.values()) for row in found]


def feeds(rows, levels, dtype):
    """Return the inputs of an ONNX model; `levels` of each column, None for numbers."""
    result = {}
    is_number = [of_column is None for of_column in levels]
    if any(is_number):
        result["X"] = rows.loc[:, is_number].to_numpy(dtype=dtype)
    for name, of_column in zip(rows.columns, levels, strict=True):
        if of_column is None:
            continue
        values = rows[name].astype(object).to_numpy()
        if isinstance(of_column[0], str):
            missing = np.array([not isinstance(value, str) for value in values])
            values = np.where(missing, "" if has_others(of_column) else "no level", values)
        else:
            values = values.astype(dtype)
        result[name] = values[:, None]
    return result


def in_onnxruntime(model, inputs):
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    return session.run(None, inputs)
