import dataclasses
import gzip

import numpy as np
import pytest

from tests.requirements import data_file
from thresher.datasets import list_datasets, load, load_dataset


@pytest.mark.parametrize("name", list_datasets())
def test_table_has_the_shape_the_catalogue_states(name):
    X, y = load_dataset(name)
    entry = load.catalog()[name]
    assert X.shape == (entry.rows, entry.features)
    assert X.dtype == np.float64
    assert np.isnan(X).sum() == entry.missing_cells
    assert sorted(np.unique(y)) == [0, 1]
    assert y.sum() == entry.positives < entry.rows / 2


@pytest.mark.parametrize("name", list_datasets())
def test_catalogue_states_where_a_set_comes_from(name):
    entry = load.catalog()[name]
    assert entry.source
    assert entry.licence


@pytest.mark.parametrize("name", list_datasets())
def test_file_is_compressed_without_time_and_name(name):
    content = load._package_file(f"data/{load.catalog()[name].file}")
    flags, mtime = content[3], content[4:8]
    assert (flags, mtime) == (0, b"\0\0\0\0")


def test_frame_has_the_same_values_and_the_names_of_the_columns():
    X, y = load_dataset("Yeast-me1")
    frame, target = load_dataset("Yeast-me1", as_frame=True)
    assert list(frame.columns) == load.feature_names("Yeast-me1")
    assert target.name == "target"
    np.testing.assert_array_equal(frame.to_numpy(), X)
    np.testing.assert_array_equal(target.to_numpy(), y)


def test_empty_cell_is_missing():
    columns, table = load._parse("a,b,target\n1,,0\n,2.5,1\n")
    assert columns == ["a", "b", "target"]
    np.testing.assert_array_equal(table, [[1, np.nan, 0], [np.nan, 2.5, 1]])


@pytest.mark.parametrize("typed", ["pageblocks0", "Pageblock", "page-blocks0"])
def test_unknown_name_points_to_the_nearest(typed):
    with pytest.raises(ValueError, match=f"no data set '{typed}'; did you mean Pageblocks0"):
        load_dataset(typed)


def test_name_unlike_any_other_lists_all():
    with pytest.raises(ValueError, match=", ".join(list_datasets())):
        load_dataset("§§§")


def test_damaged_file_is_refused(monkeypatch):
    damaged = gzip.compress(b"a,target\n1,0\n")
    monkeypatch.setattr(load, "_package_file", lambda path: damaged)
    entry = dataclasses.replace(load.catalog()["Yeast-me1"])
    with pytest.raises(ValueError, match=r"Yeast-me1\.csv\.gz .* is damaged"):
        load._checked_csv(entry)


@pytest.mark.parametrize("name", list_datasets())
def test_bundled_file_equals_the_one_in_the_data_folder(name):
    ours = gzip.decompress(load._package_file(f"data/{load.catalog()[name].file}"))
    assert gzip.decompress(data_file(name).read_bytes()) == ours
