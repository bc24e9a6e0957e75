"""Planted leaks, IDs and row numbers are found with the right words; honest tables are silent."""

import ast
import json
from dataclasses import replace
from datetime import date, timedelta

import numpy as np
import pandas as pd
import pytest

from tests.table_factory import HOSTILE, Table
from thresher.column import Column
from thresher.evaluation.leakage import MIN_POSITIVES, find_leakage, leakage_of
from thresher.frames import read_columns
from thresher.wording import SPACE

TABLES = {
    "numbers": Table(seed=1, rows=1500, share=0.06, noise=1.0),
    "categories": Table(seed=2, rows=1500, levels=[("a", "b", "c"), (1, 2)], noise=1.5),
    "gaps": Table(seed=3, rows=1200, columns=6, missing=0.2, labels=("ok", "scrap"), noise=1.0),
}


@pytest.fixture(params=TABLES)
def table(request):
    """A table as pandas, its labels, and whether each row is positive."""
    X, y = TABLES[request.param].pandas()
    return X, y, y == TABLES[request.param].labels[1]


def random_of(kind):
    return np.random.default_rng([7, *kind.encode()])


def leak(kind, y):
    """Return the columns of a planted kind."""
    random, n = random_of(kind), len(y)
    amount, coin = random.normal(50.0, 10.0, n).round(1), random.random(n) < 0.5
    flipped = np.where(random.random(n) < 0.01, ~y, y)
    start = random.uniform(0.0, 1000.0, n)
    return {
        "copy": {"leak": y * 1},
        "flipped": {"leak": flipped * 1.0},
        "text": {"leak": np.where(flipped, "closed", "open")},
        "filled": {"leak": np.where(random.random(n) < np.where(y, 0.9, 0.01), amount, np.nan)},
        "missing": {"leak": np.where(y, np.nan, amount)},
        "duration": {"leak": 9.0 * y + random.normal(size=n)},
        "code": {"leak": (y & (random.random(n) < 0.6)) * 3},
        "xor": {"leak": coin, "leak 2": coin ^ y},
        "difference": {"leak": start, "leak 2": start + random.uniform(0, 30, n) + 31.0 * y},
    }[kind]


WORDS = {
    "copy": ("state", "'leak' differs from its usual value 0 in 100 % of rows with "),
    "flipped": ("state", "'leak' differs from its usual value 0 in "),
    "text": ("state", "'leak' differs from its usual value 'open' in "),
    "filled": ("state", "'leak' has a value in "),
    "missing": ("state", "'leak' is missing in 100 % of rows with "),
    "duration": ("alone", "'leak' alone identifies "),
    "code": ("code", "'leak' differs from its usual value 0 in "),
    "xor": ("pair", "'leak' and 'leak 2' together identify "),
    "difference": ("pair", "'leak' and 'leak 2' together identify "),
}


@pytest.mark.parametrize("kind", WORDS)
def test_a_planted_leak_is_named_in_the_right_words(table, kind):
    X, y, is_positive = table
    columns = leak(kind, is_positive)
    found = find_leakage(X.assign(**columns), pd.Series(y, name="scrap"))
    (finding,) = found
    wanted, words = WORDS[kind]
    assert found.is_checked
    assert found.leaks == (finding,)
    assert set(finding.columns) == set(columns)
    # A code that tells far more than all other columns is accused as any other column.
    assert finding.kind == wanted or (kind, finding.kind) == ("code", "state")
    assert finding.sentence.startswith(words)
    target = f"scrap = {y[is_positive][0]}"
    assert target in finding.sentence
    it = "them if they are" if wanted == "pair" else "it if it is"
    assert finding.sentence.endswith(f"; do not use {it} recorded after the event.")
    assert finding.without < 0.9
    if wanted in ("alone", "pair"):
        measured = f"(F1 {finding.f1:.2f}; all other columns together {finding.without:.2f})"
        assert measured in finding.sentence
    if kind in ("copy", "code"):
        assert "in no other;" in finding.sentence


def test_a_code_of_some_positives_is_found_where_other_columns_know_as_much():
    X, y = Table(seed=12, rows=1500, noise=0.5).pandas()
    (finding,) = find_leakage(X.assign(code=(y == 1) & (np.arange(len(y)) % 3 == 0)), y)
    assert (finding.columns, finding.kind) == (("code",), "code")
    assert finding.f1 < finding.without
    assert 0.2 < finding.share < 0.5


def test_two_leaks_are_both_named(table):
    X, y, is_positive = table
    two = leak("flipped", is_positive) | {"leak 2": leak("filled", is_positive)["leak"]}
    found = find_leakage(X.assign(**two), y)
    assert {finding.columns for finding in found} == {("leak",), ("leak 2",)}


@pytest.mark.parametrize("seed", range(4))
def test_an_honest_table_is_silent(table, seed):
    X, y, _ = table
    found = find_leakage(X, y, random_state=seed)
    assert len(found) == 0
    assert found.is_checked
    assert str(found) == "No leakage found."


def test_harmless_columns_are_silent(table):
    X, y, _ = table
    random = np.random.default_rng(5)
    batch = np.array([f"B{number}" for number in random.permutation(len(y)) // 3])
    amount = np.exp(random.normal(10.0, 1.0, len(y))).round()
    assert not len(find_leakage(X.assign(batch=batch, price=amount), y))


# --------------------------------------------------------------------------- IDs and row numbers


def identifiers(n):
    random = np.random.default_rng(11)
    shuffled = random.permutation(n)
    return {
        "unit_no": shuffled,
        "x7": shuffled + 1.0,
        "eight digits": random.choice(9 * 10**7, n, replace=False) + 10**7,
        "text": np.array([f"SN-{number:06d}" for number in shuffled]),
        "patientId": shuffled // 2,
    }


def test_ids_are_left_out_and_the_way_out_is_python(table):
    X, y, _ = table
    new = identifiers(len(y))
    found = find_leakage(X.assign(**new), y)
    assert not found.leaks
    assert [finding.columns[0] for finding in found.left_out] == list(new)
    for finding, (name, values) in zip(found, new.items(), strict=True):
        assert finding.kind == "id"
        example = values[0] if name == "text" else int(values[0])
        assert finding.sentence.startswith(f"'{name}' looks like an ID ({example}); not used.")
        assert finding.sentence.endswith(f" To use it: {finding.way}.")
        meaning = "category" if name == "text" else "number"
        assert ast.literal_eval(finding.way.removeprefix("column=")) == {name: meaning}
        other = replace(finding, way=f"--read column.{name}={meaning}")
        assert other.sentence.endswith(f" To use it: --read column.{name}={meaning}.")


def test_columns_that_a_user_has_declared_are_kept():
    y = Table(rows=300).y
    columns = {"unit_no": Column("unit_no", np.random.default_rng(0).permutation(300) * 1.0, False)}
    assert leakage_of(columns, y == 1).left_out
    assert not leakage_of(columns, y == 1, keep=["unit_no"]).left_out


@pytest.mark.parametrize("direction", [1, -1])
def test_a_column_that_numbers_the_rows_is_left_out(table, direction):
    X, y, is_positive = table
    random = np.random.default_rng(3)
    order = np.argsort(random.random(len(y)) + 0.6 * is_positive)
    X, y, is_positive = X.iloc[order], y[order], is_positive[order]
    seq = direction * np.cumsum(random.random(len(y)))
    found = find_leakage(X.assign(seq=seq), y)
    (finding,) = found.left_out
    assert (finding.kind, finding.columns) == ("order", ("seq",))
    tenths = np.array_split(is_positive[::direction], 10)
    assert finding.first_tenth == tenths[0].mean()
    assert finding.last_tenth == tenths[-1].mean()
    assert finding.sentence.startswith("'seq' numbers the rows in their order; not used. ")
    assert finding.sentence.endswith(" of its last. To evaluate in this order: time='seq'.")
    steady = find_leakage(X.assign(seq=random.permutation(len(y)).cumsum()).sample(frac=1.0), y)
    assert all(not finding.way for finding in steady.left_out if finding.kind == "order")


def test_without_a_trend_nobody_is_asked_to_evaluate_in_this_order(table):
    X, y, _ = table
    (finding,) = find_leakage(X.assign(seq=np.arange(len(y)) * 0.1), y)
    assert finding.sentence.endswith(" of its last.")


@pytest.mark.parametrize(
    "times_of",
    [
        lambda days: np.array(days, dtype="datetime64[D]"),
        lambda days: pd.Series(pd.to_datetime(days), name="t"),
        lambda days: [day.strftime("%d.%m.%Y") for day in days],
        lambda days: [day.toordinal() for day in days],
        lambda days: days,
    ],
    ids=["numpy", "pandas", "German texts", "numbers", "dates"],
)
def test_times_decide_what_the_order_of_the_rows_is(times_of):
    X, y = Table(seed=4, rows=400, noise=1.0).pandas()
    rising = np.arange(400) * 0.5
    days = [date(2023, 1, 30) + timedelta(days=number) for number in range(400)]
    shuffled = np.random.default_rng(0).permutation(400)
    X = X.assign(counter=rising, line=rising[shuffled])
    times = times_of([days[row] for row in shuffled])
    assert [f.columns for f in find_leakage(X, y)] == [("counter",)]
    assert [f.columns for f in find_leakage(X, y, time=times)] == [("line",)]


# ------------------------------------------------------------------------------------ few positives


@pytest.mark.parametrize("positives", [1, MIN_POSITIVES - 1, MIN_POSITIVES])
def test_few_positives_are_not_checked(positives):
    y = np.arange(600) < positives
    X = pd.DataFrame({"leak": y * 1.0, "unit_no": identifiers(600)["unit_no"]})
    found = find_leakage(X, pd.Series(y.astype(int), name="scrap"))
    assert [finding.kind for finding in found.left_out] == ["id"]
    if positives < MIN_POSITIVES:
        assert not found.is_checked
        assert not found.leaks
        note = "Fewer than 10 rows with scrap = 1; columns were not checked for leakage."
        assert found.note == note
        assert note in str(found)
        assert note in found._repr_html_()
    else:
        assert found.is_checked
        assert found.leaks[0].columns == ("leak",)


# --------------------------------------------------------------------------------------- the input


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_found_and_shown_on_one_line(name):
    X, y = Table(seed=8, rows=400, noise=1.0, labels=("ok", name)).pandas()
    X = X.assign(**{name: y == name, f"{name} 2": identifiers(400)["x7"]})
    found = find_leakage(X, pd.Series(y, name=name))
    assert [finding.columns for finding in found] == [(name,), (f"{name} 2",)]
    assert "\n" not in found.leaks[0].sentence
    given_way = found.left_out[0].way.removeprefix("column=")
    assert ast.literal_eval(given_way) == {f"{name} 2": "number"}
    assert (
        "<b>" not in find_leakage(X.rename(columns={name: "<b>"}), y)._repr_html_().split("</p>")[1]
    )
    assert json.loads(json.dumps(found.to_dict()))["findings"][0]["columns"] == [name]


@pytest.mark.parametrize("name", TABLES)
def test_every_kind_of_table_gives_the_same_findings(name):
    table = TABLES[name]
    X, y = table.pandas()
    n_columns = X.shape[1]
    names = [*X.columns[:-1], "leak"]
    code = pd.Series(y == table.labels[1]).map({True: 7.0, False: np.nan})
    X = X.iloc[:, :-1].assign(leak=code, unit_no=identifiers(len(y))["unit_no"])
    wanted = find_leakage(X, y)
    assert [finding.kind for finding in wanted] == ["state", "id"]
    import polars as pl
    import pyarrow as pa

    plain = X.astype(dict.fromkeys(X.columns[X.dtypes == "category"], object))
    arrow = pa.Table.from_pandas(plain, preserve_index=False)
    for other in (plain, arrow, pl.from_arrow(arrow)):
        assert find_leakage(other, y).to_dict() == wanted.to_dict()
    assert find_leakage(pl.from_arrow(arrow), pl.Series("target", y)).to_dict() == wanted.to_dict()
    codes = X.apply(lambda column: column.cat.codes if column.dtype == "category" else column)
    array = find_leakage(codes.to_numpy(dtype=float), y)
    assert [f.columns for f in array] == [(f"x[{n_columns - 1}]",), (f"x[{n_columns}]",)]
    assert names[-1] == wanted.leaks[0].columns[0]


@pytest.mark.parametrize(
    "dtype",
    ["int8", "uint64", "float32", "Int64", "bool", "boolean", "object", "category", "str", "text"],
)
def test_a_copy_of_the_target_is_found_in_any_dtype(dtype):
    X, y = Table(seed=9, rows=500, noise=1.0).pandas()
    copy = pd.Series(y)
    copy = copy.map({0: "no", 1: "yes"}) if dtype == "text" else copy.astype(dtype)
    (finding,) = find_leakage(X.assign(copy=copy), y)
    assert (finding.columns, finding.kind) == (("copy",), "state")
    assert (finding.share, finding.share_of_others) == (1.0, 0.0)


def test_labels_are_any_and_the_rarer_one_is_positive():
    X, y = Table(seed=9, rows=500, noise=1.0).pandas()
    X = X.assign(copy=y)
    for labels in ((0.0, 1.0), (True, False), ("b", "a"), (5, -3)):
        named = pd.Series(np.array(labels)[y], name="result")
        (finding,) = find_leakage(X, named)
        value = int(labels[1]) if isinstance(labels[1], float) else labels[1]
        assert f"of rows with result = {value} " in finding.sentence
        (plain,) = find_leakage(X, named.to_numpy())
        assert f"of rows with target = {value} " in plain.sentence


def test_constant_empty_and_infinite_columns_do_no_harm(table):
    X, y, is_positive = table
    X = X.assign(constant=1.0, empty=np.nan, word="x", infinite=np.inf)
    X["infinite 2"] = np.where(is_positive, np.inf, 1.5)
    (finding,) = find_leakage(X, y)
    assert finding.columns == ("infinite 2",)
    assert "is missing in 100 % of rows" in finding.sentence


@pytest.mark.parametrize("kind", WORDS)
def test_the_order_of_rows_and_columns_does_not_matter_for_leaks(kind):
    X, y = TABLES["numbers"].pandas()
    X = X.assign(**leak(kind, y == 1))
    shuffled = np.random.default_rng(1).permutation(len(y))
    wanted = {frozenset(finding.columns): finding.kind for finding in find_leakage(X, y)}
    found = find_leakage(X.iloc[shuffled, ::-1], y[shuffled])
    assert {frozenset(finding.columns): finding.kind for finding in found} == wanted


# -------------------------------------------------------------------------------------- the result


def everything():
    X, y = TABLES["categories"].pandas()
    X = X.assign(**leak("flipped", y == 1), **identifiers(len(y)), seq=np.arange(len(y)))
    return X, y


def test_findings_are_the_same_every_time_and_with_any_number_of_threads():
    X, y = everything()
    columns, names = read_columns(X)
    by_name = dict(zip(names, columns, strict=True))
    wanted = find_leakage(X, y, random_state=3)
    assert find_leakage(X, y, random_state=3) == wanted
    for n_threads in (1, 2, 5):
        assert leakage_of(by_name, y == 1, seed=3, n_threads=n_threads) == wanted


def test_a_finding_is_data():
    X, y = everything()
    found = find_leakage(X, y)
    data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert [each["sentence"] for each in data["findings"]] == [each.sentence for each in found]
    assert [tuple(each["columns"]) for each in data["findings"]] == [f.columns for f in found]
    for kind in ("pandas", "polars", "pyarrow"):
        frame = found.to_frame(kind)
        assert len(frame) == len(found)
    assert found.to_frame()["sentence"].tolist() == [finding.sentence for finding in found]
    assert found._repr_html_().count("<tr>") == len(found) + 1
    assert repr(found) == "<Leakage: 1 leak, 6 left out>"
    assert len(find_leakage(X.iloc[:, :3], y).to_frame()) == 0
    assert SPACE in found.leaks[0].fact
    assert SPACE not in str(found)
