"""The table of conditions: what unseen rows say of each, and the same facts in every form."""

import csv
import io
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

import thresher
from tests.condition.random_trees import random_table, random_tree
from thresher.condition.clause import Interval
from thresher.condition.condition import Condition
from thresher.condition.evidence import Tally
from thresher.condition.table import (
    CHANCE,
    CONFIRMED,
    NOT_MET,
    NOT_TESTED,
    ConditionTable,
)

TRAINING_ONLY = {"cv": None, "n_permutations": 0, "n_bootstrap": 0}


def hand_made(p_value, held=None, names=None):
    size = len(p_value)
    names = names or [f"x{place}" for place in range(size)]
    ten, unknown = np.full(size, 10), np.full(size, np.nan)
    clauses = [(Interval(name, low=0.0),) for name in names]
    return ConditionTable(
        conditions=tuple(Condition(one, (place,)) for place, one in enumerate(clauses)),
        texts=tuple(f"{name} > 0" for name in names),
        training=Tally(ten, ten // 2, 100, 10),
        held=held,
        p_value=np.array(p_value, dtype=float),
        stability=unknown,
        money=unknown,
        stages=(None,) * size,
        evidence=None if held is None else "hold-out",
        pos_label=1,
    )


COUNTS = st.integers(0, 30).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n)))
P_VALUES = st.sampled_from([0.0, 0.01, 0.0499, 0.05, 0.0501, 1.0, np.nan]) | st.floats(0, 1)


@given(
    rows=st.lists(st.tuples(COUNTS, P_VALUES), min_size=1, max_size=6), all_hits=st.integers(1, 999)
)
def test_a_condition_is_confirmed_by_its_p_value_and_its_unseen_rate(rows, all_hits):
    counts = np.array([pair for pair, _ in rows])
    table = hand_made([p for _, p in rows], Tally(*counts.T, 1000, all_hits))
    for state, ((n, hits), p) in zip(table.states, rows, strict=True):
        if np.isnan(p):
            assert state == NOT_TESTED
        elif n == 0:
            assert state == NOT_MET
        else:
            low, _ = proportion_confint(hits, n, method="wilson")
            assert state == (CONFIRMED if p < 0.05 and low > all_hits / 1000 else CHANCE)
    assert table.is_confirmed.tolist() == [state == CONFIRMED for state in table.states]
    assert table.columns()["state"] == list(table.states)


@given(st.lists(P_VALUES, max_size=6))
def test_without_unseen_rows_nothing_is_confirmed(p_values):
    table = hand_made(p_values)
    expected = [CHANCE if p >= 0.05 else NOT_TESTED for p in p_values]
    assert list(table.states) == expected
    assert not table.is_confirmed.any()


def test_shares_say_where_they_are_counted():
    held = Tally(np.array([4]), np.array([4]), 100, 10)
    unseen = hand_made([0.07], held)
    assert "on hold-out rows 10.0 times the average, 40.0 % of all rare cases" in unseen.to_text()
    for table in (hand_made([0.07]), replace(unseen, evidence="out of fold")):
        assert "in training 5.0 times the average, 50.0 % of all rare cases" in table.to_text()


def test_the_least_p_of_permutations_is_shown_as_a_bound():
    table = replace(hand_made([0.05, 0.1, 0.0001]), permutations=19)
    assert "; p <= 0.05;" in table.lines(0)
    assert "; p = 0.100;" in table.lines(1)
    assert "; p = 0.050;" in replace(table, permutations=0).lines(0)
    assert table.columns()["p_value"] == [0.05, 0.1, 0.0001]
    matrix = np.ones((20, 3))
    tested = table.tested_on(matrix, ["x0", "x1", "x2"], np.arange(20) < 2)
    assert "<=" not in tested.to_text()


@pytest.fixture(scope="module")
def grown():
    return random_tree(3, max_leaf_nodes=12)


@pytest.fixture(scope="module")
def trained(grown):
    """Conditions with training counts only, of a table with hostile names and missing values."""
    model, table, y = grown
    return thresher.find_conditions(model, table, y, output="table", **TRAINING_ONLY)


def assert_same(one, other):
    pd.testing.assert_frame_equal(one.to_frame(), other.to_frame())


def test_a_test_afterwards_says_what_a_test_at_once_says(grown, trained):
    model, table, y = grown
    other, y_other = random_table(4)
    at_once = thresher.find_conditions(
        model, table, y, X_test=other, y_test=y_other, output="table", **TRAINING_ONLY
    )
    matrix = model.columns_.matrix(other, "test")
    names = model.columns_.names
    afterwards = trained.tested_on(matrix, names, y_other == 1)
    assert_same(afterwards, at_once)
    assert afterwards.evidence == "hold-out"
    assert CONFIRMED in afterwards.states
    assert trained.held is None


def test_money_afterwards_is_money_at_once(grown, trained):
    model, table, y = grown
    costs = {"cost_fp": 5.0, "cost_fn": 80.0}
    at_once = thresher.find_conditions(model, table, y, output="table", **costs, **TRAINING_ONLY)
    assert_same(trained.with_costs(**costs), at_once)
    rate = trained.training.rate
    expected = trained.training.n * (80.0 * rate - 5.0 * (1.0 - rate))
    np.testing.assert_allclose(at_once.money, expected)


def test_money_goes_by_the_unseen_rate_where_rows_met_the_condition():
    held = Tally(np.array([20, 0]), np.array([5, 0]), 1000, 50)
    money = hand_made([0.01, 0.01], held).with_costs(4.0, 80.0).money
    np.testing.assert_allclose(money, [10 * (0.25 * 80 - 0.75 * 4), 10 * (0.5 * 80 - 0.5 * 4)])


def test_csv_holds_every_column_with_all_digits(grown, trained):
    model, table, y = grown
    tested = trained.tested_on(model.columns_.matrix(table, "test"), model.columns_.names, y == 1)
    for one in (trained, tested):
        header, *rows = csv.reader(io.StringIO(one.to_csv()))
        assert header == list(one.columns())
        for values, cells in zip(one.columns().values(), zip(*rows, strict=True), strict=True):
            for value, cell in zip(values, cells, strict=True):
                is_number = isinstance(value, float)
                assert (float(cell) if is_number else cell) == (
                    value if is_number else "" if value is None else str(value)
                )
    assert any('"quoted"' in text for text in trained.texts)


def test_a_level_with_a_carriage_return_stays_in_its_cell_of_csv():
    line = pd.DataFrame({"line": ["a\rb"] * 20 + ["c"] * 80})
    y = np.repeat([1, 0], [20, 80])
    model = thresher.ImbalancedTreeClassifier(categorical_features="from_dtype").fit(line, y)
    table = thresher.find_conditions(model, line, y, output="table", **TRAINING_ONLY)
    (row,) = csv.DictReader(io.StringIO(table.to_csv(), newline=""))
    assert row["text"] == table.texts[0]
    assert "a\rb" in row["text"]


def test_text_is_the_lines_of_each_condition(trained):
    held = trained.training._replace(
        n=np.where(np.arange(len(trained)) == 1, 0, trained.training.n)
    )
    table = replace(trained, held=held, evidence="hold-out", target="fraud", pos_label="yes")
    text = table.to_text()
    lines = [table.lines(place) for place in range(len(table))]
    assert text == "\n".join(lines) + "\n"
    for place, (words, condition) in enumerate(zip(lines, table.texts, strict=True)):
        assert words.startswith(f"{place + 1}. {condition}\n")
        assert ("no rows met it, so it cannot be judged" in words) == (place == 1)
        assert table.states[place] in words
        assert "of all fraud" in words
        assert not {"parts", "scrap"} & set(words.split())


def test_notebooks_show_names_as_text():
    page = hand_made([0.01], names=["<script>hit()</script> & more"])._repr_html_()
    assert "<script>" not in page
    assert "&lt;script&gt;hit()&lt;/script&gt; &amp; more &gt; 0" in page
    assert page.count("<tr") == 2


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_half_a_character_in_a_name_is_shown_as_its_escape(kind):
    frame = hand_made([np.nan], names=["spe\ud800ed"]).to_frame(kind)
    for column, text in (("text", r"spe\ud800ed > 0"), ("sql", r'"spe\ud800ed" > 0.0E0')):
        assert text in str(next(iter(frame[column])))


def test_a_rate_of_few_unseen_positives_is_not_to_be_trusted():
    held = Tally(np.array([30, 30]), np.array([9, 10]), 1000, 20)
    table = replace(hand_made([0.01, 0.01], held), stability=np.zeros(2))
    few, enough = (table.lines(place) for place in (0, 1))
    assert "trust its rate" not in few
    assert "it rests on 9 unseen rare cases, look for more before you act" in few
    assert "trust its rate, not its exact limits" in enough
