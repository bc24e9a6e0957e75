"""What cannot be fitted is refused in one sentence that names the way out."""

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

from tests.scale.dask_cluster import collection
from tests.scale.tables import TARGET, WEIGHT, random_table
from thresher.scale import DaskTreeClassifier


@pytest.fixture
def table():
    return random_table(seed=0, n_rows=300)


@pytest.fixture
def frame(table):
    return collection(table.parts(3, seed=0))


def refused(kind, message, X, y=TARGET, sample_weight=None, **parameters):
    with pytest.raises(kind, match=message) as caught:
        DaskTreeClassifier(**parameters).fit(X, y, sample_weight)
    assert "\n" not in str(caught.value)


def test_tables_in_memory(table):
    refused(TypeError, "ImbalancedTreeClassifier takes tables in memory", table.frame)
    refused(TypeError, "a dask array of two dimensions", da.ones(3))


def test_unknown_column(frame):
    refused(TypeError, "y must be .* the name of a column of X, got 'stat'", frame, "stat")
    refused(TypeError, "sample_weight must be", frame, TARGET, "weight")
    refused(TypeError, "y must be", da.ones((3, 2)), TARGET)


def test_target_in_memory(table, frame):
    refused(TypeError, "y must be", frame, table.frame[TARGET].to_numpy())
    refused(TypeError, "y must be", frame, frame[[TARGET]])
    refused(TypeError, "y must be", frame, None)


def test_other_number_of_partitions(table, frame):
    y = collection(table.parts(4, seed=0))[TARGET]
    refused(ValueError, r"y and X have different partitions \(4 partitions against 3", frame, y)
    refused(
        ValueError,
        "sample_weight and X have different",
        frame,
        TARGET,
        frame.repartition(npartitions=2)[WEIGHT],
    )


def test_other_lengths_of_partitions(table, frame):
    y = collection(table.parts(3, seed=1))[TARGET]
    refused(ValueError, r"y and X have different partitions \(\d+ rows against \d+ rows", frame, y)


def test_other_divisions():
    X = pd.DataFrame({"a": np.arange(6.0)})
    y = pd.Series([0, 0, 1, 0, 1, 1], index=np.arange(10, 16))
    both = dd.from_pandas(X, npartitions=2), dd.from_pandas(y, npartitions=2)
    refused(ValueError, "y and X have different partitions", *both)


def test_no_rows_and_no_columns(frame):
    refused(ValueError, "no rows", frame[frame["whole"] < 0])
    refused(ValueError, "no columns to learn from", frame[[TARGET]])


def test_one_class(frame):
    refused(ValueError, "one class", frame[frame[TARGET] == "good"])


def test_infinity(frame):
    refused(ValueError, "infinity: column 'whole'", frame.assign(whole=frame["whole"] * np.inf))


def test_missing_labels(frame):
    refused(ValueError, "missing", frame.assign(state=frame[TARGET].mask(frame["whole"] > 500)))


def test_text_that_is_no_category(frame):
    refused(ValueError, "text", frame, categorical_features=None)


def test_parameters(frame):
    refused(ValueError, "memory must be at least 1", frame, memory=0)
    refused(ValueError, "pruning_fraction needs all rows", frame, pruning_fraction=0.3)
    refused(ValueError, "max_bins", frame, max_bins=None)
    refused(ValueError, "max_bins", frame, max_bins=256)
