"""Databases that several tests share."""

import pytest

from tests.requirements import require
from tests.tables.postgres import binaries, server


@pytest.fixture(scope="package")
def duck():
    import duckdb

    with duckdb.connect() as database:
        yield database


@pytest.fixture(scope="package")
def postgres():
    import psycopg

    folder = binaries()
    require(folder, "PostgreSQL is not installed")
    with (
        server(folder) as url,
        psycopg.connect(url.replace("+psycopg", ""), autocommit=True) as connection,
    ):
        yield connection
