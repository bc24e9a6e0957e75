import gzip

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from thresher.datasets.catalog import Table, read_table, write_table

FLOATS = st.floats(allow_infinity=False, width=64)
NAMES = st.text(
    st.characters(exclude_categories=["C", "Z"]) | st.just("\r"), min_size=1, max_size=8
)


@st.composite
def tables(draw):
    X = draw(arrays(np.float64, array_shapes(min_dims=2, max_dims=2, max_side=6), elements=FLOATS))
    y = draw(arrays(np.int64, len(X), elements=st.integers(0, 1)))
    columns = draw(st.lists(NAMES, min_size=X.shape[1], max_size=X.shape[1], unique=True))
    return Table(tuple(columns), X, y)


@given(tables())
def test_a_table_survives_its_file_bit_for_bit(table):
    back = read_table(write_table(table))
    missing = np.isnan(table.X)
    assert back.columns == table.columns
    assert (back.X.dtype, back.y.dtype) == (np.float64, np.int64)
    assert (np.isnan(back.X) == missing).all()
    assert back.X[~missing].tobytes() == table.X[~missing].tobytes()
    assert back.y.tobytes() == table.y.tobytes()
    assert back.sha256 == table.sha256


@given(tables(), st.data())
def test_hash_tells_every_change(table, data):
    row, column = (data.draw(st.integers(0, size - 1)) for size in table.X.shape)
    X, y = table.X.copy(), table.y.copy()
    X[row, column] = 0.5 if table.X[row, column] != 0.5 else np.nan
    y[row] = 1 - y[row]
    renamed = (table.columns[0] + "!", *table.columns[1:])
    changed = [
        Table(table.columns, X, table.y),
        Table(table.columns, table.X, y),
        Table(renamed, table.X, table.y),
    ]
    assert table.sha256 not in {other.sha256 for other in changed}


def test_hash_does_not_depend_on_layout_and_sign_of_zero():
    X, y = np.array([[0.0, 1.0], [2.0, 3.0]]), np.array([0, 1])
    table = Table(("a", "b"), X, y)
    assert Table(("a", "b"), np.asfortranarray(X), y).sha256 == table.sha256
    assert Table(("a", "b"), np.where(X == 0, -0.0, X), y).sha256 == table.sha256


def test_lines_may_end_as_on_windows():
    table = read_table(gzip.compress(b"a,b,target\r\n1,,0\r\n,2.5,1\r\n"))
    np.testing.assert_array_equal(table.X, [[1, np.nan], [np.nan, 2.5]])
    np.testing.assert_array_equal(table.y, [0, 1])


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"a,target\n1,0\n", "not gzipped text"),
        (gzip.compress(b"a,target\n1,0\n", mtime=0)[:-9], "not gzipped text"),
        (gzip.compress(b"\xff\xfe", mtime=0), "not gzipped text"),
        (gzip.compress(b"", mtime=0), "last column is target"),
        (gzip.compress(b"a,label\n1,0\n", mtime=0), "last column is target"),
        (gzip.compress(b"a,target\n", mtime=0), "last column is target"),
        (gzip.compress(b"a,target\n1,x\n", mtime=0), "2 numbers in each row"),
        (gzip.compress(b"a,target\n1,0\n1,2,0\n", mtime=0), "2 numbers in each row"),
        (gzip.compress(b"a,target\n1,2\n", mtime=0), "the last of them 0 or 1"),
        (gzip.compress(b"a,target\n1,\n", mtime=0), "the last of them 0 or 1"),
    ],
)
def test_something_else_is_refused(content, sentence):
    with pytest.raises(ValueError, match=sentence):
        read_table(content)
