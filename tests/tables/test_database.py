"""Tables and queries of databases: SQLite, and a real PostgreSQL server."""

import json
import sqlite3
from contextlib import closing

import pytest

from tests.program import read_csv, refused, run
from tests.requirements import require
from tests.tables.postgres import binaries, server
from thresher.errors import TableError
from thresher.tables.source import Source
from thresher.tables.table import texts_of

sqlalchemy = pytest.importorskip("sqlalchemy")


@pytest.fixture(scope="module")
def postgres():
    folder = binaries()
    require(folder, "PostgreSQL is not installed, neither the server nor the package pgserver")
    with server(folder) as url:
        yield url


@pytest.fixture(params=["sqlite", "postgres"])
def url(request, tmp_path):
    if request.param == "postgres":
        return request.getfixturevalue("postgres")
    sqlite3.connect(tmp_path / "plant.db").close()
    return f"sqlite:///{tmp_path / 'plant.db'}"


def fill(url, name, rows):
    """Make a table of texts and numbers anew."""
    texts = {column for column, value in rows[0].items() if isinstance(value, str)}
    columns = [
        sqlalchemy.Column(column, sqlalchemy.Text if column in texts else sqlalchemy.Float)
        for column in rows[0]
    ]
    engine = sqlalchemy.create_engine(url)
    metadata = sqlalchemy.MetaData()
    table = sqlalchemy.Table(name, metadata, *columns)
    with engine.begin() as connection:
        metadata.drop_all(connection)
        metadata.create_all(connection)
        connection.execute(table.insert(), rows)
    engine.dispose()


@pytest.fixture
def plant_table(url, plant):
    texts = ("part", "finished", "shift", "supplier", "seal")
    rows = [
        {
            name: value if name in texts else (float(value) if value else None)
            for name, value in row.items()
        }
        for row in read_csv(plant.parts.read_text(encoding="utf-8"))
    ]
    fill(url, "Parts of 2024", rows)
    return url


def test_a_table_is_read_as_its_csv_file_is(plant_table, plant):
    found = Source(plant_table, table="Parts of 2024").read(texts=["part"])
    expected = Source(str(plant.parts)).read(texts=["part"])
    assert list(found.columns) == list(expected.columns)
    for name, column in expected.columns.items():
        assert texts_of(found.columns[name]) == texts_of(column), name


def test_train_and_predict_from_a_database(plant_table, plant, tmp_path):
    source = (plant_table, "--table", "Parts of 2024")
    done = run(
        *("train", *source, "--target", "scrap", "--id", "part", "--time", "finished"),
        *("--model", "tree", "--rule", "f1", "--cost-fp", 5, "--cost-fn", 80, "--no-report"),
        *("--out", tmp_path / "out", "--json"),
    )
    assert done.exit_code == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["judged"] == plant.result["judged"]
    assert result["threshold"] == plant.result["threshold"]
    query = "SELECT * FROM \"Parts of 2024\" WHERE supplier = 'B' AND part <> 'a:b'"
    done = run("predict", tmp_path / "out", plant_table, "--query", query, "--id", "part")
    assert done.exit_code == 0, done.stderr
    whole = read_csv(run("predict", plant.out, plant.parts).stdout)
    expected = {row["part"]: row["probability"] for row in whole if row["supplier"] == "B"}
    assert {row["part"]: row["probability"] for row in read_csv(done.stdout)} == expected


def test_types_of_a_real_server(postgres):
    query = (
        "SELECT 1.50::numeric AS price, true AS is_late, DATE '2024-01-31' AS day, NULL AS nothing,"
        " TIMESTAMP '2024-01-31 08:00:00' AS at, '\\xff'::bytea AS code, 9007199254740993 AS id"
    )
    table = Source(postgres, query=query).read(texts=["id"])
    found = {name: texts_of(column) for name, column in table.columns.items()}
    assert found == {
        "price": ["1.5"],
        "is_late": ["1"],
        "day": ["2024-01-31"],
        "nothing": [None],
        "at": ["2024-01-31T08:00:00"],
        "code": ["ff"],
        "id": ["9007199254740993"],
    }


def test_a_query_cannot_change_the_database(url):
    fill(url, "numbers", [{"x": 1.0}, {"x": 2.0}])
    with pytest.raises(TableError, match=r"returns no rows|cannot be read"):
        Source(url, query="DELETE FROM numbers").read()
    assert len(Source(url, table="numbers").read()) == 2


# --------------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("options", "code", "expected"),
    [
        (["--table", "absent"], 3, "has no table 'absent'; its tables are: "),
        (["--query", "SELECT nothing FROM nowhere"], 3, "cannot be read: "),
        (["--query", "SELECT 1 AS a, 2 AS a"], 3, "has two columns of one name"),
        (["--query", "SELECT 1 AS y WHERE 1 = 0"], 3, "has a header but no rows."),
        (["--query", "SELECT 1 AS z"], 3, "has no column 'y'"),
        ([], 2, "A database needs --table NAME, or --query"),
        (["--query", "SELECT 1", "--table", "t"], 2, "A database needs --table NAME, or --query"),
    ],
)
def test_bad_queries(url, tmp_path, options, code, expected):
    done = run("train", url, "--target", "y", *options, "--out", tmp_path / "out")
    refused(done, code, expected)
    assert "secret" not in done.stderr


@pytest.mark.parametrize(
    ("place", "code", "expected"),
    [
        ("sqlite:///absent.db", 3, "there is no file 'absent.db'"),
        ("postgresql+psycopg://u:secret@127.0.0.1:9/x", 3, "cannot be read: "),
        ("oracle+nodriver://u:secret@h/x", 3, "cannot be read: "),
        ("mysql+pymysql://u:secret@h/x", 1, "needs the driver 'pymysql'"),
        ("://", 3, "The URL of the database cannot be read"),
    ],
)
def test_places_that_lead_nowhere(tmp_path, monkeypatch, place, code, expected):
    monkeypatch.chdir(tmp_path)
    done = run("train", place, "--table", "t", "--target", "y", "--out", "out")
    refused(done, code, expected)
    assert "secret" not in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_no_database(tmp_path):
    (tmp_path / "x.db").write_bytes(b"not a database" * 100)
    with closing(sqlite3.connect(":memory:")):
        done = run(
            *("train", f"sqlite:///{tmp_path / 'x.db'}", "--table", "t", "--target", "y"),
            *("--out", tmp_path / "out"),
        )
    refused(done, 3, "file is not a database")
