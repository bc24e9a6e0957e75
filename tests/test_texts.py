"""Texts in any data frame become the codes that a plain loop over Python objects gives."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thresher.column import Texts, read_objects
from thresher.frames import read_vector
from thresher.matrix import read_matrix

SPARE = [f"spare {number}" for number in range(400)]
"""Levels that a table knows and no row has; more of them than a model can take."""

TEXTS = st.text("ab é\U0001f600\0'1", max_size=3)
COLUMNS = st.lists(st.none() | TEXTS, min_size=1, max_size=30).filter(any)


def chunked_dictionaries(values):
    """Two chunks, each with a dictionary of its own, in different orders."""
    half = len(values) // 2
    parts = [sorted({text for text in part if text is not None}) for part in split(values, half)]
    chunks = [
        pa.DictionaryArray.from_arrays(
            pa.array([None if text is None else known.index(text) for text in part], pa.int32()),
            pa.array(known, pa.string()),
        )
        for part, known in zip(
            split(values, half), (parts[0] + SPARE, SPARE + parts[1][::-1]), strict=True
        )
    ]
    return pa.table({"c": pa.chunked_array(chunks)})


def split(values, half):
    return values[:half], values[half:]


def known_levels(values):
    return sorted({text for text in values if text is not None}, reverse=True) + SPARE


def as_bytes(values, kind):
    return pa.array([None if text is None else text.encode() for text in values], kind)


KINDS = {
    "pandas objects": lambda values: pd.DataFrame({"c": pd.Series(values, dtype=object)}),
    "pandas str": lambda values: pd.DataFrame({"c": pd.Series(values, dtype="str")}),
    "pandas string": lambda values: pd.DataFrame({"c": pd.Series(values, dtype="string")}),
    "pandas category": lambda values: pd.DataFrame(
        {"c": pd.Categorical(values, categories=known_levels(values))}
    ),
    "polars": lambda values: pl.DataFrame({"c": pl.Series(values, dtype=pl.String)}),
    "polars categorical": lambda values: pl.DataFrame(
        {"c": pl.Series(values, dtype=pl.Categorical)}
    ),
    "polars enum": lambda values: pl.DataFrame(
        {"c": pl.Series(values, dtype=pl.Enum(known_levels(values)))}
    ),
    "pyarrow": lambda values: pa.table({"c": pa.array(values, pa.string())}),
    "pyarrow large": lambda values: pa.table({"c": pa.array(values, pa.large_string())}),
    "pyarrow chunks": lambda values: pa.table(
        {"c": pa.chunked_array(split(values, len(values) // 2), pa.string())}
    ),
    "pyarrow dictionary": lambda values: pa.table(
        {"c": pa.array(values, pa.string()).dictionary_encode()}
    ),
    "pyarrow dictionaries": chunked_dictionaries,
    "pyarrow views": lambda values: pa.table({"c": pa.array(values, pa.string_view())}),
    "pyarrow dictionary of views": lambda values: pa.table(
        {"c": pa.array(values, pa.string_view()).dictionary_encode()}
    ),
    "pyarrow bytes": lambda values: pa.table({"c": as_bytes(values, pa.binary())}),
    "pyarrow large bytes": lambda values: pa.table({"c": as_bytes(values, pa.large_binary())}),
    "pyarrow views of bytes": lambda values: pa.table({"c": as_bytes(values, pa.binary_view())}),
    "pandas bytes": lambda values: as_bytes(values, pa.binary()).to_pandas().to_frame("c"),
}
each_kind = pytest.mark.parametrize("frame", KINDS.values(), ids=KINDS)


def plainly_encoded(values, levels):
    return [float(levels.index(value)) if value in levels else np.nan for value in values]


@each_kind
@settings(max_examples=40, deadline=None)
@given(COLUMNS, COLUMNS)
def test_every_kind_of_column_has_the_levels_and_codes_of_a_plain_loop(frame, values, later):
    matrix, columns = read_matrix(frame(values))
    levels = tuple(sorted({text for text in values if text is not None}))
    assert columns.levels == (levels,)
    np.testing.assert_array_equal(matrix[:, 0], plainly_encoded(values, levels))
    # Levels that the model has not seen are missing.
    np.testing.assert_array_equal(
        columns.matrix(frame(later), "Tree")[:, 0], plainly_encoded(later, levels)
    )


@each_kind
def test_a_column_of_nothing_is_all_missing(frame):
    _, columns = read_matrix(frame(["a", "b"]))
    assert np.isnan(columns.matrix(frame([None, None]), "Tree")).all()


@pytest.mark.parametrize(
    "frame",
    [
        lambda values: pd.DataFrame({"c": pd.Categorical(values)}),
        lambda values: pa.table({"c": pa.array(values).dictionary_encode()}),
        lambda values: pa.table(
            {
                "c": pa.chunked_array(
                    [pa.array(part).dictionary_encode() for part in (values, values[::-1])]
                )
            }
        ),
    ],
    ids=["pandas", "pyarrow", "pyarrow chunks"],
)
@pytest.mark.parametrize("values", [[30, 4, None, 30], [True, None, False]])
def test_levels_that_are_no_texts_stay_numbers(frame, values):
    table = frame(values)
    rows = table["c"].to_list() if isinstance(table, pd.DataFrame) else table["c"].to_pylist()
    numbers = [np.nan if value is None or value != value else float(value) for value in rows]
    matrix, columns = read_matrix(table)
    levels = tuple(sorted({number for number in numbers if number == number}))
    assert columns.levels == (levels,)
    np.testing.assert_array_equal(matrix[:, 0], plainly_encoded(numbers, levels))


@pytest.mark.parametrize("late", [7, 2.5, False, b"x"])
def test_a_mixture_is_refused_wherever_it_stands(late):
    values = ["a"] * 200 + [late]
    for column in (pd.Series(values, dtype=object), pd.Categorical(values)):
        with pytest.raises(ValueError, match="Column 'c' mixes text with other values, such as"):
            read_matrix(pd.DataFrame({"c": column}))


def test_objects_that_are_neither_are_refused():
    with pytest.raises(TypeError, match="Column 'c' holds neither numbers nor text"):
        read_objects([[1], "a"], "'c'")
    with pytest.raises(TypeError, match="Column 'c' holds neither numbers nor text"):
        read_objects([object()], "'c'")


def test_bytes_that_are_no_text_are_refused():
    with pytest.raises(ValueError, match="Column 'c' holds bytes that are no text in UTF-8"):
        read_objects([b"a", b"\xff"], "'c'")


def test_numbers_too_large_for_a_float_are_infinite():
    assert read_objects([10**400, -(10**400)], "c").tolist() == [np.inf, -np.inf]
    with pytest.raises(ValueError, match="such as a number of 5,001 digits; make it one"):
        read_objects([10**5000, "a"], "c")


def test_missing_values_of_every_library_are_missing():
    values = ["b", None, np.nan, float("nan"), pd.NA, pd.NaT, "a"]
    assert read_objects(values, "c").codes.tolist() == [1, -1, -1, -1, -1, -1, 0]
    numbers = [*values[1:-1], np.ma.masked, True]
    np.testing.assert_array_equal(read_objects(numbers, "c"), [*[np.nan] * 6, 1.0])


@pytest.mark.parametrize("kind", [kind for kind in KINDS if "bytes" not in kind])
def test_a_vector_of_categories_is_its_values(kind):
    values = ["b", "a", "b"]
    table = KINDS[kind](values)
    assert read_vector(table["c"], "y").tolist() == values


@given(st.lists(st.none() | TEXTS), st.lists(TEXTS, unique=True))
def test_texts_are_their_codes_and_levels(values, levels):
    texts = Texts.of(values)
    assert texts.values() == values
    assert list(texts.levels) == sorted(set(values) - {None})
    np.testing.assert_array_equal(texts.numbered(levels), plainly_encoded(values, levels))
    spare = Texts(texts.codes, (*texts.levels, "never"))
    assert spare.used().levels == texts.levels
