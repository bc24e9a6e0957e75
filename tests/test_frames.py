"""Tables of any library become the same matrix, and columns find their place by name."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from thresher import ImbalancedTreeClassifier
from thresher.column import OTHER_LEVELS, Column, Texts, encode, levels_of
from thresher.frames import read_vector
from thresher.matrix import Columns, category_mask, is_plain, read_matrix

DATA = {
    "speed": [1.5, None, 3.0, 4.5],
    "count": [1, 2, None, 4],
    "broken": [True, False, None, True],
    "line": ["north", "east", None, "west"],
}
MATRIX = [[1.5, 1, 1, 1], [np.nan, 2, 0, 0], [3.0, np.nan, np.nan, np.nan], [4.5, 4, 1, 2]]
LEVELS = (None, None, None, ("east", "north", "west"))

FRAMES = {
    "pandas": lambda data: pd.DataFrame(data).convert_dtypes(),
    "pandas objects": lambda data: pd.DataFrame(data, dtype=object),
    "pandas plain": pd.DataFrame,
    "polars": pl.DataFrame,
    "pyarrow": pa.table,
}
each_frame = pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)


@each_frame
def test_every_library_gives_the_same_matrix(frame):
    matrix, columns = read_matrix(frame(DATA))
    np.testing.assert_array_equal(matrix, MATRIX)
    assert matrix.dtype == np.float64
    assert columns == Columns(tuple(DATA), LEVELS)
    assert columns.is_category.tolist() == [0, 0, 0, 1]


@each_frame
def test_columns_are_matched_by_name(frame):
    _, columns = read_matrix(frame(DATA))
    shuffled = {name: DATA[name] for name in ("line", "broken", "speed", "count")}
    np.testing.assert_array_equal(columns.matrix(frame(shuffled), "Tree"), MATRIX)


def test_tables_of_another_library_are_understood():
    _, columns = read_matrix(pl.DataFrame(DATA))
    np.testing.assert_array_equal(columns.matrix(pd.DataFrame(DATA), "Tree"), MATRIX)


@each_frame
def test_extra_columns_are_ignored_with_a_word(frame):
    _, columns = read_matrix(frame(DATA))
    with pytest.warns(UserWarning, match="unknown to the model are ignored: 'shift'"):
        matrix = columns.matrix(frame({"shift": [1, 2, 3, 4], **DATA}), "Tree")
    np.testing.assert_array_equal(matrix, MATRIX)


def test_the_warning_points_at_the_caller():
    table = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0], "b": 0.0})
    model = ImbalancedTreeClassifier().fit(table[["a"]], [0, 0, 1, 1])
    for method in (model.predict, model.predict_proba, model.apply, model.decision_path):
        with pytest.warns(UserWarning, match="are ignored: 'b'") as caught:
            method(table)
        assert caught[0].filename == __file__


def test_missing_columns_are_named():
    _, columns = read_matrix(pl.DataFrame(DATA))
    with pytest.raises(ValueError, match=r"passed during fit: 'speed', 'line' not found\.$"):
        columns.matrix(pl.DataFrame(DATA).drop("speed", "line"), "Tree")


def test_number_levels_meet_other_numbers():
    column = Column("0", np.array([2.0, 5.0, 9.0, np.nan, -1.0, 3.0]), True)
    np.testing.assert_array_equal(
        encode(column, (2.0, 5.0)), [0, 1, np.nan, np.nan, np.nan, np.nan]
    )


def test_a_column_that_changed_its_kind_is_refused():
    _, texts = read_matrix(pl.DataFrame({"a": ["x", "y"]}))
    with pytest.raises(ValueError, match="Column 'a' held text during fit and holds numbers now"):
        texts.matrix(pl.DataFrame({"a": [1, 2]}), "Tree")
    _, numbers = read_matrix(pl.DataFrame({"a": [1, 2]}))
    with pytest.raises(ValueError, match="Column 'a' held numbers during fit and holds text now"):
        numbers.matrix(pl.DataFrame({"a": ["1", "2"]}), "Tree")
    _, codes = read_matrix(pl.DataFrame({"a": [1, 2]}), ["a"])
    with pytest.raises(ValueError, match="Column 'a' held numbers during fit and holds text now"):
        codes.matrix(pl.DataFrame({"a": ["1", "2"]}), "Tree")


@pytest.mark.parametrize("empty", [pl.Series([None, None], dtype=pl.String), pl.Series([None] * 2)])
def test_a_column_without_values_is_all_missing(empty):
    for given in (["x", "y"], [1, 2]):
        _, columns = read_matrix(pl.DataFrame({"a": given}))
        assert np.isnan(columns.matrix(pl.DataFrame({"a": empty}), "Tree")).all()


def test_float32_stays_where_every_column_is():
    table = pl.DataFrame({"a": [1.5, 2.5], "b": [1.0, 2.0]})
    assert read_matrix(table.cast(pl.Float32))[0].dtype == np.float32
    assert read_matrix(table.cast({"a": pl.Float32}))[0].dtype == np.float64
    assert read_matrix(table.cast(pl.Float32).to_numpy())[0].dtype == np.float32


def test_a_plain_matrix_is_taken_as_it_is():
    X = np.arange(6.0).reshape(3, 2)
    for array in (X, np.asfortranarray(X), X[::-1], X.astype(np.float32)):
        assert is_plain(array)
        assert read_matrix(array)[0] is array
        assert read_matrix(array)[1].matrix(array, "Tree") is array


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6).reshape(3, 2),
        np.arange(6.0).reshape(3, 2).astype(">f8"),
        np.arange(6.0).reshape(3, 2).astype(object),
        np.arange(6.0).reshape(3, 2).astype(np.float16),
        np.frombuffer(b"\0" + np.arange(6.0).tobytes(), np.float64, offset=1).reshape(3, 2),
        [[0, 1], [2, 3], [4, 5]],
    ],
    ids=["integers", "big endian", "objects", "float16", "unaligned", "lists"],
)
def test_other_arrays_are_converted(array):
    matrix, columns = read_matrix(array)
    assert is_plain(matrix)
    assert matrix.tolist() == [[0, 1], [2, 3], [4, 5]]
    assert columns.names is None


@pytest.mark.parametrize(
    "chosen", [[1], [-1], np.array([1]), [False, True], np.array([False, True]), ["b"]]
)
def test_category_columns_by_index_mask_or_name(chosen):
    values = [[0.5, 7.0], [1.5, 3.0], [2.5, np.nan]]
    named = isinstance(chosen[0], str)
    table = pd.DataFrame(values, columns=["a", "b"]) if named else np.array(values)
    matrix, columns = read_matrix(table, chosen)
    assert columns.levels == (None, (3.0, 7.0))
    np.testing.assert_array_equal(matrix, [[0.5, 1.0], [1.5, 0.0], [2.5, np.nan]])


def test_text_in_an_object_array_needs_a_word():
    table = np.array([[1.0, "x"], [2.0, None]], dtype=object)
    matrix, columns = read_matrix(table, [1])
    assert columns.levels == (None, ("x",))
    np.testing.assert_array_equal(matrix, [[1.0, 0.0], [2.0, np.nan]])
    with pytest.raises(ValueError, match="Column 1 holds text, such as 'x'; name it in"):
        read_matrix(table)


def test_text_is_refused_where_categories_are_switched_off():
    with pytest.raises(ValueError, match="Column 'line' holds text, such as 'north'"):
        read_matrix(pl.DataFrame(DATA), None)


def test_names_that_are_not_text_are_positions():
    table = pd.DataFrame({0: [1.0, 2.0], 1: pd.Categorical(["b", "a"])})
    matrix, columns = read_matrix(table)
    assert columns.names is None
    assert matrix.tolist() == [[1.0, 1.0], [2.0, 0.0]]


def test_positions_where_one_side_has_no_names():
    frame, array = pd.DataFrame({"a": [1.0, 2.0]}), np.array([[1.0], [2.0]])
    with pytest.warns(UserWarning, match="X does not have valid feature names, but Tree"):
        assert read_matrix(frame)[1].matrix(array, "Tree").tolist() == [[1.0], [2.0]]
    with pytest.warns(UserWarning, match="X has feature names, but Tree was fitted without"):
        assert read_matrix(array)[1].matrix(frame, "Tree").tolist() == [[1.0], [2.0]]


def test_missing_numbers_of_a_series_become_nan():
    np.testing.assert_array_equal(read_vector(pl.Series([1, None]), "y"), [1.0, np.nan])


def test_levels_at_the_limit():
    texts = tuple(f"{number:03}" for number in range(256))
    assert levels_of(Column("'c'", Texts.of(texts[:255]), True)) == texts[:255]
    # Without labels those with most rows are named, then the first ones.
    assert levels_of(Column("'c'", Texts.of(texts), True)) == (*texts[:254], OTHER_LEVELS)
    numbers = Column("3", np.append(np.arange(300.0), [7.0, 280.0, np.nan]), True)
    assert levels_of(numbers) == (*range(253), 280.0, OTHER_LEVELS)
    with pytest.raises(ValueError, match="Category column 3 has the level 9007199254740992"):
        levels_of(Column("3", np.append(np.arange(300.0), 2.0**53), True))


def masked(kind):
    return np.ma.array(np.array([[1, 2], [3, 4]]).astype(kind), mask=[[0, 1], [0, 0]])


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.int64, np.uint8, object])
def test_masked_values_are_missing(kind):
    matrix, columns = read_matrix(masked(kind))
    np.testing.assert_array_equal(matrix, [[1, np.nan], [3, 4]])
    assert matrix.dtype == (np.float32 if kind is np.float32 else np.float64)
    np.testing.assert_array_equal(columns.matrix(masked(kind), "Tree"), matrix)


def test_masked_texts_are_missing():
    texts = np.ma.array([["a"], ["b"]], mask=[[0], [1]])
    assert read_matrix(texts, [0])[1].levels == (("a",),)


@pytest.mark.parametrize("values", [[2**60, 1], [2**63 + 5, 1], [2**53 + 1, None]])
@pytest.mark.parametrize(
    "frame",
    [
        lambda values: pd.DataFrame({"a": pd.array(values, dtype="UInt64")}),
        lambda values: pl.DataFrame({"a": pl.Series(values, dtype=pl.UInt64)}),
        lambda values: pa.table({"a": pa.array(values, pa.uint64())}),
    ],
    ids=["pandas", "polars", "pyarrow"],
)
def test_integers_that_floats_round_are_rounded(frame, values):
    matrix, _ = read_matrix(frame(values))
    expected = [np.nan if value is None else float(value) for value in values]
    np.testing.assert_array_equal(matrix[:, 0], expected)


BIG = np.array([2**60, 2**60 + 1])


@pytest.mark.parametrize(
    ("table", "chosen"),
    [
        (BIG[:, None], [0]),
        (BIG.astype(np.uint64)[:, None], [0]),
        (-BIG.astype(object)[:, None], [0]),
        (np.array([[2**53 + 1], [0]]), [0]),
        (pd.DataFrame({"a": pd.Categorical(BIG)}), "from_dtype"),
        (pd.DataFrame({"a": BIG}), ["a"]),
        (pl.DataFrame({"a": BIG}), ["a"]),
        (pa.table({"a": pa.array(BIG).dictionary_encode()}), "from_dtype"),
    ],
)
def test_levels_that_floats_do_not_tell_apart_are_refused(table, chosen):
    with pytest.raises(ValueError, match=r"Category column .* has the level .* not told apart"):
        read_matrix(table, chosen)


def test_levels_that_floats_just_tell_apart_are_kept():
    matrix, columns = read_matrix(np.array([[2**53 - 1], [2**53 - 2]]), [0])
    assert columns.levels == ((2.0**53 - 2, 2.0**53 - 1),)
    assert matrix.tolist() == [[1.0], [0.0]]


@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame([[1.0, 2.0, 3.0]], columns=["a", "b", "a"]),
        pa.table([[1.0], [2.0], [3.0]], names=["a", "b", "a"]),
    ],
    ids=["pandas", "pyarrow"],
)
def test_a_name_that_two_columns_have_is_told(table):
    _, columns = read_matrix(pd.DataFrame({"a": [1.0], "b": [2.0]}))
    for read in (read_matrix, lambda table: columns.matrix(table, "Tree"), category_mask):
        with pytest.raises(ValueError, match=r"^X has two columns 'a'; rename one of them.$"):
            read(table)
