"""A model as one SELECT that scores the rows of a table where they are."""

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from typing import Any

from thresher.export.readers import read_scoring
from thresher.export.scoring import GroupCut, Scoring
from thresher.export.sql.query import ANSWER, DIALECTS, OUTPUTS, Dialect, Query
from thresher.export.sql.stages import Stages
from thresher.export.verification import (
    VerifiedRows,
    model_asked,
    scoring_asked,
    verified_rows,
    with_referred,
)
from thresher.sql import refuse_unwritable
from thresher.validation import check_choice

ROW = "thresher_row"
"""The column that numbers the rows."""

ENGINES = {"sqlite": "sqlite3", "duckdb": "duckdb", "ansi": "duckdb"}


def check_engine(dialect: str) -> None:
    """Raise where there is no engine to run a dialect in."""
    if dialect not in ENGINES:
        raise ValueError(
            f"verify cannot run the dialect {dialect!r}, for which there is no engine here; leave "
            "verify out and compare on your database, or verify the dialect 'sqlite' or 'duckdb'."
        )
    if ENGINES[dialect] == "duckdb":
        _duckdb()


def run_query(
    dialect: Dialect,
    query: str,
    table: str,
    columns: Mapping[str, Sequence[Any]],
    booleans: Sequence[str],
) -> list[tuple[Any, ...]]:
    """Make a table of rows, run a query on it, and return what it finds in the rows' order."""
    types = {ROW: "INTEGER"} | {
        name: "BOOLEAN" if name in booleans else _type(dialect, values)
        for name, values in columns.items()
    }
    names = ", ".join(f"{dialect.quote(name)} {kind}" for name, kind in types.items())
    values = list(columns.values())
    rows = list(zip(range(len(values[0])), *values, strict=True))
    if ENGINES[dialect.name] == "sqlite3":
        with closing(sqlite3.connect(":memory:")) as database:
            database.execute(f"CREATE TABLE {table} ({names})")
            places = ", ".join("?" * len(types))
            database.executemany(f"INSERT INTO {table} VALUES ({places})", rows)
            return sorted(database.execute(query).fetchall())
    with closing(_duckdb().connect()) as database:
        database.execute(f"CREATE TABLE {table} ({names})")
        _insert(database, table, rows)
        return sorted(database.execute(query).fetchall())


def _type(dialect: Dialect, values: Sequence[Any]) -> str:
    return dialect.varchar if any(isinstance(value, str) for value in values) else dialect.double


def _insert(database: Any, table: str, rows: Sequence[tuple[Any, ...]], at_once: int = 500) -> None:
    """Insert many rows with each statement, for DuckDB takes long for a statement."""
    for first in range(0, len(rows), at_once):
        some = rows[first : first + at_once]
        place = f"({', '.join('?' * len(some[0]))})"
        values = [value for row in some for value in row]
        database.execute(f"INSERT INTO {table} VALUES {', '.join([place] * len(some))}", values)


def _duckdb() -> Any:
    try:
        import duckdb
    except ImportError:
        raise ImportError(
            "verify runs this dialect in DuckDB; pip install duckdb, or leave verify out."
        ) from None
    return duckdb


# ---------------------------------------------------------------------------------------- the query


def to_sql(
    model: Any,
    table: str | Sequence[str],
    dialect: str = "ansi",
    keep: Sequence[str] = ("*",),
    *,
    booleans: Sequence[str] = (),
    cost_fp_column: str | None = None,
    cost_fn_column: str | None = None,
    refer: Any = None,
    verify: Any = None,
) -> str:
    """Return a fitted model as one SELECT: kept columns, then probability, decision and leaf.

    Parameters
    ----------
    model : fitted model
        A tree, a forest, AlphaTreesClassifier, LeastSquaresClassifier, boosted trees,
        converted trees (`convert`), scikit-learn's LogisticRegression, or ThresholdClassifier
        around one of these.
    table : str or sequence of str
        The table or view to score; "schema.table" or its parts one by one.
    dialect : {"ansi", "duckdb", "postgresql", "sqlite", "sqlserver", "snowflake"}
    keep : sequence of str, default=("*",)
        Columns of the table to put before the result; all of them by default.
    booleans : sequence of str, default=()
        Columns that the database holds as BOOLEAN; PostgreSQL turns these into numbers in no
        other way.
    cost_fp_column, cost_fn_column : str, default=None
        Columns of the table with the costs of each row, for a model that decides by costs; those
        of a model of `thresher train` by default. A cost without a column is the model's. A row
        without a cost has no decision (NULL).
    refer : "model" or a fitted model, default=None
        Of a tree that refers rows (`to_tree(..., refer=...)`): the model that decides about these
        rows in the same query, "model" for the one that the tree imitates (`referred_to_`; a tree
        from a file has left it behind). By default `decision` takes a referred row for an alert.
    verify : table like X of fit, default=None
        Rows on which the query is run (SQLite's and DuckDB's dialects and "ansi" only) and compared
        with `predict`; on any difference nothing is exported. With the cost columns, where there
        are such.

    Returns
    -------
    str
        A query. `probability` is that of the positive class, `decision` the label that `predict`
        gives, `leaf` the leaf's node in `tree_`, NULL for models other than one tree. A model with
        the rule "refer", or a tree that refers rows, has a fourth column, `answer`, as `decide`
        gives it. NULL, and NaN where
        the database has it, go where the model sends missing values. A linear model has no answer
        for them: probability, decision and answer are NULL.

    Examples
    --------
    >>> from thresher import ImbalancedTreeClassifier
    >>> from thresher.export import to_sql
    >>> X, y = [[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]], ["ok"] * 4 + ["scrap"] * 2
    >>> model = ImbalancedTreeClassifier("gini").fit(X, y)
    >>> query = to_sql(model, "parts", dialect="sqlite", verify=X)
    >>> query.splitlines()[0]
    'SELECT *,'
    """
    check_choice("dialect", dialect, tuple(DIALECTS))
    chosen = DIALECTS[dialect]
    scoring = read_scoring(model, cost_fp_column, cost_fn_column)
    asked = None if refer is None else model_asked(model, refer)
    referred_to = None if asked is None else scoring_asked(scoring, asked)
    parts = table.split(".") if isinstance(table, str) else list(table)
    keep = [keep] if isinstance(keep, str) else list(keep)
    _check_names(scoring, parts, keep, booleans)
    stages = Stages(scoring, chosen, booleans, referred_to)
    if verify is not None:
        rows = verified_rows(model, scoring, verify)
        if asked is not None:
            rows = with_referred(rows, asked, verify)
        _verify(rows, scoring, stages, chosen, booleans)
    kept = ["*"] if keep == ["*"] else [chosen.quote(name) for name in keep]
    return _query(scoring, stages, chosen, ".".join(map(chosen.quote, parts)), kept)


def _query(scoring: Scoring, stages: Stages, dialect: Dialect, table: str, kept: list[str]) -> str:
    negative, positive = (scoring.classes[scoring.positive ^ other] for other in (1, 0))
    return Query(
        dialect,
        table,
        kept,
        stages.stages,
        stages.probability,
        stages.decided,
        stages.leaf,
        stages.cut,
        dialect.label(negative),
        dialect.label(positive),
        None if scoring.threshold_alert is None else dialect.number(scoring.threshold_alert),
        stages.referred,
    ).text()


def _check_names(
    scoring: Scoring, table: Sequence[str], keep: Sequence[str], booleans: Sequence[str]
) -> None:
    if not keep or ("*" in keep and len(keep) > 1):
        raise ValueError("keep must be ('*',) for all columns, or the names of some columns.")
    unknown = [name for name in booleans if name not in scoring.names]
    if unknown:
        raise ValueError(f"booleans names the column {unknown[0]!r}, which the model does not use.")
    costs = () if scoring.cut is None else scoring.cut.columns
    for name in (*table, *keep, *scoring.names, *costs):
        refuse_unwritable("name", name)
    texts: list[Any] = [level for levels in scoring.levels or () for level in levels or ()]
    texts += scoring.cut.groups if isinstance(scoring.cut, GroupCut) else ()
    for text in (*texts, *scoring.classes):
        if isinstance(text, str):
            refuse_unwritable("text", text)
    own = OUTPUTS if scoring.threshold_alert is None else (*OUTPUTS, ANSWER)
    _refuse_collisions(scoring.names if list(keep) == ["*"] else keep, own)


def _refuse_collisions(kept: Sequence[str], own: Sequence[str]) -> None:
    # Databases compare names without regard to case.
    taken = [name for name in kept if name.lower() in own or name.lower().startswith("thresher_")]
    if taken:
        raise ValueError(
            f"The query would have two columns {taken[0]!r}, a kept one and its own; name the "
            "columns to keep, without it, with keep=(...)."
        )


def _verify(
    rows: VerifiedRows,
    scoring: Scoring,
    stages: Stages,
    dialect: Dialect,
    booleans: Sequence[str],
) -> None:
    check_engine(dialect.name)
    table = dialect.quote("thresher_rows")
    query = _query(scoring, stages, dialect, table, [dialect.quote(ROW)])
    columns = dict(zip(scoring.names, rows.columns, strict=True)) | rows.costs
    found = run_query(dialect, query, table, columns, booleans)
    _, probability, labels, _, *more = zip(*found, strict=True)
    answers = more[0] if more else None
    rows.compare(f"query for {dialect.name}", probability, labels, answers=answers)
