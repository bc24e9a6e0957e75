"""Literals are read back as what they were, by the databases themselves."""

import sqlite3
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.export.sql.query import DIALECTS
from thresher.sql import bracketed, exact_number, identifier, number, text

FLOATS = st.floats(allow_nan=False, allow_infinity=False)
TEXTS = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=30
) | st.sampled_from(["'", "''", '"', "\\", "\\'", "--", "/*", "\\\n", "%s", "{}"])


@pytest.fixture(scope="module")
def sqlite():
    database = sqlite3.connect(":memory:")
    yield database
    database.close()


def bits(value):
    return struct.pack("<d", value)


def read_in_sqlite(literal):
    database = sqlite3.connect(":memory:")
    try:
        return database.execute(f"SELECT {literal}").fetchone()[0]
    finally:
        database.close()


@given(FLOATS)
def test_sqlite_reads_the_very_number(value):
    assert bits(read_in_sqlite(exact_number(value))) == bits(value + 0.0)


def test_sqlite_reads_many_numbers_of_all_sizes(sqlite):
    rng = np.random.default_rng(0)
    raw = rng.integers(0, 2**64, size=20_000, dtype=np.uint64).view(np.float64)
    short = [
        float(f"{x:.{digits}g}") for x, digits in zip(rng.random(5000), [6, 12] * 2500, strict=True)
    ]
    extremes = [5e-324, 2.2250738585072014e-308, np.finfo(float).max, 1e22, 1e23, 2.0**53 + 2]
    values = [*raw[np.isfinite(raw)].tolist(), *short, *extremes]
    for first in range(0, len(values), 500):
        some = values[first : first + 500]
        found = sqlite.execute(f"SELECT {', '.join(map(exact_number, some))}").fetchone()
        assert [bits(value) for value in found] == [bits(value) for value in some]


@given(FLOATS)
def test_duckdb_and_postgresql_read_the_very_number(duck, postgres, value):
    for run, dialect in ((duck.execute, "duckdb"), (postgres.execute, "postgresql")):
        (found,) = run(f"SELECT {DIALECTS[dialect].number(value)}").fetchone()
        assert bits(found) == bits(value + 0.0)


@given(TEXTS)
def test_texts_and_names_come_back(duck, postgres, value):
    for run, dialect in ((duck.execute, "duckdb"), (postgres.execute, "postgresql")):
        assert run(f"SELECT {DIALECTS[dialect].text(value)}").fetchone() == (value,)
    database = sqlite3.connect(":memory:")
    found = database.execute(f"SELECT {text(value)} AS {identifier(value or 'x')}")
    assert (found.description[0][0], found.fetchone()[0]) == (value or "x", value)
    database.close()


def test_postgresql_reads_backslashes_in_any_setting(postgres):
    literal = DIALECTS["postgresql"].text("a\\'b")
    for setting in ("off", "on"):
        postgres.execute(f"SET standard_conforming_strings = {setting}")
        postgres.execute("SET escape_string_warning = off")
        assert postgres.execute(f"SELECT {literal}").fetchone() == ("a\\'b",)


def test_what_sql_server_joins_is_kept_apart():
    assert DIALECTS["sqlserver"].text("a\\\nb") == "(N'a\\' + N'\nb')"
    assert bracketed("a]b") == "[a]]b]"
    assert number(0.1) == "0.1E0"
