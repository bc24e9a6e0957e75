"""Queries: depth, dialects, names, missing values, refusals."""

import sqlite3
from functools import partial

import numpy as np
import pandas as pd
import pytest
import sqlglot
from sqlglot import exp

from tests.export.engines import in_databases, in_duckdb, in_postgresql, in_sqlite
from tests.export.made_trees import balanced, chain
from tests.export.test_exports import EXPORTED, check
from tests.table_factory import Table
from tests.zoo import draw_with_rows
from thresher import ImbalancedForestClassifier, ImbalancedTreeClassifier, LeastSquaresClassifier
from thresher.export import to_onnx, to_python, to_sql
from thresher.export.readers import read_scoring
from thresher.export.sql.tree import MAX_NESTED, nesting


@pytest.fixture
def parts():
    names, labels = ["torque", "flow", "speed"], ("ok", "scrap")
    return Table(rows=200, missing=0.1, names=names, labels=labels).pandas()


def values_of(model, step=0.5):
    depth = model.get_depth()
    values = np.arange(-1.0, depth + 1.5, max(step, depth / 200.0))
    return pd.DataFrame({"x[0]": [*values, np.nan]})


@pytest.mark.parametrize("to_left", [True, False])
def test_a_chain_of_3000_splits_runs_everywhere(to_left, duck, postgres):
    model = chain(3000, to_left=to_left)
    rows = values_of(model)
    for found in in_databases(partial(to_sql, model, "parts"), rows, duck, postgres):
        check(found, model, rows)


def test_a_tree_nested_deeper_than_one_expression(duck, postgres):
    """A complete tree needs a CASE in a CASE for each level: further stages continue it."""
    model = balanced(MAX_NESTED + 4)
    assert nesting(read_scoring(model).score.trees[0])[0] > MAX_NESTED
    rows = pd.DataFrame({"x[0]": [*np.random.default_rng(0).random(300), np.nan]})
    for found in in_databases(partial(to_sql, model, "parts"), rows, duck, postgres):
        check(found, model, rows)


def test_expressions_are_nested_less_than_sql_server_allows():
    for model in (balanced(12), chain(500, to_left=True)):
        query = to_sql(model, "parts", "sqlserver")
        depth = deepest = 0
        for word in query.replace("(", " ").replace(")", " ").split():
            depth += (word == "CASE") - (word == "END")
            deepest = max(deepest, depth)
        assert 0 < deepest <= 10


# --------------------------------------------------- dialects whose engine is not at hand


@pytest.mark.parametrize("dialect", ["sqlserver", "snowflake"])
@pytest.mark.parametrize("kind", EXPORTED)
def test_translated_to_duckdb(dialect, kind, duck):
    """Parsed after the rules of the dialect by somebody else, translated, run: the same."""
    model, rows = draw_with_rows(kind, 0)
    query = to_sql(model, "parts", dialect, keep=("id",))
    name = {"sqlserver": "tsql"}.get(dialect, dialect)
    (tree,) = sqlglot.parse(query, read=name)
    found = in_duckdb(duck, translated(tree), rows)
    labels = model.classes_.tolist()
    if labels == [False, True]:
        found = [(p, bool(label), leaf) for p, label, leaf in found]
    check(found, model, rows)


def translated(tree):
    """Return a query for DuckDB: other words for APPLY, for + between texts, for collations."""
    for node in list(tree.find_all(exp.Collate)):
        node.replace(node.this)
    for node in list(tree.find_all(exp.Limit)):
        node.pop()
    for node in tree.find_all(exp.DataType):
        node.set("expressions", [])
    for node in list(tree.find_all(exp.Add)):
        if node.find(exp.National):
            node.replace(exp.DPipe(this=node.this.copy(), expression=node.expression.copy()))
    return tree.sql(dialect="duckdb").replace("INNER JOIN LATERAL", "CROSS JOIN LATERAL")


@pytest.mark.parametrize("kind", EXPORTED)
def test_standard_sql_runs_in_duckdb_and_postgresql(kind, duck, postgres):
    model, rows = draw_with_rows(kind, 0)
    query = to_sql(model, "parts", "ansi")
    check(in_duckdb(duck, query, rows), model, rows)
    check(in_postgresql(postgres, query, rows), model, rows)


# --------------------------------------------------------------------------- what databases hold


def test_nan_and_null_go_to_the_learnt_side(duck, postgres):
    """Both are missing, whichever side is learnt."""
    values = np.arange(40.0)
    for missing_label in (0, 1):
        x = np.append(values, [np.nan] * 10)
        y = np.append(values > 29, [missing_label] * 10).astype(int)
        model = ImbalancedTreeClassifier("gini").fit(pd.DataFrame({"x": x}), y)
        for run, dialect in ((duck.execute, "duckdb"), (postgres.execute, "postgresql")):
            run("DROP TABLE IF EXISTS parts")
            run("CREATE TEMPORARY TABLE parts (id INTEGER, x float8)")
            run("INSERT INTO parts VALUES (0, NULL), (1, 'NaN'), (2, 3), (3, 35)")
            found = run(to_sql(model, "parts", dialect)).fetchall()
            decided = [row[-2] for row in sorted(found)]
            assert decided == [missing_label, missing_label, 0, 1]


def test_boolean_columns(duck, postgres):
    X = pd.DataFrame({"hot": [True, False] * 20, "x": np.arange(40.0)})
    model = ImbalancedTreeClassifier("gini", min_samples_leaf=1).fit(X, X["hot"] & (X["x"] > 20))
    expected = model.predict(X).tolist()
    for run, dialect in ((duck.execute, "duckdb"), (postgres.execute, "postgresql")):
        run("DROP TABLE IF EXISTS parts")
        run("CREATE TEMPORARY TABLE parts (id INTEGER, hot BOOLEAN, x float8)")
        cells = ", ".join(f"({i}, {hot}, {x})" for i, (hot, x) in enumerate(X.to_numpy().tolist()))
        run(f"INSERT INTO parts VALUES {cells}")
        query = to_sql(model, "parts", dialect, keep=("id",), booleans=("hot",))
        assert [row[2] for row in sorted(run(query).fetchall())] == expected
    assert to_sql(model, "parts", "duckdb", booleans=("hot",), verify=X)
    assert to_sql(model, "parts", "sqlite", booleans=("hot",), verify=X)


def test_the_collation_of_a_column_does_not_matter():
    """SQLite compares this column without regard to case, the model does not."""
    X = pd.DataFrame({"line": pd.Series(["a", "A"] * 20, dtype="category")})
    model = ImbalancedTreeClassifier("gini").fit(X, X["line"] == "A")
    database = sqlite3.connect(":memory:")
    database.execute("CREATE TABLE parts (line TEXT COLLATE NOCASE)")
    database.executemany("INSERT INTO parts VALUES (?)", [("a",), ("A",)])
    found = database.execute(to_sql(model, "parts", "sqlite")).fetchall()
    database.close()
    assert [row[2] for row in found] == [0, 1]


def test_a_line_has_no_answer_for_missing_values(parts, duck):
    X, y = parts
    model = LeastSquaresClassifier().fit(X.fillna(0.0), y)
    rows = pd.DataFrame({"torque": [1.0, np.nan], "flow": [0.0, 0.0], "speed": [0.0, 1.0]})
    for found in (
        in_sqlite(to_sql(model, "parts", "sqlite"), rows),
        in_duckdb(duck, to_sql(model, "parts", "duckdb"), rows),
    ):
        assert found[0][1] in ("ok", "scrap")
        assert found[1] == (None, None, None)


def test_a_line_of_many_columns(duck):
    """More terms than an expression may be deep."""
    X, y = Table(rows=600, columns=400, noise=1.0).pandas()
    model = LeastSquaresClassifier(threshold=0.1).fit(X, y)
    for found in (
        in_sqlite(to_sql(model, "parts", "sqlite"), X[:50]),
        in_duckdb(duck, to_sql(model, "parts", "duckdb"), X[:50]),
    ):
        check(found, model, X[:50])


def test_least_squares_decides_on_the_raw_score():
    """With threshold 1 a raw score of 1.5 is positive, though its probability is 1."""
    X = np.array([[0.0], [0.0], [1.0], [1.0]])
    model = LeastSquaresClassifier(threshold=1.0, pos_label=1).fit(X, [0, 0, 1, 1])
    rows = pd.DataFrame({"x[0]": [0.0, 1.0, 1.5]})
    found = in_sqlite(to_sql(model, "parts", "sqlite"), rows)
    assert model.predict(rows.to_numpy()).tolist() == [0, 0, 1]
    assert [row[1] for row in found] == [0, 0, 1]
    assert found[2][0] == 1.0


# ------------------------------------------------------------------------------ columns and names


@pytest.mark.parametrize("dialect", ["sqlite", "duckdb"])
def test_kept_columns_come_first(dialect, parts, duck):
    X, y = parts
    model = ImbalancedTreeClassifier().fit(X, y)
    database = duck if dialect == "duckdb" else sqlite3.connect(":memory:")
    database.execute("DROP TABLE IF EXISTS parts")
    database.execute('CREATE TABLE parts (speed REAL, "part no" TEXT, torque REAL, flow REAL)')
    database.execute("INSERT INTO parts VALUES (1, 'p1', 2, 3)")
    outputs = ["probability", "decision", "leaf"]
    for keep, expected in {
        ("*",): ["speed", "part no", "torque", "flow"],
        ("part no",): ["part no"],
        ("flow", "part no"): ["flow", "part no"],
    }.items():
        found = database.execute(to_sql(model, "parts", dialect, keep=keep))
        assert [column[0] for column in found.description] == [*expected, *outputs]
        assert len(found.fetchall()) == 1
    database.execute("DROP TABLE parts")
    if dialect == "sqlite":
        database.close()


def test_a_table_in_a_schema(parts, duck):
    X, y = parts
    model = ImbalancedTreeClassifier().fit(X, y)
    duck.execute('CREATE SCHEMA IF NOT EXISTS "my plant"')
    duck.execute('CREATE OR REPLACE TABLE "my plant"."a.b" AS SELECT 1.0 torque, 2 flow, 3 speed')
    assert len(duck.execute(to_sql(model, ("my plant", "a.b"), "duckdb")).fetchall()) == 1
    assert '"my plant"."parts"' in to_sql(model, "my plant.parts", "duckdb")
    assert "[my plant].[parts]" in to_sql(model, "my plant.parts", "sqlserver")


def test_names_that_collide_are_refused(parts):
    X, y = parts
    model = ImbalancedTreeClassifier().fit(X.rename(columns={"flow": "Probability"}), y)
    with pytest.raises(ValueError, match="two columns 'Probability', a kept one and its own"):
        to_sql(model, "parts")
    with pytest.raises(ValueError, match="two columns 'leaf'"):
        to_sql(model, "parts", keep=("id", "leaf"))
    assert to_sql(model, "parts", keep=("id",))


def test_what_cannot_be_written_is_refused(parts):
    X, y = parts
    model = ImbalancedTreeClassifier().fit(X, y)
    for options, message in [
        ({"dialect": "mysql"}, "dialect='mysql' is unknown"),
        ({"keep": ()}, "keep must be"),
        ({"keep": ("*", "id")}, "keep must be"),
        ({"keep": ("",)}, "without a name"),
        ({"keep": ("a\0b",)}, "zero byte"),
        ({"keep": ("\ud800",)}, "no valid Unicode"),
        ({"booleans": ("other",)}, "booleans names the column 'other'"),
    ]:
        with pytest.raises(ValueError, match=message):
            to_sql(model, "parts", **options)
    with pytest.raises(TypeError, match="str cannot be exported"):
        to_sql("model", "parts")


# ------------------------------------------------------------------------------------ verification

ENGINES = ("sqlite", "duckdb", "ansi")


class Contrary(ImbalancedTreeClassifier):
    """A tree that says something else than it is."""

    def predict(self, X):
        return self.classes_[::-1][(super().predict(X) == self.classes_[1]).astype(int)]


@pytest.mark.parametrize(
    "export",
    [to_python, to_onnx, *(partial(to_sql, table="parts", dialect=one) for one in ENGINES)],
)
def test_a_difference_is_refused(parts, export):
    X, y = parts
    with pytest.raises(ValueError, match=r"does not agree with the model on 200 of 200 rows"):
        export(Contrary().fit(X, y), verify=X)


@pytest.mark.parametrize("dialect", ["postgresql", "sqlserver", "snowflake"])
def test_dialects_that_cannot_be_verified_here_say_so(parts, dialect):
    X, y = parts
    model = ImbalancedForestClassifier(5, rule="prior", n_bootstrap=0, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match=f"verify cannot run the dialect '{dialect}'"):
        to_sql(model, "parts", dialect, verify=X)
